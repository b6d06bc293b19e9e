# SPDX-License-Identifier: MIT
"""Article 4 live: sensors, daemon and bus between a hand and who hears of it."""

import harness
from clocks import BOARD, Table


def touches(table):
    """PieceTouched so far: (side, square, adjusting)."""
    return [(row[2], row[3], row[5]) for row in table.of("PieceTouched")]


def incidents(table):
    """Incident so far: (code, class, side, article)."""
    return [row[2:6] for row in table.of("Incident")]


def wait_incident(table, code, virtual=20):
    """The Incident of this code, when it has come: all its arguments."""
    rows = table.client.wait(lambda: [row for row in table.client.of(BOARD, "Incident") if row[2] == code] or None, table.seconds(virtual),
                             f"the incident {code}")
    return rows[-1]


def put_right(table, *men):
    """Men go back: pairs of squares."""
    for origin, target in men:
        table.sim.do(f"lift {origin}", "wait 300", f"place {target}", "wait 300")
    table.wait("Game", "Discrepancy", [])


def test_half_a_second_of_touch_binds_on_a_slow_board():
    with harness.World() as world:
        table = Table(world, sim=("--scan-ms", 200), clock="none")
        table.new_game(time_control="5400+30", completion="clock")
        table.start()
        table.sim.do("lift e2", "wait 250", "place e4", "wait 600")
        table.wait("Game", "MadeMove", "e2e4")
        table.call("Clock", "Press", "(sa{sv})", "white", {})
        table.completed(1)
        table.sim.do("lift b8", "wait 500", "place b8", "wait 800")
        table.wait("Touch", "Touched", ["b8"])
        table.sim.do("lift e7", "wait 300", "place e5", "wait 600")
        row = wait_incident(table, "touch-move")
        assert row[4:6] == ("black", "4.3.1") and row[3] in ("breach", "presumed") and row[6]["claimable"] is True
        table.call("Clock", "Press", "(sa{sv})", "black", {})
        table.completed(2)
        assert touches(table) == [("white", "e2", False), ("black", "b8", False), ("black", "e7", False)], "each touch once"


def test_a_blink_of_a_slow_sensor_is_no_touch():
    with harness.World() as world:
        table = Table(world, sim=("--scan-ms", 200), clock="none")
        table.new_game(time_control="5400+30", completion="clock")
        table.start()
        for square in ("b1", "g1", "c1"):
            table.sim.do(f"lift {square}", "wait 45", f"place {square}", "wait 1000")
        table.sim.do("lift e2", "wait 250", "place e4", "wait 600")
        table.wait("Game", "MadeMove", "e2e4")
        table.call("Clock", "Press", "(sa{sv})", "white", {})
        table.completed(1)
        assert incidents(table) == []


def test_an_announced_adjustment():
    with harness.World() as world:
        table = Table(world, scale=10, clock="none")
        table.new_game(time_control="5400+30", completion="clock")
        table.start()
        table.call("Touch", "Adjust", "(sa{sv})", "white", {})
        assert table.client.get(BOARD, "Touch", "Adjusting") == "white"
        for square in ("g1", "d7", "g1"):
            table.sim.do(f"lift {square}", "wait 500", f"place {square}", "wait 700")
        table.client.wait(lambda: len(touches(table)) == 3 or None, table.seconds(20), "three men lifted")
        table.call("Touch", "EndAdjust", "(sa{sv})", "white", {})
        assert touches(table) == [("white", "g1", True), ("white", "d7", True), ("white", "g1", True)]
        assert table.client.get(BOARD, "Touch", "Touched") == []
        assert len(table.client.get(BOARD, "Touch", "Permitted")) == 20
        assert incidents(table) == []

        table.call("Touch", "Adjust", "(sa{sv})", "black", {})
        assert wait_incident(table, "adjust-not-on-move")[3:6] == ("breach", "black", "4.2.1")


def illegal_move_played_on(table):
    """1.e4 Ng8-g6? 2.d4: nobody noticed."""
    for origin, target in (("e2", "e4"), ("g8", "g6"), ("d2", "d4")):
        table.sim.do("wait 1500", f"lift {origin}", "wait 400", f"place {target}", "wait 1500")
    table.completed(3, 40)


def test_a_referee_asks_whether_an_illegal_move_stands():
    with harness.World() as world:
        table = Table(world, scale=10, clock="none")
        table.new_game(enforcement="referee", completion="release", supervised=True, tempo="standard")
        illegal_move_played_on(table)
        assert wait_incident(table, "illegal-unnoticed")[3:6] == ("breach", "black", "7.5.1")
        (question, kind, choices), = table.game["Questions"]
        assert (kind, choices) == ("illegal-stands", ["restore", "stands"])
        assert table.game["State"] == "paused" and table.of("QuestionAsked")[-1][2:5] == (question, kind, choices)
        assert table.game["San"] == ["e4", "--", "d4"]

        table.call("Game", "Answer", "(us)", question, "restore")
        row = table.client.wait(lambda: table.of("MovesRetracted") or None, 10, "MovesRetracted")[-1]
        assert (row[2], row[4], row[5]) == (1, ["g8g6", "d2d4"], "arbiter")
        row = wait_incident(table, "illegal-move")
        assert row[3:6] == ("breach", "black", "7.5.1") and (row[6]["penalty"], row[6]["count"]) == ("+120 white", 1)
        assert table.game["IllegalMoves"] == (0, 1) and table.game["Questions"] == []
        assert sorted(table.client.get(BOARD, "Touch", "Permitted")) == ["g8f6", "g8h6"], "the knight was touched"
        assert table.error("Arbiter", "Resume") == "WrongState", "the men are not back yet"
        put_right(table, ("d4", "d2"), ("g6", "g8"))
        table.call("Arbiter", "Resume")
        table.sim.do("lift g8", "wait 400", "place f6")
        table.client.wait(lambda: table.of("MoveCompleted")[-1][2:4] == (2, "g8f6") or None, table.seconds(20), "the knight's legal move")


def test_an_illegal_move_that_stands_and_a_later_ruling():
    with harness.World() as world:
        table = Table(world, scale=10, clock="none")
        table.new_game(enforcement="referee", completion="release", supervised=True, tempo="standard")
        illegal_move_played_on(table)
        (question, _, _), = table.game["Questions"]
        assert table.error("Game", "Answer", "(us)", question, "perhaps") == "BadOption"
        table.call("Game", "Answer", "(us)", question, "stands")
        assert table.error("Game", "Answer", "(us)", question, "restore") == "Stale"
        table.wait("Game", "State", "playing")
        assert table.game["Ply"] == 3
        assert table.claim("white", "illegal-move") == "upheld", "found during the game, it is restored (7.5.1)"
        table.wait("Game", "Ply", 1)
        assert table.of("MovesRetracted")[-1][5] == "claim"


def test_a_game_begun_with_colours_reversed():
    with harness.World() as world:
        table = Table.__new__(Table)
        table.world, table.scale = world, 5
        table.sim = world.sim("board", "--clock", "none", "--scan-ms", 50, "--speed", 5, "--orientation", "rotated")
        table.daemon = world.daemon(f"{BOARD},dgt,{table.sim.link},orientation=normal", arguments=["--time-scale", "5"])
        table.client = world.client()
        table.wait("Game", "State", "setup")
        assert "colours are reversed" in table.attention()["set-up"]
        table.move("e2e4")
        row = wait_incident(table, "colours-reversed")
        assert row[3:6] == ("breach", "", "7.3") and row[6]["remedy"] == "new-game"
        assert table.completed(1)[3] == "e2e4"
        assert "new one played" in table.attention()["colours"]


def test_king_and_queen_in_each_others_place():
    with harness.World() as world:
        table = Table(world, "rules=seed002", "tempo=rapid", scale=8, clock="none")
        table.sim.do("position rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBKQBNR w KQkq - 0 1")
        table.wait("Game", "State", "setup")
        table.wait("Game", "Discrepancy", ["d1", "e1"])
        table.move("e2e4")
        row = wait_incident(table, "wrong-start-position")
        assert row[3:6] == ("breach", "white", "002-rapid") and row[6]["remedy"] == "new-game"
        table.completed(1)
        for ply, move in enumerate(("e7e5", "g1f3", "b8c6", "f1c4", "g8f6"), 2):
            table.move(move)
            table.completed(ply)
        row = table.client.wait(lambda: [row for row in table.of("Incident") if row[6].get("remedy") == "no-castling"] or None, 10,
                                "the remedy after three moves")[-1]
        assert row[2:6] == ("wrong-start-position", "note", "white", "002-rapid")
        assert " KQ" not in table.game["Fen"], "that king may not castle"


if __name__ == "__main__":
    harness.run_tests(globals())
