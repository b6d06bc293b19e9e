# SPDX-License-Identifier: MIT
"""adoubed is killed at random moments while games are played; a subscriber remembers what it saw. Nothing of it may be missing.

Usage: test_kill.py KILLS [SEED]

After each kill, before the next start: every signal that was seen is in the journal's file, and every completed move in its plies. After the
start: the game goes on under its id, and its Moves are, ply by ply, what was seen; GetEvents gives what the journal had, but no longer told. No
sequence number is given out twice.
"""

import os
import random
import sqlite3
import sys
import time

import games
import harness

SPEED = 15
BOARDS = (("Plain", []), ("Clock", ["--clock", "dgt3000"]), ("Rotated", ["--orientation", "rotated"]), ("Fast", []))
PLIES = 16  # of a game: then the next one begins, so that kills hit beginnings and ends as well
STUCK = 3  # seconds without a move: the game is over, or more was played while nobody lived than can be found out


class Seen:
    """What a subscriber knows of one board's games."""

    def __init__(self):
        self.moves = {}  # game id: {ply: (uci, san)}
        self.game = None
        self.retracted = 0
        self.at = 0

    def cut(self, game, ply):
        moves = self.moves.setdefault(game, {})
        for p in [p for p in moves if p > ply]:
            del moves[p]
        return moves

    def take(self, member, arguments):
        if member == "MoveCompleted":
            game, ply, uci, san = arguments[:4]
            self.cut(game, ply)[ply] = (uci, san)
            self.game, self.at = game, time.monotonic()
        elif member == "MovesRetracted":
            self.cut(arguments[0], arguments[1])
            self.retracted += 1

    def agrees(self, plies):
        """Is every move that was seen among these, at its ply?"""
        return all(ply <= len(plies) and plies[ply - 1] == move for ply, move in self.moves.get(self.game, {}).items())


class Test:
    def __init__(self, world, seed):
        self.world, self.random = world, random.Random(seed)
        self.client = world.client()
        self.seen = {name: Seen() for name, _ in BOARDS}
        self.sequences = {}  # every sequence number that was seen: its member
        self.caught_up = set()  # those that GetEvents gave
        self.taken = self.newest = self.checked = self.resumed = 0
        self.sims = {}
        collection = [game for game in games.collection(60) if len(game.plies) > PLIES and game.result != "*"]
        for game in collection:
            del game.plies[PLIES:]
        truth = "".join(game.pgn() for game in collection) * 50
        with open(world.path("games.pgn"), "w") as file:
            file.write(truth)
        for number, (name, options) in enumerate(BOARDS):
            self.sims[name] = world.sim(f"board-{number}", "--pgn", world.path("games.pgn"), "--speed", SPEED, "--hold", "--scan-ms", 50, "--think-ms", 3000,
                                        "--serial", 100 + number, "--seed", seed + number, *options)
        self.boards = [f"{name},dgt,{self.sims[name].link}" for name, _ in BOARDS]

    def start(self, wait=True):
        return self.world.daemon(*self.boards, arguments=["--time-scale", str(SPEED)], wait=wait)

    def take(self, path, member, sequence, arguments):
        if sequence in self.sequences and sequence in self.caught_up:
            assert self.sequences[sequence] == member, f"sequence {sequence} is {member} and {self.sequences[sequence]}"
            return
        assert sequence > self.newest, f"sequence {sequence} ({member}) came after {self.newest}"
        self.newest = sequence
        self.sequences[sequence] = member
        for name, seen in self.seen.items():
            if path == self.client.board_path(name):
                seen.take(member, arguments)

    def take_signals(self):
        self.client.pump()
        for path, interface, member, arguments in self.client.signals[self.taken:]:
            if interface in ("Board", "Game", "Touch", "Clock"):
                self.take(path, member, arguments[0], arguments[1:])
        self.taken = len(self.client.signals)

    def catch_up(self):
        """What was written and not told, because the kill came between; signals that wait to be read may be among it."""
        for sequence, path, interface, member, arguments in self.client.call(None, "Manager", "GetEvents", "(tu)", self.newest, 0)[0]:
            self.caught_up.add(sequence)
            self.take(path, member, sequence, arguments)

    def check_file(self):
        """The daemon is dead: all that was seen is in the file."""
        if not os.path.exists(self.world.path("state/journal.db")):
            assert not self.sequences, "signals were seen, and there is no journal"
            return
        database = sqlite3.connect(f"file:{self.world.path('state/journal.db')}?mode=ro", uri=True)
        if not database.execute("SELECT 1 FROM sqlite_master WHERE name = 'notices'").fetchone():
            assert not self.sequences, "signals were seen, and there is no journal"
            return
        kept = {row[0] for row in database.execute("SELECT sequence FROM notices WHERE sequence > ?", (self.checked,))}
        missing = [s for s in self.sequences if s > self.checked and s not in kept]
        assert not missing, f"not in the journal: {[(s, self.sequences[s]) for s in missing]}"
        self.checked = self.newest
        for seen in self.seen.values():
            if seen.game:
                plies = [tuple(row) for row in database.execute(
                    "SELECT uci, san FROM plies WHERE game = (SELECT number FROM games WHERE id = ?) ORDER BY ply", (seen.game,))]
                assert seen.agrees(plies), f"{seen.game}: {seen.moves[seen.game]} were seen, {plies} are in the file"
        database.close()

    def check_service(self):
        """The daemon lives again: games go on as they were seen."""
        self.catch_up()
        for name, seen in self.seen.items():
            game = self.client.all(name, "Game")
            if seen.game == game["Id"]:
                plies = list(zip(game["Moves"], game["San"]))
                retracted = seen.retracted
                agrees = seen.agrees(plies)
                self.take_signals()
                assert agrees or seen.retracted != retracted, f"{name}: {seen.moves[seen.game]} were seen, {plies} is the game"
                self.resumed += 1
            if game["State"] == "finished":
                self.sims[name].do("next")
            elif game["State"] in ("playing", "paused") and time.monotonic() - seen.at > STUCK * harness.SLOW:
                seen.at = time.monotonic()
                self.client.call(name, "Arbiter", "DeclareResult", "(ssa{sv})", "1/2-1/2", "the test goes on", {})
                self.sims[name].do("next")

    def kill_once(self):
        early = self.random.random() < 0.15  # also while it is only starting
        daemon = self.start(wait=not early)
        if early:
            time.sleep(self.random.random() * 0.06)
        else:
            self.check_service()
            signals, until = len(self.sequences) + self.random.randrange(20), time.monotonic() + harness.SLOW
            while len(self.sequences) < signals and time.monotonic() < until:
                self.take_signals()
                time.sleep(0.0005)
            time.sleep(self.random.random() * 0.01)
        daemon.kill()
        self.take_signals()
        self.check_file()
        self.world.processes.remove(daemon)


def main():
    kills, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    with harness.World() as world:
        test = Test(world, seed)
        started = time.monotonic()
        for _ in range(kills):
            test.kill_once()
        daemon = test.start()
        test.check_service()
        moves = sum(len(moves) for seen in test.seen.values() for moves in seen.moves.values())
        finished = sum(len(seen.moves) for seen in test.seen.values())
        assert moves > kills / 4, f"only {moves} moves were played: this shows nothing"
        assert "cannot be had back" not in daemon.said()
        for sim in test.sims.values():
            sim.do("quit")
        print(f"{kills} kills, {len(test.sequences)} signals and {moves} moves of {finished} games seen, none missing; "
              f"{test.resumed} times a game went on; "
              f"{time.monotonic() - started:.0f} s")


main()
