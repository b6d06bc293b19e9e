# SPDX-License-Identifier: MIT
"""The clock that keeps the time itself, and the service's own without a clock."""

import time

import harness
from clocks import BOARD, SIDES, Model, Table, Watcher


def test_follow_the_levers_times_and_flags():
    with harness.World() as world:
        table = Table(world, time="300+5", scale=5)
        assert table.clock["Mode"] == "follow" and table.clock["WhiteMs"] == 300000
        table.sim.do("press black")  # starts White's clock
        table.wait("Game", "State", "playing")
        table.wait("Clock", "Running", "white")
        for ply, (move, think) in enumerate((("e2e4", 3000), ("e7e5", 5000), ("g1f3", 2000), ("b8c6", 7000)), 1):
            side = SIDES[1 - ply % 2]
            table.move(move, side, think)
            row = table.completed(ply)
            face = table.face()
            for at, mine in ((6, "white"), (7, "black")):
                late = 1500 + 150 * table.scale
                assert abs(row[at] - face[mine]) <= late, f"ply {ply}: {row[6:8]}, the display {face}"
            assert row[9].get("clock-estimated") is None
        table.check_face()
        assert table.error("Clock", "Start", "(a{sv})", {}) == "NotSupported"
        assert table.error("Clock", "Press", "(sa{sv})", "white", {}) == "WrongState"
        assert table.error("Arbiter", "SetTimes", "(xxa{sv})", 1, 1, {}) == "NotSupported"
        assert table.call("Game", "GetPgn")[0].count("[%clk ") == 4

        table.sim.do("time 3 300", "button 3")  # people set the clock anew, and start it
        table.wait("Clock", "Flags", ["white"], 60)
        assert table.of("FlagFell")[-1][2] == "white"
        assert table.claim("black", "flag") == "upheld"
        assert table.ended()[:2] == ("0-1", "time-forfeit")


def test_follow_the_clock_at_whites_right_hand():
    for side, keys in (("right", ()), ("right", ("clock-side=right",)), ("left", ("clock-side=left",))):
        with harness.World() as world:
            table = Table(world, *keys, time="300+5", sim=("--clock-side", side))
            table.sim.do("press black")
            table.wait("Game", "State", "playing")
            table.move("e2e4", "white")
            table.completed(1)
            assert table.clock["WhiteAt"] == side
            table.check_face(white=side)


def test_a_press_that_comes_before_the_slow_board_has_seen_the_move():
    for side in ("left", "right"):
        with harness.World() as world:
            table = Table(world, time="300+5", sim=("--clock-side", side, "--scan-ms", "250"))
            for ply, (at, to) in enumerate((("e2", "e4"), ("e7", "e5"), ("g1", "f3"), ("b8", "c6")), 1):
                table.sim.do(f"lift {at}", f"place {to}", f"press {SIDES[1 - ply % 2]}")
                row = table.completed(ply)
                assert row[3] == at + to and not row[9].get("presumed"), row
            assert table.clock["WhiteAt"] == side


def test_follow_a_clock_that_is_plugged_in_late_and_out():
    with harness.World() as world:
        table = Table(world, clock="none")
        assert table.clock["Mode"] == "none" and table.clock["WhiteMs"] == -1
        table.sim.do("clock dgt3000", "time 300 300")
        table.wait("Clock", "Mode", "follow", 60)
        table.wait("Clock", "WhiteMs", 300000, 60)
        table.sim.do("press black")
        table.wait("Game", "State", "playing")
        table.move("e2e4", "white")
        table.completed(1)
        table.sim.do("clock none")
        table.wait("Clock", "Status", "absent", 60)
        table.move("e7e5")
        assert table.completed(2, 60)[3] == "e7e5", "without a clock the settle time completes"
        table.sim.do("clock dgtxl", "time 200 200")
        table.wait("Clock", "Status", "connected", 60)
        table.wait("Clock", "WhiteMs", 200000, 60)


def test_internal_press_and_release():
    with harness.World() as world:
        table = Table(world, "time-control=300+5", "completion=clock", clock="none", scale=4)
        assert table.clock["Mode"] == "internal" and table.clock["WhiteMs"] == 300000
        watcher = Watcher(table, Model([(0, 300000, 5000, 0)]))
        table.start()
        for ply, move in enumerate(("e2e4", "e7e5", "g1f3"), 1):
            table.move(move)
            table.wait("Game", "MadeMove", move)
            table.call("Clock", "Press", "(sa{sv})", SIDES[1 - ply % 2], {})
            table.completed(ply)
            watcher.follow()
        assert table.clock["Running"] == "black"

        table.sim.do("position rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR")
        table.new_game(completion="release", time_control="60+2")
        table.move("e2e4")
        table.wait("Game", "Ply", 1, 60)
        table.wait("Clock", "Running", "black", 60)
        assert table.clock["WhiteMs"] == table.of("MoveCompleted")[-1][6] >= 60000, "the first move starts the clock"
        table.move("e7e5")
        table.wait("Clock", "Running", "white", 60)
        assert 50000 < table.clock["BlackMs"] < 62000


def test_lateness():
    with harness.World() as world:
        table = Table(world, "time-control=300+5", clock="none", scale=4)
        begin = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())

        table.new_game(start_time=begin, default_time_ms=8000, tempo="standard", supervised=False)
        assert table.ended(80)[0] == "-/-"

        begin = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        ended = len(table.of("GameEnded"))
        table.new_game(start_time=begin, default_time_ms=12000, supervised=False)
        table.call("Arbiter", "PlayerPresent", "(s)", "black")
        table.client.wait(lambda: len(table.of("GameEnded")) > ended, 30, "White's default")
        assert table.of("GameEnded")[-1][2] == "-/+"

        begin = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        table.new_game(start_time=begin, default_time_ms=12000, supervised=True)
        table.call("Arbiter", "PlayerPresent", "(s)", "white")
        question = table.client.wait(lambda: table.of("QuestionAsked") or None, 30, "the question")[-1]
        assert question[3] == "result" and question[4] == ["+/-", "none"]
        table.call("Game", "Answer", "(us)", question[2], "none")
        assert table.game["State"] == "ready"


if __name__ == "__main__":
    harness.run_tests(globals())
