# SPDX-License-Identifier: MIT
"""Drive mode: the service keeps the time, a DGT clock is its face and its lever."""

import clocks
import games
import harness
from clocks import BOARD, SIDES, Model, Table, Watcher


def begin(world, control, *keys, **options):
    table = Table(world, "clock=drive", f"time-control={control}", *keys, **options)
    table.wait("Clock", "Mode", "drive")
    return table


def test_a_whole_game_of_two_periods_with_every_reading_checked():
    game = max(games.read(harness.SOURCE / "tests/cases/famous.pgn"), key=lambda g: len(g.plies))
    assert len(game.plies) > 84, "both sides reach their second period"
    with harness.World() as world:
        table = begin(world, "40/5400+30:1800+30", scale=10)
        watcher = Watcher(table, Model([(40, 5400000, 30000, 0), (0, 1800000, 30000, 0)]))
        table.call("Clock", "Start", "(a{sv})", {})
        fen = games.START
        for ply, (san, uci, after) in enumerate(game.plies, 1):
            side = SIDES[1 - ply % 2]
            table.sim.do(f"wait {2000 + ply * 37 % 3000}", *clocks.hands(uci, fen), "wait 400", f"press {side}")
            assert table.completed(ply, 40)[3] == uci
            watcher.follow()
            if ply % 3 == 0:
                table.check_face()
            fen = after
        assert table.clock["Periods"] == (2, 2)
        assert watcher.checked > 2 * len(game.plies), f"only {watcher.checked} readings"
        print(f"# {watcher.checked} readings checked")


def test_delay_stands_still_first_and_is_not_saved():
    with harness.World() as world:
        table = begin(world, "G/25;d5")
        assert table.clock["TimeControl"] == "G/25;d5" or "d5" in table.clock["TimeControl"]
        watcher = Watcher(table, Model([(0, 1500000, 0, 5000)]))
        table.start()
        for ply, (move, think) in enumerate((("e2e4", 1000), ("e7e5", 9000), ("g1f3", 12000), ("b8c6", 500), ("f1b5", 6000), ("a7a6", 8000)), 1):
            side = SIDES[1 - ply % 2]
            table.move(move, side, think)
            table.completed(ply, 40)
            watcher.follow()
            table.wait_face(runs="")  # the opponent's delay
        times = table.clock
        assert 1490000 - table.tolerance() < times["WhiteMs"] < 1493500, f"White used 0, 7.5 and 1.5 s of his main time: {times}"
        table.wait_face(runs="white")
        table.check_face()


def test_both_flags_and_the_first_one_decides():
    with harness.World() as world:
        table = begin(world, "20s", scale=10)
        table.new_game(enforcement="referee", rules="fide2023", supervised=True)
        table.start()
        table.move("e2e4", "white")
        table.completed(1)
        assert table.ended(40) == ("1-0", "time-forfeit", "6.9")
        assert table.of("FlagFell")[-1][2] == "black"
        clock = table.clock
        assert clock["BlackMs"] == 0 and clock["Flags"] == ["black"] and clock["Running"] == ""
        table.wait_face(black=0, runs="")

        # Observe: the game goes on, both may fall, and the clock has seen whose fell first.
        table.sim.do("position rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR")
        table.new_game(enforcement="observe", rules="fide2023")
        table.sim.do("press black")  # the lever starts White's clock
        table.wait("Clock", "Running", "white")
        table.wait("Clock", "Flags", ["white"], 40)
        assert table.game["State"] == "playing"
        table.move("e2e4", "white")
        table.wait("Clock", "Running", "black")
        table.wait("Clock", "Flags", ["white", "black"], 40)
        assert table.game["State"] == "playing"
        assert table.claim("white", "flag") == "upheld", "it is White who has lost, whoever claims"
        assert table.ended()[0] == "0-1"


def test_flags_by_edition_and_tempo():
    rows = (
        # rules, supervised, who claims, decision, result
        ("fide2009", False, "black", "upheld", "0-1"),      # rapid: a player's claim, own flag up
        ("fide2001", False, "white", "rejected", None),     # the flag that fell is his own
        ("fide2023", False, "black", "upheld", "0-1"),
        ("fide2023", False, "arbiter", None, "0-1"),
        ("fide2009", False, "arbiter", None, None),         # the arbiter keeps silent
    )
    with harness.World() as world:
        table = begin(world, "4s", scale=10)
        for rules, supervised, who, decision, result in rows:
            table.sim.do("position rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR")
            ended = len(table.of("GameEnded"))
            table.new_game(rules=rules, tempo="rapid", supervised=supervised)
            ended = len(table.of("GameEnded"))
            table.start()
            table.wait("Clock", "Flags", ["white"], 40)
            assert table.game["State"] == "playing", "nobody has said a word"
            if who == "arbiter":
                table.call("Arbiter", "ObserveFlag", "(s)", "white")
            else:
                assert table.claim(who, "flag") == decision, rules
            table.client.pump()
            if result:
                table.client.wait(lambda: len(table.of("GameEnded")) > ended, 5, f"the end, {rules}")
                assert table.of("GameEnded")[-1][2:4] == (result, "time-forfeit")
            else:
                assert table.game["State"] == "playing", rules


def test_flag_against_a_lone_king_is_a_draw():
    with harness.World() as world:
        table = begin(world, "4s", scale=10)
        table.sim.do("position 4k3/8/8/8/8/8/4P3/4K3")
        table.new_game(fen="4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", enforcement="referee", supervised=True)
        table.start()
        assert table.ended(40) == ("1/2-1/2", "time-forfeit-draw", "6.9")


def test_players_and_arbiters_stops():
    with harness.World() as world:
        table = begin(world, "300")
        watcher = Watcher(table, Model([(0, 300000, 0, 0)]))
        table.start()
        assert table.error("Clock", "Start", "(a{sv})", {}) == "WrongState"
        table.move("e2e4", "white")
        table.completed(1)
        table.stop()
        clock = table.wait_clock(lambda c: c["StoppedBy"] == "player", "the player's stop")
        assert clock["Running"] == "" and table.game["State"] == "paused"
        table.wait_face(runs="")
        stood = clock["BlackMs"]
        table.sim.do("wait 4000", "display")
        table.check_face()
        table.start()
        assert abs(table.clock["BlackMs"] - stood) < 50 and table.clock["Running"] == "black"

        table.call("Arbiter", "StopClocks")
        table.wait_clock(lambda c: c["StoppedBy"] == "arbiter", "the arbiter's stop")
        assert table.error("Clock", "Start", "(a{sv})", {}) == "WrongState", "only the arbiter ends his stop"
        table.call("Arbiter", "Resume")
        assert table.clock["StoppedBy"] == "" and table.clock["Running"] == "black"
        table.wait_face(runs="black")
        table.call("Game", "CallArbiter", "(ssa{sv})", "black", "a queen, please", {})
        assert table.clock["StoppedBy"] == "player" and table.game["State"] == "paused"
        table.call("Arbiter", "Resume")
        watcher.follow()


def test_times_set_added_and_given_as_penalties():
    with harness.World() as world:
        table = begin(world, "40/5400+30:1800+30")
        table.start()
        table.move("e2e4", "white")
        table.completed(1)
        table.call("Arbiter", "SetTimes", "(xxa{sv})", 600000, -1, {})
        assert table.clock["WhiteMs"] == 600000
        table.check_face()
        table.call("Arbiter", "AddTime", "(xxs)", 120000, -60000, "noise in the hall")
        assert table.clock["WhiteMs"] == 720000
        table.check_face()
        table.call("Arbiter", "Penalise", "(ssxs)", "black", "add-opponent-time", 120000, "talking")
        assert table.clock["WhiteMs"] == 840000
        table.call("Arbiter", "Penalise", "(ssxs)", "white", "reduce-own-time", 40000, "talking")
        assert table.clock["WhiteMs"] == 800000
        table.check_face()
        table.call("Arbiter", "SetMoveCounter", "(uu)", 39, 39)
        assert table.clock["Periods"] == (1, 1)
        table.move("e7e5", "black")
        table.completed(2)
        assert table.clock["Periods"] == (1, 2), "Black's fortieth move"
        assert table.shown("black") > 5300000 + 1800000 - 60000
        table.check_face()
        for arguments in ((-2, 0), (0, 10**12)):
            assert table.error("Arbiter", "SetTimes", "(xxa{sv})", *arguments, {}) == "BadOption"
        table.call("Arbiter", "SetTimes", "(xxa{sv})", 0, -1, {})
        table.wait("Clock", "Flags", ["white"])


def test_a_draw_claim_stops_the_clock():
    with harness.World() as world:
        table = begin(world, "300")
        table.new_game(enforcement="referee", supervised=True)
        table.start()
        table.move("e2e4", "white")
        table.completed(1)
        white = table.clock["WhiteMs"]
        assert table.claim("black", "repetition") == "rejected"
        clock = table.clock
        assert clock["Running"] == "" and clock["StoppedBy"] == "player", "9.5.1"
        assert clock["WhiteMs"] == white + 60000, "9.5.3: two minutes, in blitz one"
        assert table.game["DrawOffer"] == "black", "9.1.2.3"
        table.wait_face(runs="")
        table.call("Arbiter", "Resume")
        assert table.clock["Running"] == "black"


def test_a_restored_position_and_its_times():
    with harness.World() as world:
        table = begin(world, "300+5")
        table.start()
        for ply, move in enumerate(("e2e4", "e7e5", "g1f3"), 1):
            table.move(move, SIDES[1 - ply % 2], 3000)
            table.completed(ply)
        then = table.of("MoveCompleted")[1][6:8]
        table.call("Arbiter", "RestorePosition", "(ua{sv})", 2, {})
        assert table.game["State"] == "paused" and table.clock["StoppedBy"] == "arbiter"
        assert "times" in table.attention(), f"the times at the start of that turn are proposed (6.13): {table.attention()}"
        table.sim.do("lift f3", "wait 200", "place g1")
        table.wait("Game", "Discrepancy", [])
        table.call("Arbiter", "SetTimes", "(xxa{sv})", *then, {})
        table.call("Arbiter", "Resume")
        clock = table.clock
        assert clock["Running"] == "white" and clock["BlackMs"] == then[1]
        assert "times" not in table.attention()
        table.check_face()
        table.sim.do("press black")  # the lever is put right
        table.move("g1f3", "white")
        table.completed(3)
        table.check_face()


def test_cable_out_and_in_with_running_clocks():
    with harness.World() as world:
        table = begin(world, "300+5", scale=4)
        watcher = Watcher(table, Model([(0, 300000, 5000, 0)]))
        table.start()
        table.move("e2e4", "white")
        table.completed(1)
        table.sim.do("cable-out 6000")
        table.wait("Board", "Status", "absent")
        assert table.clock["Mode"] == "drive" and table.clock["Running"] == "black"
        table.wait("Board", "Status", "connected", 40)
        table.wait("Clock", "Status", "connected", 40)
        table.check_face(virtual=40)
        table.move("e7e5", "black")
        table.completed(2)
        watcher.follow()
        table.check_face()

        # A whole move with its press while the cable is out.
        table.sim.do("cable-out 8000", "wait 1000", "lift g1", "wait 200", "place f3", "wait 300", "press white")
        table.wait("Board", "Status", "absent")
        table.wait("Board", "Status", "connected", 40)
        assert table.completed(3, 40)[3] == "g1f3"
        table.wait_clock(lambda c: c["Running"] == "black", "Black's clock", 40)
        table.check_face(virtual=40)
        table.move("b8c6", "black")
        assert table.completed(4)[3] == "b8c6"
        assert table.clock["Running"] == "white"
        assert not table.of("Incident"), table.of("Incident")


def test_a_clock_that_comes_late_goes_and_is_replaced():
    with harness.World() as world:
        table = Table(world, "clock=drive", "time-control=300+5", clock="none")
        assert table.clock["Mode"] == "internal" and table.clock["Status"] == "absent"
        table.start()
        table.move("e2e4", think=500)
        table.wait("Game", "MadeMove", "e2e4")
        table.call("Clock", "Press", "(sa{sv})", "white", {})
        table.completed(1)
        table.sim.do("clock dgt3000")
        table.wait("Clock", "Mode", "drive", 60)
        table.wait("Clock", "Status", "connected", 60)
        assert table.clock["Running"] == "black"
        table.check_face(virtual=60)
        table.sim.do("press white")
        table.move("e7e5", "black")
        table.completed(2)
        table.sim.do("clock none")
        table.wait("Clock", "Status", "absent", 60)
        assert table.clock["Running"] == "white", "the time is the service's"
        table.sim.do("clock dgtxl")
        table.wait("Clock", "Status", "connected", 60)
        table.check_face(virtual=60)
        table.move("g1f3", "white")
        table.completed(3)
        table.check_face()
        assert table.clock["Model"].startswith("DGT XL")


def test_a_clock_in_the_wrong_option():
    with harness.World() as world:
        table = begin(world, "300+5")
        table.sim.do("option 1")
        table.start()
        clock = table.wait_clock(lambda c: c["Status"] == "wrong-mode", "the wrong option")
        assert "25" in clock["StatusText"] and "23" in clock["StatusText"]
        assert "clock-mode" in table.attention()
        table.move("e2e4", "white")
        table.completed(1)
        table.sim.do("wait 5000", "display")
        assert table.clock["Status"] == "wrong-mode", "it is said as long as it lasts"
        assert table.clock["Running"] == "black", "the game goes on"
        table.sim.do("option 25")
        table.wait("Clock", "Status", "connected", 60)
        assert table.clock["StatusText"] == "" and "clock-mode" not in table.attention()
        table.check_face()


def test_a_clock_that_does_not_answer():
    with harness.World() as world:
        table = begin(world, "300+5", scale=8)
        table.start()
        table.wait_face(runs="white")
        table.sim.do("ack lose 1000")
        table.move("e2e4", "white")
        table.completed(1)
        clock = table.wait_clock(lambda c: c["Status"] == "silent", "the silence", 60)
        assert clock["StatusText"]
        table.move("e7e5", "black", 6000)
        table.completed(2)
        assert table.clock["Status"] == "silent", "its readings do not say that it obeys"
        table.sim.do("ack lose 0")
        table.move("g1f3", "white")
        table.completed(3)
        table.wait("Clock", "Status", "connected", 60)
        table.check_face()


def test_batteries():
    with harness.World() as world:
        table = begin(world, "300+5")
        assert table.client.get(BOARD, "Board", "BatteryPercent") > 0
        table.sim.do("clock battery low")
        clock = table.wait_clock(lambda c: "battery" in c["StatusText"], "the clock's battery")
        assert clock["Status"] == "connected"
        table.sim.do("clock battery good")
        table.wait("Clock", "StatusText", "")


def test_a_press_after_the_reply_and_a_forgotten_one():
    with harness.World() as world:
        table = begin(world, "300+5")
        table.start()
        table.move("e2e4")                     # White forgets the clock,
        table.move("e7e5")                     # Black replies:
        table.sim.do("press white")            # 6.2.2
        table.completed(1)
        table.sim.do("wait 800", "press black")
        table.completed(2)
        table.wait_clock(lambda c: c["Running"] == "white", "White's clock")
        table.move("g1f3", "white")
        row = table.completed(3)
        assert row[3] == "g1f3"
        moves = [row[3] for row in table.of("MoveCompleted")]
        assert moves == ["e2e4", "e7e5", "g1f3"], moves
        assert table.clock["Running"] == "black"
        table.check_face()


def test_the_clock_at_whites_right():
    with harness.World() as world:
        table = begin(world, "300+5", sim=("--clock-side", "right"))
        table.start()
        table.move("e2e4", "white")
        table.completed(1)
        assert table.clock["WhiteAt"] == "right" and table.clock["Running"] == "black"
        table.check_face(white="right")
        table.move("e7e5", "black")
        table.completed(2)
        table.check_face(white="right")


if __name__ == "__main__":
    harness.run_tests(globals())
