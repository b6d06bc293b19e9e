# SPDX-License-Identifier: MIT
"""SIGHUP: a good configuration comes into force, a bad one changes nothing and says where and what is accepted; systemd is told."""

import os
import signal
import socket
import time

from harness import World, run_tests, wait_until


class Configured:
    """A daemon with a configuration file, and what it tells systemd."""

    def __init__(self, world, text):
        self.world = world
        self.file = world.path("adoubed.conf")
        self.write(self.file, text)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(world.path("notify"))
        self.socket.settimeout(10)
        os.environ["NOTIFY_SOCKET"] = world.path("notify")
        try:
            self.daemon = world.daemon(arguments=["--config", self.file])
        finally:
            del os.environ["NOTIFY_SOCKET"]
        self.client = world.client()
        self.told("READY=1")

    @staticmethod
    def write(path, text):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)

    def told(self, word):
        """Waits for a message to systemd that has this line; gives the messages until then."""
        messages = []
        while not messages or word not in messages[-1].split("\n"):
            messages.append(self.socket.recv(4096).decode())
        return messages

    def reload(self, text=None, drop_in=None):
        """Gives what was logged about it."""
        if text is not None:
            self.write(self.file, text)
        if drop_in is not None:
            self.write(self.file + ".d/50-hall.conf", drop_in)
        before = len(self.daemon.said())
        self.daemon.process.send_signal(signal.SIGHUP)
        told = self.told("RELOADING=1")
        stamp = dict(line.split("=", 1) for line in told[-1].split("\n"))["MONOTONIC_USEC"]
        assert abs(time.monotonic() - int(stamp) / 1e6) < 10, f"not the time of the reload: {stamp}"
        self.told("READY=1")
        return self.daemon.said()[before:]

    def boards(self):
        return sorted(self.world.ctl("list", "--names").splitlines())

    def game(self, board, name):
        return self.client.get(board, "Game", name)


FIRST = "[board A]\ndriver=dgt\ndevice=unix:/nonexistent/a\nrules=fide2018\n"


def test_new_boards_and_settings_come_into_force():
    with World() as world:
        service = Configured(world, FIRST)
        assert service.boards() == ["A"]
        said = service.reload(FIRST.replace("fide2018", "fide2014"), "[board B]\ndriver=dgt\ndevice=unix:/nonexistent/b\ntempo=blitz\n")
        assert "config: read again" in said, said
        assert service.boards() == ["A", "B"]
        for board, edition, tempo in (("A", "fide2014", None), ("B", "fide2023", "blitz")):
            service.client.call(board, "Game", "NewGame", "(a{sv})", {})
            assert service.game(board, "Rules") == edition
            assert tempo is None or service.game(board, "Tempo") == tempo


def test_a_running_game_keeps_its_settings():
    with World() as world:
        service = Configured(world, FIRST)
        service.client.call("A", "Game", "NewGame", "(a{sv})", {})
        service.reload(FIRST.replace("fide2018", "fide2014"))
        assert service.game("A", "Rules") == "fide2018"


def test_a_bad_one_changes_nothing_and_says_where():
    rows = [  # file, drop-in, what the error says
        (FIRST + "orientation=left\n", None, "adoubed.conf:5: orientation: 'left' is not accepted; accepted: auto normal rotated"),
        (FIRST.replace("fide2018", "fide1900"), None, "adoubed.conf:4: "),
        ("nonsense\n", None, "adoubed.conf:1: neither '[section]' nor 'key = value'"),
        ("[board B]\ndriver=dgt\n", None, "adoubed.conf: [board B] has no device="),
        (FIRST.replace("fide2018", "fide2014"), "[defaults]\ncompletion=press\n",
         "adoubed.conf.d/50-hall.conf:2: completion: 'press' is not accepted; accepted: auto clock release"),
    ]
    with World() as world:
        service = Configured(world, FIRST)
        for text, drop_in, error in rows:
            said = service.reload(text, drop_in)
            assert error in said and "the old configuration stays in force" in said, f"{error}:\n{said}"
            assert service.boards() == ["A"]
            service.client.call("A", "Game", "NewGame", "(a{sv})", {})
            assert service.game("A", "Rules") == "fide2018", text
            service.client.call("A", "Arbiter", "DeclareResult", "(ssa{sv})", "1/2-1/2", "a test", {})
        os.unlink(service.file + ".d/50-hall.conf")
        assert "config: read again" in service.reload(FIRST.replace("fide2018", "fide2014"))
        service.client.call("A", "Game", "NewGame", "(a{sv})", {})
        assert service.game("A", "Rules") == "fide2014"


def test_boards_change_their_devices():
    with World() as world:
        second = FIRST.replace("board A", "board B").replace("/a", "/b")
        service = Configured(world, FIRST + second)
        service.reload((FIRST + second).replace("nonexistent/a", "nonexistent/c").replace("/b", "/a").replace("/c", "/b"))
        assert service.boards() == ["A", "B"]
        assert (service.client.get("A", "Board", "Device"), service.client.get("B", "Board", "Device")) == \
            ("unix:/nonexistent/b", "unix:/nonexistent/a")


def test_an_unknown_key_is_a_warning():
    with World() as world:
        service = Configured(world, FIRST)
        said = service.reload(FIRST + "colour=red\n")
        assert "adoubed.conf:5: unknown key 'colour' ignored" in said and "config: read again" in said, said


def test_a_bad_file_at_the_start_is_exit_1():
    with World() as world:
        with open(world.path("adoubed.conf"), "w") as file:
            file.write("[defaults]\ntempo=fast\n")
        daemon = world.daemon(arguments=["--config", world.path("adoubed.conf")], wait=False)
        daemon.clean_exits = (1,)
        wait_until(lambda: daemon.process.poll() is not None, what="the end of adoubed")
        assert "adoubed.conf:2: tempo: 'fast' is not accepted; accepted: standard rapid blitz" in daemon.said(), daemon.said()


if __name__ == "__main__":
    run_tests(globals())
