# SPDX-License-Identifier: MIT
"""
Answers of driven clocks lost, doubled, delayed or wrong, while games are played: no wrong time, no stop.

Usage: test_clock_acks.py ANSWERS      in all, a quarter of each kind
"""

import sys
import time

import clocks
import harness
from clocks import BOARD, SIDES, Table

FAULTS = ("lose", "double", "delay", "wrong")
TOUR = ("g1f3", "g8f6", "f3g1", "f6g8")


def play(world, fault, count):
    """One game in which the next @count answers go wrong; ends when they have."""
    table = Table(world, "clock=drive", "time-control=5400+30", "rules=fide1997", scale=20)
    table.wait("Clock", "Mode", "drive")
    table.start()
    table.wait_face(runs="white")
    table.sim.do(f"ack {fault} {count}")
    ply, left, started = 0, count, time.monotonic()
    while left > 0:
        move, side = TOUR[ply % 4], SIDES[ply % 2]
        table.move(move, side, 300)
        ply += 1
        row = table.completed(ply, 60)
        assert row[3] == move and table.clock["Running"] == clocks.other(side)
        table.call("Arbiter", "AddTime", "(xxs)", 1000, 1000, "one more command for the clock")
        table.sim.do("ack")
        table.client.wait(lambda: table.sim.said().count("to go wrong") >= ply, 20, "the count of answers")
        left = int(table.sim.said().rsplit("ack ", 1)[1].split()[0])
        assert time.monotonic() - started < 400 * harness.SLOW, f"{left} left"
    table.check_face(virtual=400)
    table.wait("Clock", "Status", "connected", 400)
    assert table.game["State"] == "playing" and not table.of("FlagFell")
    print(f"# {count} answers: {fault}, {ply} plies, {time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    each = int(sys.argv[1]) // len(FAULTS)
    for kind in FAULTS:
        with harness.World() as world:
            play(world, kind, each)
