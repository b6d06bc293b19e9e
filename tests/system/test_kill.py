# SPDX-License-Identifier: MIT
"""adoubed is killed at random moments while games are played; a subscriber remembers what it saw. Nothing of it may be missing.

Usage: test_kill.py KILLS [SEED]

Several daemons, each with its bus, boards and subscriber, are killed side by side. Every other kill is sent at a random time, which mostly finds the
daemon asleep; the others come when it has used a random amount of the processor's time, so that they find it at work: while it starts, takes games up
again, and between a commit and its signals.

After each kill, before the next start: every signal that was seen is in the journal's file, and every completed move in its plies. After the
start: the game goes on under its id, and its Moves are, ply by ply, what was seen; GetEvents gives what the journal had, but no longer told. No
sequence number is given out twice.
"""

import multiprocessing
import os
import random
import signal
import sqlite3
import sys
import time

import games
import harness

SPEED = 15
BOARDS = (("Plain", []), ("Clock", ["--clock", "dgt3000"]), ("Rotated", ["--orientation", "rotated"]), ("Fast", []))
LANES = 4  # daemons at the same time
LIFE = 0.12  # seconds of the processor: no life between two kills is longer
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
    def __init__(self, world, truth, seed):
        self.world, self.random = world, random.Random(seed)
        self.client = world.client()
        self.seen = {name: Seen() for name, _ in BOARDS}
        self.sequences = {}  # every sequence number that was seen: its member
        self.caught_up = set()  # those that GetEvents gave
        self.taken = self.newest = self.checked = self.resumed = self.by_work = 0
        self.sims = {}
        with open(world.path("games.pgn"), "w") as file:
            file.write(truth)
        for number, (name, options) in enumerate(BOARDS):
            self.sims[name] = world.sim(f"board-{number}", "--pgn", world.path("games.pgn"), "--speed", SPEED, "--hold", "--scan-ms", 50, "--think-ms", 3000,
                                        "--serial", 100 + number, "--seed", seed + number, *options)
        self.boards = [f"{name},dgt,{self.sims[name].link}" for name, _ in BOARDS]

    def start(self, wait=True, life=None):
        return self.world.daemon(*self.boards, arguments=["--time-scale", str(SPEED)], wait=wait, life=life)

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

    def watch_a_while(self):
        """Until some signals have come, or none comes."""
        signals, until = len(self.sequences) + self.random.randrange(20), time.monotonic() + harness.SLOW
        while len(self.sequences) < signals and time.monotonic() < until:
            self.take_signals()
            time.sleep(0.001)

    def live_any_time(self):
        daemon = self.start(wait=False)
        if self.random.random() < 0.2:  # also while it is only starting
            time.sleep(self.random.random() * 0.06)
        else:
            daemon.wait_ready(self.client)
            self.check_service()
            self.watch_a_while()
            time.sleep(self.random.random() * 0.01)
        return daemon

    def live_by_work(self):
        daemon = self.start(wait=False, life=self.random.random() * LIFE * harness.SLOW)
        try:
            daemon.wait_ready(self.client)
            self.check_service()
            until = time.monotonic() + 5 * harness.SLOW
            while daemon.process.poll() is None and time.monotonic() < until:
                self.take_signals()
                time.sleep(0.001)
        except harness.GLib.Error:
            assert daemon.process.wait(harness.SLOW) is not None  # the call was under way
        return daemon

    def kill_once(self):
        daemon = self.live_by_work() if self.random.random() < 0.5 else self.live_any_time()
        daemon.kill()
        assert daemon.process.returncode in (-signal.SIGKILL, -signal.SIGPROF), f"it ended by itself: {daemon.process.returncode}\n{daemon.said()}"
        self.by_work += daemon.process.returncode == -signal.SIGPROF
        harness.wait_until(lambda: not self.client.owner(), 30, "the end of the dead daemon's name")  # or it is taken for the next one's
        self.take_signals()
        self.check_file()
        self.world.processes.remove(daemon)


def collect():
    """Games that begin and end often."""
    collection = [game for game in games.collection(12) if len(game.plies) > PLIES and game.result != "*"]
    for game in collection:
        del game.plies[PLIES:]
    return "".join(game.pgn() for game in collection) * 200


def run(truth, kills, seed):
    """One daemon's lives. Returns how many kills found it at work, and how many signals, moves, games and resumptions there were."""
    with harness.World() as world:
        test = Test(world, truth, seed)
        for _ in range(kills):
            test.kill_once()
        daemon = test.start()
        test.check_service()
        assert "cannot be had back" not in daemon.said()
        for sim in test.sims.values():
            sim.do("quit")
        moves = sum(len(moves) for seen in test.seen.values() for moves in seen.moves.values())
        return test.by_work, len(test.sequences), moves, sum(len(seen.moves) for seen in test.seen.values()), test.resumed


def main():
    kills, seed = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
    truth = collect()
    started = time.monotonic()
    lanes = [(truth, kills // LANES + (lane < kills % LANES), seed + 100 * lane) for lane in range(LANES)]
    with multiprocessing.Pool(LANES) as pool:
        by_work, signals, moves, seen, resumed = map(sum, zip(*pool.starmap(run, lanes, 1)))
    assert moves > kills / 4, f"only {moves} moves were played: this shows nothing"
    print(f"{kills} kills ({by_work} at work), {signals} signals and {moves} moves of {seen} games seen, none missing; "
          f"{resumed} times a game went on; {time.monotonic() - started:.0f} s")


main()
