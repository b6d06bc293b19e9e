#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Follows all boards with Gio: one line when a move is completed or a game ends, and each second while a clock runs.

Usage: follow.py [system|session|ADDRESS]
"""

import sys
import time

from gi.repository import Gio, GLib

NAME = "org.adoube.Boards1"


def connect(where):
    if where in ("system", "session"):
        return Gio.bus_get_sync(Gio.BusType.SYSTEM if where == "system" else Gio.BusType.SESSION, None)
    flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
    return Gio.DBusConnection.new_for_address_sync(where, flags, None, None)


def get(board, interface, name):
    """A property from the cache; None when it is not there."""
    proxy = board.get_interface(f"{NAME}.{interface}")
    value = proxy.get_cached_property(name) if proxy else None
    return value.unpack() if value is not None else None


def time_left(board, side):
    """Times hold as of AsOf; a side whose clock runs has used what has passed since."""
    ms = get(board, "Clock", side.capitalize() + "Ms")
    if ms is None or ms < 0:
        return ""
    if get(board, "Clock", "Running") == side:
        ms -= time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1000000 - get(board, "Clock", "AsOf") // 1000
    seconds = ms // 1000
    return f", {side} {seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def show(board, what, ply=None):
    print(f"{get(board, 'Board', 'Name')}: {get(board, 'Game', 'State')}, ply {get(board, 'Game', 'Ply') if ply is None else ply}, {what}"
          f"{time_left(board, 'white')}{time_left(board, 'black')}", flush=True)


class Follower:
    def __init__(self, where):
        # Keeps a copy of all boards, notices boards that come and go, and reads everything again after a restart.
        self.manager = Gio.DBusObjectManagerClient.new_sync(connect(where), Gio.DBusObjectManagerClientFlags.DO_NOT_AUTO_START, NAME,
                                                            "/org/adoube/Boards1", None, None, None)
        self.manager.connect("interface-proxy-signal", self.on_signal)
        self.manager.connect("object-added", lambda manager, board: self.on_board(board))
        self.manager.connect("notify::name-owner", self.on_owner)
        self.moves = {}
        for board in self.manager.get_objects():
            self.on_board(board)
        self.on_owner(self.manager, None)
        GLib.timeout_add_seconds(1, self.on_second)

    def on_board(self, board):
        moves = get(board, "Game", "San")
        if moves is not None:
            self.moves[board.get_object_path()] = moves[-1] if moves else "-"
            show(board, self.moves[board.get_object_path()])

    def on_owner(self, manager, parameter):
        if manager.get_name_owner() is None:
            print("adoubed is away", flush=True)

    def on_signal(self, manager, board, interface, sender, signal, arguments):
        if signal == "MoveCompleted":
            sequence, game, ply, uci, san, *rest = arguments.unpack()
            self.moves[board.get_object_path()] = san
            # The properties, and the clocks with them, follow the signal.
            GLib.timeout_add(50, lambda: show(board, san, ply))
        elif signal == "GameEnded":
            GLib.timeout_add(50, lambda: show(board, f"{get(board, 'Game', 'Result')} {get(board, 'Game', 'Termination')}"))

    def on_second(self):
        for board in self.manager.get_objects():
            if get(board, "Clock", "Running"):
                show(board, self.moves.get(board.get_object_path(), "-"))
        return True


follower = Follower(sys.argv[1] if len(sys.argv) > 1 else "system")
GLib.MainLoop().run()
