# SPDX-License-Identifier: MIT
"""Whole games through the sensors: bytes of a virtual board become games on D-Bus, every move, FEN, result and PGN equal to the truth.

Usage: test_games.py GAMES SPEED [BOARDS [PROTOCOL]]

GAMES in all over BOARDS (default 16) that play at once: both orientations, and where boards of the PROTOCOL (default dgt) can have one, with and
without a clock. The hands' times are real ones, SPEED times as fast for all programs; what a busy machine takes from one of them is multiplied, too,
so that many boards are a better hurry than a high SPEED. With the SPEED "at-once" the hands take no time that the daemon could measure: only the order
of what it reads tells it the moves.
"""

import sys
import time

import games
import harness

KINDS = {
    "dgt": (
        [],
        ["--orientation", "rotated"],
        ["--clock", "dgt3000"],
        ["--clock", "dgtxl", "--orientation", "rotated", "--clock-side", "right"],
    ),
    "chessnut": ([], ["--orientation", "rotated"]),
    "millennium": ([], ["--orientation", "rotated"]),
    "certabo": ([],),
    "sentio": ([], ["--orientation", "rotated"]),
    "sentio-colour": ([], ["--orientation", "rotated"]),
}

# The driver of a protocol that has not its name.
DRIVERS = {"sentio": "certabo", "sentio-colour": "certabo"}


class Player:
    """One board and its games, one after the other."""

    def __init__(self, world, client, number, name, options, truth, speed):
        self.client, self.name, self.truth = client, name, truth
        self.clock = "--clock" in options
        self.at, self.ply, self.heard, self.since = 0, 0, 0, time.monotonic()
        self.since_sequence, self.retracted, self.total_retracted = 0, 0, 0
        self.asked = 0
        path = world.path(f"games-{number}.pgn")
        with open(path, "w") as file:
            file.writelines(game.pgn() for game in [*truth, truth[0]])  # a last one that is not called for: it keeps the board plugged in
        self.at_once = speed == "at-once"
        if self.at_once:
            speed, options = 1000, [*options, "--time", "30000+0"]
        self.sim = world.sim(f"board-{number}", "--pgn", path, "--speed", speed, "--hold", "--scan-ms", 50, "--think-ms", 800, *options)
        self.game, self.waiting = "", False
        self.wait_for_game()

    def wait_for_game(self):
        """Hands in a hurry would move before the pieces have stood for a new game."""
        if self.at_once:
            self.sim.do("rest 0")
            self.waiting = True

    def is_waiting(self):
        if not self.waiting:
            return False
        ready = self.client.get(self.name, "Game", "State") in ("ready", "playing") and self.client.get(self.name, "Game", "Id") != self.game
        if ready and f"game {self.at + 1} rests after ply 0" in self.sim.said():
            self.game, self.waiting, self.since = self.client.get(self.name, "Game", "Id"), False, time.monotonic()
            self.sim.do("go")
        assert not self.waiting or time.monotonic() - self.since < 30 * harness.SLOW, f"{self.name}: game {self.at + 1} is not ready"
        return self.waiting

    def done(self):
        return self.at == len(self.truth)

    def plies(self):
        """What of this game stands, in the order in which it was said: completed plies, less those that were taken back by evidence."""
        signals = self.client.of(self.name, "MoveCompleted") + self.client.of(self.name, "MovesRetracted")
        plies = []
        for signal in sorted(signals):
            if signal[0] <= self.since_sequence:
                continue
            if isinstance(signal[4], list):
                self.retracted += len(plies) - signal[2]
                del plies[signal[2]:]
            else:
                plies.append(signal)
        return plies

    def answer(self):
        """What the sensors cannot know: the piece of a promotion, or which of several moves it was."""
        questions = self.client.of(self.name, "QuestionAsked")
        for sequence, _, question, kind, choices, details in questions[self.asked:]:
            plies = self.plies()
            ply = len(plies)
            if ply == len(self.truth[self.at].plies) or (plies and plies[-1][0] > sequence):
                continue  # the game is over: men are cleared away; or the board has answered
            uci = self.truth[self.at].plies[ply][1]
            assert kind in ("promotion", "which-move"), f"{self.name}: {kind} is asked"
            choice = uci[4:] if kind == "promotion" else uci
            assert choice in choices, f"{self.name}: {choice} is none of {choices}"
            try:
                self.client.call(self.name, "Game", "Answer", "(us)", question, choice)
            except harness.GLib.Error as error:  # what followed on the board has answered it
                assert "Error.Stale" in str(error), error
        self.asked = len(questions)

    def step(self):
        """Compares what has come; moves on to the next game when this one is complete."""
        game, name = self.truth[self.at], self.name
        self.answer()
        heard = len(self.client.of(name, "MoveCompleted")) + len(self.client.of(name, "MovesRetracted"))
        if heard == self.heard:
            patience = 30 * harness.SLOW
            assert time.monotonic() - self.since < patience, \
                f"{name}, game {self.at + 1}: ply {self.ply + 1}, {game.plies[self.ply][0]}, did not come; " \
                f"the game: {self.client.all(name, 'Game')}, the board: {self.client.get(name, 'Board', 'Position')}, " \
                f"the clock: {self.client.all(name, 'Clock')}"
            return
        self.heard, self.since, self.retracted = heard, time.monotonic(), 0
        plies = self.plies()
        self.ply = len(plies)
        assert len(plies) <= len(game.plies), f"{name}, game {self.at + 1}: {plies[len(game.plies):]} was never played"
        if len(plies) < len(game.plies) or plies[-1][3] != game.plies[-1][1]:
            return
        for ply, (signal, (san, uci, fen)) in enumerate(zip(plies, game.plies), 1):
            got = signal[2:6]
            assert got == (ply, uci, san, fen), f"{name}, game {self.at + 1}, ply {ply}: {got} is not {(ply, uci, san, fen)}"
            assert (signal[6] >= 0) == self.clock, f"{name}, ply {ply}: the clock says {signal[6:8]}, {self.client.all(name, 'Clock')}"
        self.total_retracted += self.retracted
        self.since_sequence = plies[-1][0]
        self.finish(name, game)
        self.at += 1
        self.ply = 0

    def finish(self, name, game):
        if self.client.get(name, "Game", "State") != "finished":
            result = game.result if game.result != "*" else "1/2-1/2"
            self.client.call(name, "Arbiter", "DeclareResult", "(ssa{sv})", result, "as in the book", {})
            assert self.client.get(name, "Game", "Result") == result
        elif game.result in ("1-0", "0-1"):
            assert self.client.get(name, "Game", "Result") in (game.result, "1/2-1/2"), "the rules say otherwise than the book"
        assert self.client.get(name, "Game", "San") == [san for san, _, _ in game.plies]
        pgn = self.client.call(name, "Game", "GetPgn")[0]
        self.read_back(pgn, game)
        if self.at + 1 < len(self.truth):
            self.wait_for_game()
            self.sim.do("next")

    def read_back(self, pgn, game):
        path = f"{self.sim.link}.pgn"
        with open(path, "w") as file:
            file.write(pgn)
        copies = games.read(path)
        assert len(copies) == 1, f"GetPgn is no game:\n{pgn}"
        assert copies[0].plies == game.plies, f"GetPgn is another game:\n{pgn}"
        assert copies[0].result == self.client.get(self.name, "Game", "Result")
        assert self.clock == ("[%clk " in pgn)


def main():
    count, speed = int(sys.argv[1]), sys.argv[2]
    boards = min(count, int(sys.argv[3]) if len(sys.argv) > 3 else 16)
    protocol = sys.argv[4] if len(sys.argv) > 4 else "dgt"
    kinds = KINDS[protocol]
    collection = games.collection(count)
    with harness.World() as world:
        client = world.client()
        names = [f"Table {number + 1}" for number in range(boards)]
        world.daemon(*(f"{name},{DRIVERS.get(protocol, protocol)},{world.path(f'board-{number}')}" for number, name in enumerate(names)),
                     arguments=[] if speed == "at-once" else ["--time-scale", speed])
        players = []
        for number, name in enumerate(names):
            truth = [collection[i % len(collection)] for i in range(number, count, boards)]
            options = ["--protocol", protocol, *kinds[number % len(kinds)]]
            players.append(Player(world, client, number, name, options, truth, speed))
        started = time.monotonic()
        while not all(player.done() for player in players):
            client.pump()
            for player in players:
                if not player.done() and not player.is_waiting():
                    player.step()
            time.sleep(0.002)
        plies = sum(len(game.plies) for player in players for game in player.truth)
        print(f"{count} games, {plies} plies, {time.monotonic() - started:.1f} s, not one different")
        # Clean hands need no second thoughts, but for a machine that holds the hands up longer than a move takes to settle.
        retracted = sum(player.total_retracted for player in players)
        assert retracted * 1000 <= plies, f"{retracted} of {plies} plies were taken back by evidence"


main()
