# SPDX-License-Identifier: MIT
"""The service is started again while clocks run, and clocks go wrong in other ways: what is kept, what is charged, what is estimated."""

import time

import clocks
import harness
from clocks import BOARD, SIDES, Table


def restart(table, pause, killed=True):
    """The service goes, in order or by force, and is back after so many seconds of the scaled time."""
    if killed:
        table.daemon.kill()
    else:
        table.daemon.end()
        table.world.processes.remove(table.daemon)
    time.sleep(pause / table.scale)
    table.daemon = table.world.daemon(table.board, arguments=table.arguments)
    table.client.wait_property(BOARD, "Board", "Status", "connected", 60)


def play(table, moves, first=1):
    for ply, move in enumerate(moves, first):
        table.move(move, SIDES[1 - ply % 2])
        assert table.completed(ply, 40)[3] == move


def test_a_driven_clock_has_counted_meanwhile():
    for killed in (True, False):
        with harness.World() as world:
            table = Table(world, "clock=drive", "time-control=5400+30", scale=4)
            table.start()
            play(table, ("e2e4", "e7e5", "g1f3"))
            table.check_face()
            before, shown = table.clock, table.shown("black")
            restart(table, 20, killed)
            table.wait("Clock", "Status", "connected", 60)
            assert table.game["State"] == "playing" and table.clock["Running"] == "black"
            assert table.clock["WhiteMs"] == before["WhiteMs"], "White's clock stood"
            assert table.shown("black") < shown - 20000 + table.tolerance(), "Black's ran on, on the table and here"
            table.check_face(virtual=60)
            play(table, ("b8c6", "f1b5"), 4)
            assert table.call("Game", "GetPgn")[0].count("[%clk ") == 5
            table.check_face()


def test_a_driven_clock_that_was_switched_off_meanwhile_gets_its_times_back():
    with harness.World() as world:
        table = Table(world, "clock=drive", "time-control=5400+30", scale=4)
        table.start()
        play(table, ("e2e4", "e7e5"))
        white = table.shown("white")
        table.daemon.kill()
        table.sim.do("clock none", "clock dgt3000")  # new, and standing at its own times
        table.daemon = world.daemon(table.board, arguments=table.arguments)
        table.wait("Clock", "Status", "connected", 60)
        assert table.clock["Running"] == "white"
        assert table.clock["WhiteMs"] <= white
        table.check_face(virtual=60)
        play(table, ("g1f3",), 3)
        table.check_face()


def test_without_a_clock_a_short_stop_is_charged_and_a_long_one_is_not():
    for resume_ms, goes_on in ((60000, True), (0, False)):
        with harness.World() as world:
            table = Table(world, "time-control=5400+30", "completion=clock", f"resume-ms={resume_ms}", clock="none", scale=4)
            table.start()
            table.move("e2e4")
            table.wait("Game", "MadeMove", "e2e4")
            table.call("Clock", "Press", "(sa{sv})", "white", {})
            table.completed(1)
            white, black = table.clock["WhiteMs"], table.shown("black")
            restart(table, 8)
            clock = table.clock
            assert clock["WhiteMs"] == white
            if goes_on:
                assert table.game["State"] == "playing" and clock["Running"] == "black"
                assert table.shown("black") < black - 8000 + table.tolerance()
            else:
                assert table.game["State"] == "paused" and clock["Running"] == ""
                assert clock["BlackMs"] > black - table.tolerance(), "the stop is not charged"
                assert "restarted" in table.attention(), table.attention()
                table.call("Arbiter", "Resume")
                assert table.clock["Running"] == "black"
            table.move("e7e5")
            table.wait("Game", "MadeMove", "e7e5")
            table.call("Clock", "Press", "(sa{sv})", "black", {})
            assert table.completed(2)[3] == "e7e5"


def test_a_followed_clock_is_read_again_and_is_right():
    with harness.World() as world:
        table = Table(world, time="5400+30", scale=4)
        table.sim.do("press black")
        table.wait("Game", "State", "playing")
        play(table, ("e2e4", "e7e5"))
        restart(table, 12)
        table.wait("Clock", "Running", "white", 60)
        table.check_face(virtual=60)
        play(table, ("g1f3",), 3)
        table.check_face()


def test_a_reading_that_is_missing_is_estimated_and_says_so():
    with harness.World() as world:
        table = Table(world, time="5400+30", scale=4)
        table.sim.do("press black")
        table.wait("Game", "State", "playing")
        play(table, ("e2e4",))
        table.wait("Clock", "Running", "black")
        black = table.clock["BlackMs"]
        table.sim.do("clock none")
        table.wait("Clock", "Status", "absent", 60)
        table.move("e7e5", think=8000)
        row = table.completed(2, 60)
        assert row[9]["clock-estimated"] is True
        assert black - 60000 < row[7] <= black - 7000, f"{row[6:8]}: eight seconds and more have passed since {black}"
        pgn = table.call("Game", "GetPgn")[0]
        assert pgn.count("[%clk ") == 2 and "estimated" in pgn, pgn


def test_a_new_clock_whose_lever_is_on_the_wrong_side():
    with harness.World() as world:
        table = Table(world, "clock=drive", "time-control=5400+30", scale=4)
        table.start()
        play(table, ("e2e4", "e7e5", "g1f3"))
        table.sim.do("clock none")
        table.wait("Clock", "Status", "absent", 60)
        table.sim.do("clock dgtxl")  # with White's side of the lever up, as if Black had pressed
        table.wait("Clock", "Status", "connected", 60)
        assert table.clock["Running"] == "black", "6.10: nobody has pressed"
        table.check_face(virtual=60)
        table.move("b8c6")
        table.sim.do("press white", "wait 400", "press black")  # the lever is put right, and then pressed
        assert table.completed(4)[3] == "b8c6"
        table.wait_clock(lambda clock: clock["Running"] == "white", "White's clock")
        assert not table.of("Incident"), table.of("Incident")
        table.check_face()


def test_byoyomi_and_the_sand_of_an_hourglass():
    with harness.World() as world:
        table = Table(world, "clock=drive", scale=4)
        table.new_game(time_control="6+2x8", completion="clock")
        table.start()
        clock = table.wait_clock(lambda c: 6000 < c["WhiteMs"] <= 8000 and c["Running"] == "white", "White's byo-yomi", 40)
        assert clock["Flags"] == [] and clock["BlackMs"] == 6000
        table.move("e2e4", "white", 100)
        row = table.completed(1)
        assert row[6:8] == (8000, 6000), "a byo-yomi period that sufficed is whole again"
        table.check_face()
        table.wait("Clock", "Flags", ["black"], 60)
        table.wait_face(black=0)

    with harness.World() as world:
        table = Table(world, "clock=drive", scale=4)
        table.new_game(time_control="*60", completion="clock")
        table.start()
        table.move("e2e4", "white", 3000)
        white, black = table.completed(1)[6:8]
        assert 120000 <= white + black <= 120001 and 50000 < white < 58000, (white, black)
        table.check_face()


if __name__ == "__main__":
    harness.run_tests(globals())
