/* SPDX-License-Identifier: MIT */
#ifndef TESTS_DAEMON_SESSION_SCRIPT_H
#define TESTS_DAEMON_SESSION_SCRIPT_H

/*
 * Runs a session without a device: a file of cases, each a list of what hands, clocks and clients do, and of the notices that must come of it.
 *
 *      case TITLE             opens a case; end closes it. '#' begins a comment line
 *      set KEY=VALUE          a board key, before anything else
 *      board [rotated] [slow] [FEN placement | start]     the board's first snapshot (identity; "board occupancy ..." and "board colour ...")
 *
 *      lift SQ                squares are those of the chess board: the script turns them for a rotated board
 *      place SQ P
 *      swap SQ P              another man without an empty reading between
 *      move UCI               both hands' usual way: victim off, man lifted, 150 ms, placed; castling king first
 *      wait MS                time passes, timers run
 *      cable out | cable in [PLACEMENT]
 *      clock L R SIDE         a reading: milliseconds left and right, who runs: left, right, - (lever as before)
 *      flags left right       what the clock shows as fallen from here on
 *      no-clock               it is unplugged
 *      version                it tells that it is a DGT3000
 *      press left|right       the lever, with the reading that comes of it
 *      button back|minus|run|plus|ok
 *      call NAME ARGUMENTS    a command; "call! CODE NAME ..." must be refused with that error name
 *
 *      = NOTICE               the next notice that is not a lift, place, touch or button must be this; a '*' at its
 *                             end stands for any rest
 *      ? PROPERTY VALUE       a property of a view; * any. face: what the clock was told to show; faces: how often since the last question
 *      none                   no notice is waiting
 *      touches                from here on PieceTouched is among the notices: touched SIDE SQ [adjusting]
 */

#include <stdbool.h>
#include <stddef.h>

/* Runs all cases of a file. Prints what fails. Return: how many failed, -1 when the file cannot be read. @ret_n: how many ran. */
int session_script_run(const char *path, const char *only, unsigned *ret_n);

#endif
