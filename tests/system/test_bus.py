# SPDX-License-Identifier: MIT
"""The bus at its worst, while a game is played: it goes away and comes back; others read nothing, ask too much, or send what makes no sense.

Usage: test_bus.py dbus-daemon|dbus-broker [TEST]...
"""

import os
import signal
import socket
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree

from gi.repository import Gio, GLib

import harness
from harness import NAME, ROOT, SLOW

BUS = sys.argv.pop(1)
BOARD = "Table 1"
MOVES = ("e2 e4", "e7 e5", "g1 f3", "b8 c6", "f1 b5", "a7 a6", "b5 a4", "g8 f6")
NOBODY = 65534
GROWTH = 24 << 20  # bytes: the queues that are allowed to a bus that takes nothing, and some room


class Table:
    """A world with a daemon, a board and a client; moves are played by hand."""

    def __init__(self, world):
        self.world = world
        self.sim = world.sim()
        self.daemon = world.daemon(f"{BOARD},dgt,{self.sim.link}")
        self.client = world.client()
        self.client.wait_property(BOARD, "Game", "State", "ready")
        self.played = 0
        self.longest = 0

    def hand(self):
        origin, target = MOVES[self.played].split()
        self.sim.do(f"lift {origin}", "wait 300", f"place {target}")
        self.played += 1

    def play(self):
        """A move; the client is told of it."""
        self.hand()
        self.client.wait(lambda: len(self.client.of(BOARD, "MoveCompleted")) and self.client.of(BOARD, "MoveCompleted")[-1][2] == self.played or None,
                         10, f"ply {self.played}")

    def ask(self):
        """A call, as anybody makes it; how long it took is remembered."""
        begun = time.monotonic()
        ply = self.client.get(BOARD, "Game", "Ply")
        self.longest = max(self.longest, time.monotonic() - begun)
        return ply

    def memory(self):
        with open(f"/proc/{self.daemon.process.pid}/statm") as file:
            return int(file.read().split()[1]) * 4096

    def check(self, before):
        """After the trouble: the daemon is the same process, has not grown, the game goes on and nothing of it is missing."""
        assert self.daemon.process.poll() is None, self.daemon.said()[-4000:]
        if SLOW == 1:
            assert self.memory() - before < GROWTH, f"grew from {before} to {self.memory()} bytes"
        while self.played < len(MOVES) - 1:
            self.play()
        assert [moves[2] for moves in self.client.of(BOARD, "MoveCompleted")] == list(range(1, self.played + 1))
        assert len(self.client.get(BOARD, "Game", "Moves")) == self.played
        assert self.longest < 1.5 * SLOW, f"a call took {self.longest:.1f} s"


def world():
    return harness.World(BUS)


def test_the_bus_goes_away_and_comes_back():
    with world() as w:
        table = Table(w)
        seen = 0
        for killed in (True, False, True):
            table.play()
            table.client.pump()
            seen = max(signal[3][0] for signal in table.client.signals if signal[1] in ("Board", "Game", "Touch", "Clock"))
            w.stop_bus(killed)
            table.hand()
            time.sleep(1.5)  # it is played, and nobody can be told
            w.start_bus()
            table.client = w.client()
            harness.wait_until(table.client.owner, 5, "the name on the new bus")
            table.client.wait_property(BOARD, "Game", "Ply", table.played)
            events = table.client.call(None, "Manager", "GetEvents", "(tu)", seen, 0)[0]
            assert [event[0] for event in events] == list(range(seen + 1, seen + 1 + len(events)))
            assert [event[4][1] for event in events if event[3] == "MoveCompleted"] == [table.played]
        assert table.daemon.process.poll() is None


def test_the_bus_is_not_there_at_the_start():
    with world() as w:
        sim = w.sim()
        w.stop_bus(False)
        daemon = w.daemon(f"{BOARD},dgt,{sim.link}", wait=False)
        time.sleep(1)
        sim.do("lift e2", "wait 300", "place e4")
        assert daemon.process.poll() is None
        w.start_bus()
        client = w.client()
        harness.wait_until(client.owner, 5, "the name")
        client.wait_property(BOARD, "Game", "Ply", 1)


def flood(connection, calls, make):
    """Sends them all without waiting; gives how many were done, refused and never answered."""
    counts = {"done": 0, "refused": 0}

    def answered(source, result):
        try:
            source.call_finish(result)
            counts["done"] += 1
        except GLib.Error:
            counts["refused"] += 1

    for i in range(calls):
        path, interface, method, arguments = make(i)
        connection.call(NAME, path, interface, method, arguments, None, Gio.DBusCallFlags.NONE, 60000 * SLOW, None, answered)
    return counts


def test_a_subscriber_that_reads_nothing():
    if BUS == "dbus-broker" and os.getuid() != 0:
        print("# left out: nobody can be somebody else but root")
        return
    subscriber_that_reads_nothing()


def subscriber_that_reads_nothing():
    """Ten megabytes of signals wait for it: dbus-daemon keeps them, dbus-broker ends its connection; nobody else is held up. It is somebody else's
    program, where that can be had, as dbus-broker makes a user pay for all his programs."""
    calls = 3000 // SLOW
    tags = {name: "x" * 240 for name in ("Event", "Site", "Annotator", "WhiteTeam", "BlackTeam", "Opening", "Variation", "Section", "Stage", "Mode")}
    with world() as w:
        table = Table(w)
        table.play()
        before = table.memory()
        os.chmod(w.directory, 0o755)
        os.chmod(w.path("bus"), 0o777)
        idle = subprocess.Popen(["gdbus", "monitor", "--address", w.address, "--dest", NAME], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                user=NOBODY if os.getuid() == 0 else None)
        try:
            time.sleep(0.5 * SLOW)
            idle.send_signal(signal.SIGSTOP)
            for n in range(0, calls, 100):
                counts = flood(table.client.connection, 100, lambda i: (
                    table.client.board_path(BOARD), f"{NAME}.Game", "SetTags",
                    GLib.Variant("(a{ss}asa{sv})", ({**tags, "Round": f"{n}.{i}"}, [], {}))))
                while sum(counts.values()) < 100:
                    table.client.pump()
                    table.ask()
                assert counts["refused"] == 0, counts
            table.play()
            table.check(before)
        finally:
            idle.kill()
            idle.wait()


def test_nothing_is_read_that_was_not_told():
    """A move that can be read is in the journal, and its signal came before: also for who asks all the time while others play."""
    with world() as w:
        names = [f"Table {number}" for number in range(6)]
        w.daemon(*(f"{name},dgt,{w.path(name)}" for name in names))
        client = w.client()
        sims = []
        for name in names:
            sims.append(w.sim(name, "--pgn", harness.SOURCE / "tests/cases/opera.pgn", "--speed", 100, "--scan-ms", 50, "--hold"))
            sims[-1].do("rest 0")
        for name, sim in zip(names, sims):
            client.wait_property(name, "Game", "State", "ready")
            harness.wait_until(lambda: "rests after ply 0" in sim.said(), what="the hands")
        asked, heard, answers, early = {}, dict.fromkeys(map(client.board_path, names), 0), [], []

        def watch(_, message, incoming):
            if incoming and message.get_message_type() == Gio.DBusMessageType.SIGNAL and message.get_member() == "MoveCompleted":
                heard[message.get_path()] += 1
            path = asked.pop(message.get_reply_serial(), None) if incoming else None
            if path and message.get_message_type() == Gio.DBusMessageType.METHOD_RETURN:  # and not too many calls at once
                answers.append(message.get_body().unpack()[0])
                if answers[-1] > heard[path]:
                    early.append(path)
            return message

        client.connection.add_filter(watch)
        for sim in sims:
            sim.do("go")
        end = time.monotonic() + 3
        while time.monotonic() < end:
            for path in heard:
                get = Gio.DBusMessage.new_method_call(harness.NAME, path, "org.freedesktop.DBus.Properties", "Get")
                get.set_body(GLib.Variant("(ss)", (f"{harness.NAME}.Game", "Ply")))
                asked[client.connection.send_message(get, Gio.DBusSendMessageFlags.NONE)[1]] = path
            time.sleep(0.001)
        assert max(answers) > 10 and len(set(answers)) > 10, f"nobody played: {set(answers)}"
        assert not early, f"{len(early)} of {len(answers)} answers came before their signal"


def test_a_flood_of_calls():
    calls = 2000 // SLOW
    kinds = {
        "properties": lambda i: (f"{ROOT}/board/Table_201", "org.freedesktop.DBus.Properties", "GetAll", GLib.Variant("(s)", (f"{NAME}.Game",))),
        "everything": lambda i: (ROOT, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects", None),
        "the archive": lambda i: (ROOT, f"{NAME}.Manager", "ListGames", GLib.Variant("(a{sv})", ({"player": GLib.Variant("s", "a b")},))),
        "history": lambda i: (ROOT, f"{NAME}.Manager", "GetEvents", GLib.Variant("(tu)", (0, 0))),
    }
    with world() as w:
        table = Table(w)
        table.play()
        before = table.memory()
        for kind, make in kinds.items():
            other = w.client().connection
            counts = flood(other, calls // 4, make)
            until = time.monotonic() + 30 * SLOW
            while sum(counts.values()) < calls // 4 and time.monotonic() < until:
                table.client.pump()
                table.ask()
            assert sum(counts.values()) == calls // 4, f"{kind}: {counts}"
            assert counts["done"] > 0, f"{kind}: {counts}"
            table.play()
            other.close_sync()
        table.check(before)


def methods(client):
    """(path, interface, method, the types of its arguments) of all that the service has."""
    for path in (ROOT, client.board_path(BOARD)):
        text = client.connection.call_sync(NAME, path, "org.freedesktop.DBus.Introspectable", "Introspect", None, None,
                                           Gio.DBusCallFlags.NONE, 5000 * SLOW, None).unpack()[0]
        for interface in ElementTree.fromstring(text).iter("interface"):
            if not interface.get("name").startswith(NAME):
                continue
            for method in interface.iter("method"):
                yield path, interface.get("name"), method.get("name"), [a.get("type") for a in method.iter("arg") if a.get("direction") != "out"]


WRONG = [GLib.Variant(*row) for row in (("s", ""), ("i", -1), ("t", 2**64 - 1), ("b", True), ("d", float("nan")), ("as", []), ("a{sv}", {}),
                                        ("v", GLib.Variant("s", "x")), ("(ss)", ("a", "b")), ("ay", b"\xff\xfe"), ("aa{sv}", [{}]), ("o", "/"),
                                        ("g", "a{sv}"))]
NASTY = ("", "x" * 4096, "é" * 100, "x" + "é" * 1000, "\x01\x1b[2J\n", "'; DROP TABLE games; --", "\u202egnp", "😀" * 70, "%s%n%x")


def values(kind, text):
    """A value of this type that holds the text wherever one fits."""
    return {"s": lambda: GLib.Variant("s", text), "o": lambda: GLib.Variant("o", f"{ROOT}/board/x"), "u": lambda: GLib.Variant("u", 2**32 - 1),
            "t": lambda: GLib.Variant("t", 2**64 - 1), "x": lambda: GLib.Variant("x", -2**63), "i": lambda: GLib.Variant("i", -2**31),
            "b": lambda: GLib.Variant("b", True), "y": lambda: GLib.Variant("y", 255), "as": lambda: GLib.Variant("as", [text] * 3),
            "a{ss}": lambda: GLib.Variant("a{ss}", {text or "x": text}),
            "a{sv}": lambda: GLib.Variant("a{sv}", {text: GLib.Variant("s", text), "game": GLib.Variant("s", text)})}[kind]()


def refused(client, path, interface, method, arguments):
    """The call, whatever comes of it; an answer must come."""
    try:
        client.connection.call_sync(NAME, path, interface, method, GLib.Variant.new_tuple(*arguments), None, Gio.DBusCallFlags.NONE, 10000 * SLOW, None)
    except GLib.Error as error:
        name = Gio.DBusError.get_remote_error(error) or str(error)
        assert "NoReply" not in name and "ServiceUnknown" not in name and "Timeout" not in str(error), f"{interface}.{method}: {error}"
        return True
    return False


def test_arguments_that_make_no_sense():
    with world() as w:
        table = Table(w)
        table.play()
        before, client = table.memory(), w.client()
        every = list(methods(client))
        assert len(every) > 30
        for path, interface, method, types in every:
            for wrong in WRONG:
                if types != [wrong.get_type_string()]:
                    assert refused(client, path, interface, method, [wrong]), f"{method} took {wrong}"
            assert not types or refused(client, path, interface, method, []), f"{method} took nothing"
            for text in NASTY:
                if types and "Set" not in method and method not in ("RemoveBoard", "NewGame"):
                    refused(client, path, interface, method, [values(kind, text) for kind in types])
            table.ask()
        for size in (1 << 16, 1 << 20):
            for path, interface, method, types in every:
                if method in ("GetArchivedPgn", "ListGames", "AddBoard", "NewGame", "SetTags"):
                    assert refused(client, path, interface, method, [values(kind, "x" * size) for kind in types]), f"{method} took {size} bytes"
        assert table.daemon.process.poll() is None
        if SLOW == 1:
            assert table.memory() - before < GROWTH


def raw_client(world):
    """A connection of which every byte is ours."""
    raw = socket.socket(socket.AF_UNIX)
    raw.settimeout(5 * SLOW)
    raw.connect(world.path("bus"))
    raw.sendall(b"\0AUTH EXTERNAL " + str(os.getuid()).encode().hex().encode() + b"\r\n")
    assert raw.recv(4096).startswith(b"OK")
    hello = Gio.DBusMessage.new_method_call("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "Hello")
    hello.set_serial(1)
    raw.sendall(b"BEGIN\r\n" + bytes(hello.to_blob(Gio.DBusCapabilityFlags.NONE)))
    assert raw.recv(4096)
    return raw


def test_texts_that_are_not_utf8():
    """A bus that checks them ends the connection, one that does not lets them through; the daemon lives whatever it is."""
    with world() as w:
        table = Table(w)
        before = table.memory()
        for text in (b"\xff\xfe\xfd", b"\xc3\x28", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"a\0b"):
            message = Gio.DBusMessage.new_method_call(NAME, ROOT, f"{NAME}.Manager", "GetArchivedPgn")
            message.set_body(GLib.Variant.new_tuple(GLib.Variant("s", "@" * len(text))))
            message.set_serial(2)
            with raw_client(w) as raw:
                raw.sendall(bytes(message.to_blob(Gio.DBusCapabilityFlags.NONE)).replace(b"@" * len(text), text))
                table.play()
        table.check(before)


if __name__ == "__main__":
    harness.run_tests(globals())
