# SPDX-License-Identifier: MIT
"""The cable: out and in during a game, noise instead of a board, a board on a line that was full of noise, boards added and removed."""

import os
import pty
import re
import time

import harness

MOVES = ("e2 e4", "e7 e5", "g1 f3", "b8 c6", "f1 b5", "a7 a6")
BOARD = "Table 1"


def play(sim, client, ply, move):
    """One move by hand; waits until it is completed."""
    origin, target = move.split()
    sim.do(f"lift {origin}", "wait 300", f"place {target}")
    client.wait(lambda: client.get(BOARD, "Game", "Ply") == ply or None, 10, f"ply {ply}, {move}")


def begin(world):
    sim = world.sim()
    daemon = world.daemon(f"{BOARD},dgt,{sim.link}")
    client = world.client()
    client.wait_property(BOARD, "Game", "State", "ready")
    return sim, daemon, client


def test_cable_out_between_moves_and_within_one():
    with harness.World() as world:
        sim, daemon, client = begin(world)
        play(sim, client, 1, MOVES[0])
        play(sim, client, 2, MOVES[1])
        game = client.get(BOARD, "Game", "Id")

        sim.do("cable-out 1500")
        client.wait_property(BOARD, "Board", "Status", "absent")
        assert client.get(BOARD, "Game", "State") == "playing", "the game outlives its cable"
        client.wait_property(BOARD, "Board", "Status", "connected")
        play(sim, client, 3, MOVES[2])

        # The knight is in the air when the cable goes, and stands when it is back.
        sim.do("lift b8", "wait 200", "cable-out 1500", "place c6")
        client.wait_property(BOARD, "Board", "Status", "absent")
        client.wait_property(BOARD, "Board", "Status", "connected")
        client.wait_property(BOARD, "Game", "Ply", 4)
        play(sim, client, 5, MOVES[4])
        play(sim, client, 6, MOVES[5])
        assert client.get(BOARD, "Game", "Id") == game
        assert client.get(BOARD, "Game", "San") == ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6"]
        assert client.get(BOARD, "Game", "Discrepancy") == []


def test_moves_while_the_cable_is_out_are_entered_as_reconstructed():
    with harness.World() as world:
        sim, daemon, client = begin(world)
        play(sim, client, 1, MOVES[0])
        sim.do("cable-out 1500", "lift e7", "place e5")
        client.wait_property(BOARD, "Board", "Status", "absent")
        client.wait_property(BOARD, "Game", "Ply", 2)
        client.pump()
        completed = client.of(BOARD, "MoveCompleted")[-1]
        assert completed[3] == "e7e5" and completed[-1].get("reconstructed") is True, completed


# Moves while the cable is out, of which the board alone does not tell the order, or not even which they were.
WITHOUT_CABLE = (
    # moves by hand, and what they are
    (["e2 e4"], ["e2e4"]),
    (["e2 e4", "e7 e5"], ["e2e4", "e7e5"]),
    (["g1 f3", "g8 f6", "b1 c3"], ["g1f3", "g8f6", "b1c3"]),
    # Two knights and a pawn each, in one order of many.
    (["b1 c3", "g8 f6", "g1 f3", "b8 c6", "e2 e4", "e7 e5"], ["b1c3", "g8f6", "g1f3", "b8c6", "e2e4", "e7e5"]),
    # There and back: the board alone shows a2a3.
    (["g1 f3", "g8 f6", "f3 g1", "f6 g8", "a2 a3"], ["g1f3", "g8f6", "f3g1", "f6g8", "a2a3"]),
    # Taken, and taken back.
    (["e2 e4", "d7 d5", "e4 d5", "d8 d5", "b1 c3", "d5 d8"], ["e2e4", "d7d5", "e4d5", "d8d5", "b1c3", "d5d8"]),
    # Castling, by the king first.
    (["g1 f3", "g8 f6", "g2 g3", "g7 g6", "f1 g2", "f8 g7", "e1 g1+h1 f1"], ["g1f3", "g8f6", "g2g3", "g7g6", "f1g2", "f8g7", "e1g1"]),
)


def by_hand(moves):
    """The commands for moves: FROM TO, two of them joined by + for castling; the clock is pressed after each."""
    for number, move in enumerate(moves):
        for step in move.split("+"):
            origin, target = step.split()
            yield from (f"lift {origin}", "wait 100", f"place {target}", "wait 350")
        yield from (f"press {'black' if number % 2 else 'white'}", "wait 50")


def check_logged(client, board, expected):
    client.wait_property(board, "Game", "Ply", len(expected), 30)
    assert client.get(board, "Game", "Moves") == expected
    assert client.get(board, "Game", "Discrepancy") == []
    client.pump()
    told = client.of(board, "MoveCompleted")
    assert [row[3] for row in told] == expected, told
    assert all(row[-1].get("reconstructed") for row in told) and not any(row[-1].get("clock-estimated") for row in told), told
    # Each has the time of its own press: 600 s, 5 s more for each move, less what it took.
    for ply, row in enumerate(told, 1):
        own = row[6 + (ply + 1) % 2]
        assert 590000 < own <= 600000 + 5000 * ((ply + 1) // 2), (ply, row)


def test_the_boards_memory_tells_what_was_played_without_the_cable():
    with harness.World() as world:
        boards = [f"Table {number}" for number in range(1, len(WITHOUT_CABLE) + 1)]
        sims = [world.sim(f"board-{number}", "--clock", "dgt3000", "--serial", 1000 + number) for number in range(len(boards))]
        world.daemon(*(f"{board},dgt,{sim.link}" for board, sim in zip(boards, sims)))
        client = world.client()
        for board, sim, (moves, expected) in zip(boards, sims, WITHOUT_CABLE):
            client.wait_property(board, "Game", "State", "ready")
            sim.do("time 600 600 5", "press black")
            client.wait_property(board, "Game", "State", "playing")
            sim.do("wait 300", f"cable-out {len(moves) * 1100 + 500}", *by_hand(moves))
        for board, (moves, expected) in zip(boards, WITHOUT_CABLE):
            check_logged(client, board, expected)


def test_what_no_move_explains_is_listed_until_it_is_right():
    with harness.World() as world:
        sim, daemon, client = begin(world)
        play(sim, client, 1, MOVES[0])
        sim.do("cable-out 1000", "lift a8", "lift h8", "lift a1")
        client.wait_property(BOARD, "Board", "Status", "absent")
        client.wait_property(BOARD, "Game", "Discrepancy", lambda squares: sorted(squares) == ["a1", "a8", "h8"])
        sim.do("place a8 r", "place h8 r", "place a1 R")
        client.wait_property(BOARD, "Game", "Discrepancy", [])
        play(sim, client, 2, MOVES[1])


def feed(master, chunk):
    """Writes what the line takes; what the daemon asks is thrown away."""
    try:
        os.read(master, 65536)
    except (BlockingIOError, OSError):
        pass
    try:
        return os.write(master, chunk)
    except BlockingIOError:
        time.sleep(0.001)
        return 0


def memory(daemon):
    with open(f"/proc/{daemon.process.pid}/statm") as file:
        return int(file.read().split()[1]) * 4096


def test_a_mebibyte_of_noise_and_then_a_board():
    with harness.World() as world:
        master, slave = pty.openpty()
        os.set_blocking(master, False)
        link = world.path("board")
        os.symlink(os.ttyname(slave), link)
        daemon = world.daemon(f"{BOARD},dgt,{link}")
        client = world.client()
        before = memory(daemon)
        noise = os.urandom(1 << 20)
        sent, started = 0, time.monotonic()
        while sent < len(noise):
            sent += feed(master, noise[sent:sent + 2048])
            assert time.monotonic() - started < 60 * harness.SLOW, "the daemon reads no more"
        seconds = time.monotonic() - started
        assert client.get(BOARD, "Game", "State") in ("none", "setup")
        lines = len(re.findall("skipped [0-9]+ bytes of noise", daemon.said()))
        assert 1 <= lines <= seconds + 2, f"{lines} lines about noise in {seconds:.1f} s"
        if harness.SLOW == 1:
            assert memory(daemon) - before < 4 << 20, f"grew from {before} to {memory(daemon)} bytes"
        os.close(slave)
        os.close(master)
        os.unlink(link)

        sim = world.sim()
        client.wait_property(BOARD, "Board", "Status", "connected", 15)
        client.wait_property(BOARD, "Game", "State", "ready")
        play(sim, client, 1, MOVES[0])


def test_boards_come_and_go_at_run_time():
    with harness.World() as world:
        first, second = world.sim("first"), world.sim("second", "--serial", 4711)
        daemon = world.daemon(f"{BOARD},dgt,{first.link}")
        client = world.client()
        path = client.call(None, "Manager", "AddBoard", "(sssa{sv})", "Mesa 2 ñ", "dgt", second.link, {})[0]
        assert path == client.board_path("Mesa 2 ñ")
        assert path in client.objects()
        client.wait_property("Mesa 2 ñ", "Game", "State", "ready")
        assert client.get("Mesa 2 ñ", "Board", "Serial").endswith("4711")

        add = ("AddBoard", "(sssa{sv})")
        assert client.error(None, "Manager", *add, "Mesa 2 ñ", "dgt", "/dev/null", {}) == "BoardExists"
        assert client.error(None, "Manager", *add, "Third", "dgt", second.link, {}) == "DeviceInUse"
        assert client.error(None, "Manager", *add, "Third", "abacus", "/dev/null", {}) == "BadOption"
        assert client.error(None, "Manager", *add, "x" * 65, "dgt", "/dev/null", {}) == "BadOption"

        second.do("lift e2", "wait 100", "place e4")
        client.wait_property("Mesa 2 ñ", "Game", "State", "playing")
        remove = ("RemoveBoard", "(oa{sv})", path)
        assert client.error(None, "Manager", *remove, {}) == "GameInProgress"
        client.call(None, "Manager", *remove, {"force": harness.GLib.Variant("b", True)})
        assert path not in client.objects()
        assert client.error(None, "Manager", *remove, {}) == "NoSuchBoard"


if __name__ == "__main__":
    harness.run_tests(globals())
