# SPDX-License-Identifier: MIT
"""What boards of other makers can and cannot do: LEDs, cables, what is learned of a board, and what sensors cannot know."""

import harness

BOARD = "Table 1"
SPEED = 2 if harness.SLOW > 1 else 6
PROTOCOLS = {"chessnut": "chessnut", "millennium": "millennium", "certabo": "certabo", "sentio": "certabo", "sentio-colour": "certabo"}


def begin(world, protocol, orientation="normal"):
    sim = world.sim("board", "--protocol", protocol, "--orientation", orientation, "--speed", SPEED)
    # Which side is White's, occupancy does not tell before a move.
    told = "" if protocol != "sentio" else f",orientation={orientation}"
    daemon = world.daemon(f"{BOARD},{PROTOCOLS[protocol]},{sim.link}{told}", arguments=["--time-scale", str(SPEED)])
    client = world.client()
    client.wait_property(BOARD, "Game", "State", "ready")
    return sim, daemon, client


def play(sim, client, move, ply):
    sim.do(f"lift {move[:2]}", "wait 400", f"place {move[2:]}")
    client.wait_property(BOARD, "Game", "Ply", ply)


def lit(sim):
    """The squares that the board says are lit."""
    before = sim.said().count("leds")
    sim.do("leds")
    harness.wait_until(lambda: sim.said().count("leds") > before, what="the LEDs")
    return [line for line in sim.said().splitlines() if line.startswith("leds")][-1].split()[1:]


def check_leds(protocol, orientation="normal"):
    with harness.World() as world:
        sim, _, client = begin(world, protocol, orientation)
        assert client.get(BOARD, "Board", "HasLeds")
        client.call(BOARD, "Board", "SetLeds", "(as)", ["a1", "e4", "h6"])
        harness.wait_until(lambda: lit(sim) == ["a1", "e4", "h6"], what="three lights")
        client.call(BOARD, "Board", "SetLeds", "(as)", [])
        harness.wait_until(lambda: lit(sim) == [], what="no light")

        # Players are shown nothing.
        play(sim, client, "e2e4", 1)
        assert client.error(BOARD, "Board", "SetLeds", "(as)", ["e5"]) == "GameInProgress"
        assert lit(sim) == []


def test_leds_of_chessnut():
    check_leds("chessnut")


def test_leds_of_chessnut_turned():
    check_leds("chessnut", "rotated")


def test_leds_of_millennium():
    check_leds("millennium")


def test_leds_of_sentio_turned():
    check_leds("sentio", "rotated")


def test_leds_help_to_put_men_right():
    """Before a game and after the arbiter's restored position; never while a game is played."""
    with harness.World() as world:
        sim, _, client = begin(world, "chessnut")
        sim.do("lift h7", "wait 100", "place h6")
        client.wait_property(BOARD, "Game", "State", "setup")
        harness.wait_until(lambda: lit(sim) == ["h6", "h7"], what="the misplaced pawn")
        sim.do("lift h6", "wait 100", "place h7")
        harness.wait_until(lambda: lit(sim) == [], what="darkness")

        client.wait_property(BOARD, "Game", "State", "ready")
        play(sim, client, "e2e4", 1)
        play(sim, client, "e7e5", 2)
        sim.do("lift d1", "wait 3000")  # a man in the air, and no light of what it might do
        assert lit(sim) == []
        sim.do("place d1")
        client.call(BOARD, "Arbiter", "RestorePosition", "(ua{sv})", 1, {})
        harness.wait_until(lambda: lit(sim) == ["e5", "e7"], what="the move that was taken back")
        sim.do("lift e5", "wait 100", "place e7")
        harness.wait_until(lambda: lit(sim) == [], what="darkness")

        # More than a slip is no slip: the men are put away.
        client.call(BOARD, "Arbiter", "DeclareResult", "(ssa{sv})", "1/2-1/2", "", {})
        sim.do("position 8/8/8/8/8/8/8/8", "wait 1000")
        assert lit(sim) == []


def test_leds_of_a_training_game():
    """A program shows the move that it plays, until it is on the board and the program says otherwise."""
    with harness.World() as world:
        sim, _, client = begin(world, "chessnut")
        client.call(BOARD, "Game", "NewGame", "(a{sv})", {"training": harness.GLib.Variant("b", True)})
        client.wait_property(BOARD, "Game", "State", "ready")
        play(sim, client, "e2e4", 1)
        client.call(BOARD, "Board", "SetLeds", "(as)", ["e7", "e5"])
        harness.wait_until(lambda: lit(sim) == ["e5", "e7"], what="the program's move")
        play(sim, client, "e7e5", 2)
        assert lit(sim) == ["e5", "e7"]
        client.call(BOARD, "Board", "SetLeds", "(as)", [])
        harness.wait_until(lambda: lit(sim) == [], what="darkness")


def test_what_is_sensed_is_told():
    told = {"chessnut": "identity", "millennium": "identity", "certabo": "identity", "sentio": "occupancy", "sentio-colour": "colour"}
    with harness.World() as world:
        sims = [world.sim(protocol, "--protocol", protocol, "--speed", SPEED) for protocol in told]
        world.daemon(*(f"{protocol},{PROTOCOLS[protocol]},{sim.link}" for protocol, sim in zip(told, sims)), arguments=["--time-scale", str(SPEED)])
        client = world.client()
        for protocol, sensing in told.items():
            client.wait_property(protocol, "Board", "Sensing", sensing)
            client.wait_property(protocol, "Game", "State", "ready")


def check_cable(protocol):
    with harness.World() as world:
        sim, _, client = begin(world, protocol)
        play(sim, client, "e2e4", 1)
        play(sim, client, "e7e5", 2)
        game = client.get(BOARD, "Game", "Id")
        sim.do("cable-out 6000")
        client.wait_property(BOARD, "Board", "Status", "absent")
        client.wait_property(BOARD, "Board", "Status", "connected")
        play(sim, client, "g1f3", 3)
        assert client.get(BOARD, "Game", "Id") == game
        assert client.get(BOARD, "Game", "San") == ["e4", "e5", "Nf3"]


def test_cable_of_chessnut():
    check_cable("chessnut")


def test_cable_of_millennium():
    check_cable("millennium")


def test_cable_of_sentio():
    check_cable("sentio")


def test_a_board_of_chips_is_remembered():
    with harness.World() as world:
        sim, daemon, client = begin(world, "certabo")
        client.wait_property(BOARD, "Board", "Sensing", "identity")
        assert client.get(BOARD, "Board", "Position") == "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"
        daemon.end()

        # Nothing that it could learn from stands on the board.
        sim.do("position 4k3/8/8/3q4/3Q4/8/PPP5/4K2R")
        world.daemon(f"{BOARD},certabo,{sim.link}")
        client.wait_property(BOARD, "Board", "Position", "4k3/8/8/3q4/3Q4/8/PPP5/4K2R")
        assert client.get(BOARD, "Board", "Sensing") == "identity"


def check_promotion(protocol, piece):
    """The board cannot tell the new man: somebody is asked."""
    fen = "7k/P7/8/8/8/8/8/K7 w - - 0 1"
    with harness.World() as world:
        sim, _, client = begin(world, protocol)
        sim.do(f"position {fen.split()[0]}")
        client.call(BOARD, "Game", "NewGame", "(a{sv})", {"fen": harness.GLib.Variant("s", fen)})
        client.wait_property(BOARD, "Game", "State", "ready")
        sim.do("lift a7", "wait 400", "place a8 N")
        question = client.wait(lambda: client.of(BOARD, "QuestionAsked") or None, 10, "the question")[0]
        assert question[3] == "promotion" and sorted(question[4]) == ["b", "n", "q", "r"], question
        client.call(BOARD, "Game", "Answer", "(us)", question[2], piece)
        client.wait_property(BOARD, "Game", "Moves", [f"a7a8{piece}"])


def test_promotion_by_occupancy():
    check_promotion("sentio", "n")


def test_promotion_by_colour():
    check_promotion("sentio-colour", "r")


harness.run_tests(globals())
