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
