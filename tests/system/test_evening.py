# SPDX-License-Identifier: MIT
"""A whole evening at the club: eight boards, one round, run by adoubectl from another process as a secretary and an arbiter would.

Each command is printed as it is typed, with its answer. Hands and clocks are the virtual boards'; everything else goes through adoubectl.
"""

import json
import re
import time

import harness

BOARDS = [f"Table {number}" for number in range(1, 9)]
ROUND = """board,white,black,time control
Table 1,"Morphy, Paul","Anderssen, Adolf",90m+30s
Table 2,"Lasker, Emanuel","Tarrasch, Siegbert",90m+30s
Table 3,"Capablanca, José Raúl","Marshall, Frank",90m+30s
Table 4,"Steinitz, Wilhelm","Zukertort, Johannes",90m+30s
Table 5,"Menchik, Vera","Euwe, Max",90m+30s
Table 6,"Tal, Mikhail","Botvinnik, Mikhail",90m+30s
Table 7,"Polgár, Judit","Spassky, Boris",90m+30s
Table 8,"Réti, Richard","Alekhine, Alexander",90m+30s
"""


class Evening:
    def __init__(self, world):
        self.world = world
        self.sims = {name: world.sim(f"board-{number}", "--serial", 100 + number) for number, name in enumerate(BOARDS, 1)}
        self.client = world.client()
        self.start()

    def incidents(self, name):
        """The codes and sides of the board's incidents so far."""
        time.sleep(0.3)
        self.client.pump()
        return [(code, side) for _, _, code, _, side, *_ in self.client.of(name, "Incident")]

    def start(self):
        boards = [f"{name},dgt,{sim.link}" for name, sim in self.sims.items()]
        self.daemon = self.world.daemon(*boards)

    def type(self, *words):
        """Types a command, which must succeed; gives what it said."""
        print("$ adoubectl", " ".join(f"'{word}'" if re.search(r"[ ,;]", word) else word for word in words), flush=True)
        said = self.world.ctl(*words)
        print(said, end="", flush=True)
        return said

    def refused(self, *words):
        """Types a command that is refused; gives the reason."""
        print("$ adoubectl", " ".join(words), flush=True)
        status, _, why = self.world.ctl(*words, check=False)
        print(why, end="", flush=True)
        assert status == 1, f"adoubectl {words} ended with {status}"
        return why

    def board(self, name):
        return json.loads(self.world.ctl("--json", "show", name))

    def wait(self, name, what, interface, key, value, seconds=10):
        """Waits until a property has this value, or fulfils this condition."""
        fits = value if callable(value) else lambda got: got == value

        def look():
            return fits(self.board(name)[interface][key])
        try:
            harness.wait_until(look, seconds, f"{name}: {what}", 0.1)
        except AssertionError as error:
            raise AssertionError(f"{error}: {interface}.{key} is {self.board(name)[interface][key]!r}")

    def move(self, name, ply, squares, side, *hands):
        """One move by hand and by `clock press`; waits until it is completed."""
        origin, target = squares.split()
        self.sims[name].do(*(hands or (f"lift {origin}", "wait 200", f"place {target}")))
        # A player looks before he presses.
        self.wait(name, f"{squares} stands", "Board", "Position", lambda placement: occupied(placement, target) and not occupied(placement, origin))
        self.world.ctl("clock", "press", name, side)
        self.wait(name, f"ply {ply}, {squares}", "Game", "Ply", ply)


def occupied(placement, square):
    rank = placement.split("/")[8 - int(square[1])]
    return "".join("." * int(c) if c.isdigit() else c for c in rank)["abcdefgh".index(square[0])] != "."


def draw(evening):
    name = BOARDS[0]
    evening.move(name, 1, "e2 e4", "white")
    evening.move(name, 2, "e7 e5", "black")
    evening.type("draw", "offer", name, "white")
    assert evening.board(name)["Game"]["DrawOffer"] == "white"
    evening.type("draw", "accept", name, "black")
    evening.wait(name, "the draw", "Game", "Result", "1/2-1/2")
    assert evening.board(name)["Game"]["Termination"] == "agreement"


def touch_move(evening):
    name = BOARDS[1]
    evening.move(name, 1, "e2 e4", "white")
    evening.type("adjust", name, "black")
    evening.sims[name].do("lift g8", "wait 300", "place g8")
    time.sleep(1)
    evening.type("end-adjust", name, "black")
    evening.move(name, 2, "e7 e5", "black", "lift b8", "wait 1500", "place b8", "wait 500", "lift e7", "wait 200", "place e5")
    assert evening.incidents(name) == [("touch-move", "black")], evening.incidents(name)
    said = evening.type("claim", name, "white", "touch-move")
    claim = re.match(r"claim (\d+): referred", said).group(1)
    evening.type("arbiter", "rule", name, claim, "upheld")
    evening.type("arbiter", "restore-position", name, "1")
    evening.sims[name].do("lift e5", "wait 200", "place e7")
    evening.wait(name, "the pieces put back", "Game", "Discrepancy", [])
    evening.type("arbiter", "resume", name)
    evening.move(name, 2, "b8 c6", "black")
    evening.type("resign", name, "black")
    evening.wait(name, "the resignation", "Game", "Result", "1-0")


def illegal_move(evening):
    name = BOARDS[2]
    evening.move(name, 1, "e2 e4", "white")
    evening.sims[name].do("lift b8", "wait 200", "place b6")
    evening.wait(name, "the knight on b6", "Board", "Position", lambda placement: occupied(placement, "b6"))
    evening.world.ctl("clock", "press", name, "black")
    evening.wait(name, "the illegal move", "Touch", "Status", lambda status: status in ("illegal", "pending"))
    evening.type("show", name)
    assert "illegal-move" in [code for code, side in evening.incidents(name) if side == "black"], evening.incidents(name)
    evening.type("claim", name, "white", "illegal-move")
    evening.type("arbiter", "stop-clocks", name)
    before = evening.board(name)["Clock"]
    evening.type("arbiter", "penalise", name, "black", "add-opponent-time", "2:00", "illegal move (7.5.5)")
    after = evening.board(name)["Clock"]
    assert (after["WhiteMs"] - before["WhiteMs"], after["BlackMs"] - before["BlackMs"]) == (120000, 0), (before, after)
    evening.sims[name].do("lift b6", "wait 200", "place b8")
    evening.wait(name, "the knight back on b8", "Game", "Discrepancy", [])
    evening.type("arbiter", "resume", name)
    evening.move(name, 2, "b8 c6", "black")
    evening.type("result", name, "1-0", "--reason", "resignation")
    evening.wait(name, "the result", "Game", "Result", "1-0")


def player_late(evening):
    name = BOARDS[3]
    board = evening.board(name)["Game"]
    question = board["Questions"][0]
    assert question[1] == "result" and "+/-" in question[2], question
    assert "Table 4" in evening.type("check")
    evening.type("answer", name, str(question[0]), "+/-")
    evening.wait(name, "the forfeit", "Game", "Result", "+/-")
    assert evening.board(name)["Game"]["Termination"] == "default"


def bare_king(evening):
    name = BOARDS[4]
    evening.sims[name].do("position 6k1/8/8/8/8/8/4P3/3K4")
    time.sleep(1)
    evening.type("new-game", name, "--fen", "6k1/8/8/8/8/8/4P3/3K4 w - - 0 1", "--time-control", "3s", "--tempo", "standard", "--enforcement", "referee",
                 "--white", "Menchik, Vera", "--black", "Euwe, Max", "--event", "Club evening", "--round", "1", "--replace")
    evening.wait(name, "the position", "Game", "State", "ready")
    evening.type("clock", "start", name)
    evening.wait(name, "the flag", "Game", "Result", "1/2-1/2", 15)
    game = evening.board(name)
    assert game["Game"]["Termination"] == "time-forfeit-draw" and game["Clock"]["Flags"] == ["white"], game["Game"]


def cable(evening):
    name = BOARDS[5]
    evening.move(name, 1, "e2 e4", "white")
    evening.sims[name].do("cable-out 2000")
    evening.wait(name, "the cable out", "Board", "Status", "absent")
    assert "Table 6" in evening.type("check")
    evening.wait(name, "the cable in", "Board", "Status", "connected")
    evening.move(name, 2, "c7 c5", "black")
    evening.type("result", name, "0-1", "--reason", "resignation")


def power_cut(evening):
    name = BOARDS[6]
    for ply, (squares, side) in enumerate((("e2 e4", "white"), ("e7 e5", "black"), ("g1 f3", "white")), 1):
        evening.move(name, ply, squares, side)
    before = evening.board(name)["Game"]
    evening.daemon.kill()
    assert evening.world.ctl("list", check=False)[0] == 3
    evening.start()
    evening.wait(name, "the board after the restart", "Board", "Status", "connected")
    after = evening.board(name)
    assert after["Game"]["Id"] == before["Id"] and after["Game"]["San"] == ["e4", "e5", "Nf3"], after["Game"]
    assert after["Game"]["Tags"]["White"] == "Polgár, Judit"
    if after["Game"]["State"] == "paused":
        evening.type("arbiter", "resume", name)
    evening.move(name, 4, "b8 c6", "black")
    evening.type("resign", name, "black")
    evening.wait(name, "the resignation", "Game", "Result", "1-0")


def mate(evening):
    name = BOARDS[7]
    for ply, (squares, side) in enumerate((("f2 f3", "white"), ("e7 e5", "black"), ("g2 g4", "white")), 1):
        evening.move(name, ply, squares, side)
    evening.sims[name].do("lift d8", "wait 200", "place h4")
    evening.wait(name, "mate", "Game", "Result", "0-1")
    assert evening.board(name)["Game"]["Termination"] == "checkmate"


RESULTS = ("1/2-1/2", "1-0", "1-0", "+/-", "1/2-1/2", "0-1", "1-0", "0-1")


def main():
    with harness.World() as world:
        evening = Evening(world)
        for name in BOARDS:
            evening.wait(name, "set up", "Game", "State", "ready")
        path = world.path("round1.csv")
        with open(path, "w") as file:
            file.write(ROUND)
        evening.type("list")
        evening.type("round", "load", path, "--event", "Club evening", "--round", "1", "--replace")
        now = time.strftime("%Y-%m-%dT%H:%M:%S")
        evening.type("new-game", "Table 4", "--white", "Steinitz, Wilhelm", "--black", "Zukertort, Johannes", "--time-control", "90m+30s", "--event",
                     "Club evening", "--round", "1", "--start-time", now, "--default-time", "3s", "--replace")
        evening.type("arbiter", "player-present", "Table 4", "white")
        assert "8 boards" in evening.type("check")
        evening.type("round", "start")
        assert "playing" in evening.type("round", "status")
        assert "being played" in evening.refused("new-game", "Table 1")
        for part in (draw, touch_move, illegal_move, player_late, bare_king, cable, mate, power_cut):
            print(f"# {part.__name__}", flush=True)
            part(evening)
        evening.type("round", "status")
        for name, result in zip(BOARDS, RESULTS):
            pgn = evening.type("pgn", name)
            header = {"+/-": "1-0"}.get(result, result)
            assert f'[Result "{header}"]' in pgn and '[Event "Club evening"]' in pgn and '[Round "1"]' in pgn, pgn
        games = evening.type("games", "--event", "Club evening")
        assert len([line for line in games.splitlines() if "*" not in line]) == len(BOARDS), games


main()
