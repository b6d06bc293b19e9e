# SPDX-License-Identifier: MIT
"""A board, a clock and two players for the tests of Article 6, and the article in exact arithmetic to hold the service against."""

import copy
import re
import time

import harness
from harness import GLib

BOARD = "Table 1"
SIDES = ("white", "black")


def other(side):
    return "black" if side == "white" else "white"


def hands(uci, fen):
    """What the hand does for a move in the position of the FEN: lines for the virtual board."""
    origin, target = uci[:2], uci[2:4]
    men = {}
    for rank, row in zip("87654321", fen.split()[0].split("/")):
        file = 0
        for letter in row:
            if letter.isdigit():
                file += int(letter)
            else:
                men["abcdefgh"[file] + rank] = letter
                file += 1
    man, lines = men[origin], []
    if target in men:
        lines += [f"lift {target}", "wait 150"]
    lines += [f"lift {origin}", "wait 250", f"place {target} {uci[4:].upper() if uci[4:] and man.isupper() else uci[4:] or man}"]
    if man in "Pp" and origin[0] != target[0] and target not in men:
        lines += ["wait 150", f"lift {target[0]}{origin[1]}"]
    if man in "Kk" and abs(ord(origin[0]) - ord(target[0])) == 2:
        short, rank = target[0] == "g", origin[1]
        lines += ["wait 150", f"lift {'h' if short else 'a'}{rank}", "wait 250", f"place {'f' if short else 'd'}{rank}"]
    return lines


class Table:
    """The daemon with one board, time scaled for both; Table.clock is what D-Bus says."""

    def __init__(self, world, *keys, sim=(), scale=5, time="5400+30", clock="dgt3000"):
        self.world, self.scale = world, scale
        self.sim = world.sim("board", "--clock", clock, "--scan-ms", 50, "--speed", scale, "--time", time, *sim)
        self.board, self.arguments = ",".join((BOARD, "dgt", self.sim.link, *keys)), ["--time-scale", str(scale)]
        self.daemon = world.daemon(self.board, arguments=self.arguments)
        self.client = world.client()
        self.client.wait_property(BOARD, "Game", "State", "ready")
        if clock != "none":
            self.client.wait_property(BOARD, "Clock", "Status", "connected")

    @property
    def clock(self):
        return self.client.all(BOARD, "Clock")

    @property
    def game(self):
        return self.client.all(BOARD, "Game")

    def seconds(self, virtual):
        """Real seconds to wait for so much of the scaled time."""
        return virtual / self.scale + 5

    def wait(self, interface, name, value, virtual=20):
        return self.client.wait_property(BOARD, interface, name, value, self.seconds(virtual))

    def wait_clock(self, fits, what, virtual=20):
        """Waits until the Clock's properties fulfil @fits; gives them."""
        seen = {}

        def look():
            seen.update(self.clock)
            return fits(seen)

        try:
            self.client.wait(look, self.seconds(virtual), what)
        except AssertionError as error:
            raise AssertionError(f"{error}; the clock says {seen}") from None
        return seen

    def call(self, interface, method, signature="()", *arguments):
        return self.client.call(BOARD, interface, method, signature, *arguments)

    def error(self, interface, method, signature="()", *arguments):
        return self.client.error(BOARD, interface, method, signature, *arguments)

    def new_game(self, **options):
        """Options by their names with underscores; a running game is replaced."""
        kinds = {str: "s", bool: "b", int: "x"}
        values = {name.replace("_", "-"): GLib.Variant(kinds[type(value)], value) for name, value in options.items()}
        values["replace"] = GLib.Variant("b", True)
        game = self.call("Game", "NewGame", "(a{sv})", values)[0]
        self.wait("Game", "State", "ready")
        return game

    def start(self):
        self.call("Clock", "Start", "(a{sv})", {})

    def stop(self):
        self.call("Clock", "Stop", "(a{sv})", {})

    def claim(self, side, ground, **options):
        return self.call("Game", "Claim", "(ssa{sv})", side, ground, {name: GLib.Variant("s", value) for name, value in options.items()})[1]

    def ended(self, virtual=20):
        """The GameEnded that comes: result, termination, article."""
        rows = self.client.wait(lambda: self.client.of(BOARD, "GameEnded") or None, self.seconds(virtual), "GameEnded")
        return rows[-1][2:5]

    def attention(self):
        """What a person should look at: texts by their kind."""
        return {row["kind"]: row["text"] for row in self.client.get(None, "Manager", "Attention")}

    def of(self, member):
        self.client.pump()
        return self.client.of(BOARD, member)

    def completed(self, ply, virtual=20):
        """The MoveCompleted of this ply, when it has come."""
        rows = self.client.wait(lambda: [row for row in self.client.of(BOARD, "MoveCompleted") if row[2] == ply] or None,
                                self.seconds(virtual), f"MoveCompleted of ply {ply}")
        return rows[-1]

    def move(self, move, press=None, think=1000):
        """A plain move by hand, e2e4; @press: who presses then, 300 ms later."""
        self.sim.do(f"wait {think}", f"lift {move[:2]}", "wait 250", f"place {move[2:]}", "wait 300")
        if press:
            self.sim.do(f"press {press}")

    def shown(self, side):
        """What the clock in @clock shows now for a side, in ms, counted on by whoever reads D-Bus."""
        clock = self.clock
        passed = (time.clock_gettime(time.CLOCK_BOOTTIME) * 1e6 - clock["AsOf"]) * self.scale / 1000 if clock["Running"] == side else 0
        return max(0, clock[f"{side.title()}Ms"] - passed)

    def display(self):
        """What the virtual clock's display shows: its text, and the times in ms by side with who runs."""
        before = self.sim.said().count("display ")
        self.sim.do("display")
        harness.wait_until(lambda: self.sim.said().count("display ") > before and self.sim.said().endswith("\n"),
                           what="what the display shows", step=0.002)
        text = self.sim.said().rstrip("\n").rsplit("display ", 1)[1].split("\n")[0]
        times = re.match(r"times (\d+):(\d+):(\d+) (\d+):(\d+):(\d+) (left runs|right runs|stopped)", text)
        if not times:
            return {"text": text}
        numbers = [int(n) for n in times.groups()[:6]]
        left, right = ((numbers[i] * 3600 + numbers[i + 1] * 60 + numbers[i + 2]) * 1000 for i in (0, 3))
        return {"text": text, "left": left, "right": right, "runs": times[7].split()[0]}

    def face(self, white="left"):
        """The display by side."""
        shown = self.display()
        if "left" not in shown:
            return shown
        black = "right" if white == "left" else "left"
        sides = {white: "white", black: "black", "stopped": ""}
        return {"text": shown["text"], "white": shown[white], "black": shown[black], "runs": sides[shown["runs"]]}

    def wait_face(self, virtual=20, white="left", **expected):
        """Waits until the display shows this: white, black in ms, runs."""
        shown = {}

        def agrees():
            shown.update(self.face(white))
            return all(shown.get(name) == value for name, value in expected.items())

        try:
            self.client.wait(agrees, self.seconds(virtual), f"a face with {expected}")
        except AssertionError as error:
            raise AssertionError(f"{error}; it shows {shown}") from None

    def tolerance(self):
        """A display counts whole seconds, a message takes its time, and a busy machine's hiccup is multiplied by the scale [ms]."""
        return 2000 + 150 * self.scale * harness.SLOW

    def check_face(self, white="left", virtual=20):
        """The display shows what D-Bus says: same times, same side running."""
        wrong = []

        def agrees():
            wrong.clear()
            face, running = self.face(white), self.clock["Running"]
            if face.get("runs") != running:
                wrong.append(f"{face['text']!r} where {running or 'nobody'} runs")
            else:
                wrong.extend(f"{side} has {self.shown(side):.0f} ms, the display says {face['text']!r}"
                             for side in SIDES if abs(face[side] - self.shown(side)) > self.tolerance())
            return not wrong

        try:
            self.client.wait(agrees, self.seconds(virtual), "a true face")
        except AssertionError:
            raise AssertionError(f"the face is wrong: {wrong}") from None


class Model:
    """
    Article 6 for two sides in whole microseconds, for increments and US delays.

    @periods: (moves or 0, base in ms, increment in ms, delay in ms), the same for both sides.
    """

    def __init__(self, periods, turn="white"):
        self.periods = [(moves, base * 1000, increment * 1000, delay * 1000) for moves, base, increment, delay in periods]
        self.left = dict.fromkeys(SIDES, self.periods[0][1])
        self.moves = dict.fromkeys(SIDES, 0)
        self.period = dict.fromkeys(SIDES, 0)
        self.delay = dict.fromkeys(SIDES, self.periods[0][3])
        self.turn, self.running, self.at = turn, False, 0

    def advance(self, at):
        if self.running and at > self.at:
            passed = at - self.at
            free = min(self.delay[self.turn], passed)
            self.delay[self.turn] -= free
            self.left[self.turn] = max(0, self.left[self.turn] - (passed - free))
        self.at = max(self.at, at)

    def start(self, at):
        self.advance(at)
        self.running = True

    def stop(self, at):
        self.advance(at)
        self.running = False

    def switch(self, side, at):
        """The lever."""
        self.advance(at)
        if side == self.turn:
            self.delay[side] = self.periods[self.period[side]][3]
            self.turn = other(side)

    def complete(self, side, at):
        """The move counts: its increment, its period."""
        self.advance(at)
        moves, _, increment, delay = self.periods[self.period[side]]
        self.moves[side] += 1
        self.left[side] += increment
        self.delay[side] = delay
        if moves and self.moves[side] == sum(period[0] for period in self.periods[:self.period[side] + 1]):
            self.period[side] += 1
            self.left[side] += self.periods[self.period[side]][1]

    def ms(self, side, at):
        """What it will show then, if nobody does anything."""
        then = copy.deepcopy(self)
        then.advance(at)
        return -(-then.left[side] // 1000)


class Watcher:
    """
    Holds every reading that the service gives against a Model: the signals in their order, each at its own time.

    Time stamps are of the world's time, which runs by the scale slower; one microsecond of it is so many of the game's.
    """

    def __init__(self, table, model):
        self.table, self.model = table, model
        self.seen, self.checked, self.clock = 0, 0, table.clock
        self.slack = 3

    def follow(self):
        """Takes the signals that have come since the last time."""
        self.table.client.pump()
        signals = self.table.client.signals
        for path, interface, member, arguments in signals[self.seen:]:
            if path == self.table.client.board_path(BOARD):
                self.take(member, arguments)
        self.seen = len(signals)

    def scaled(self, boottime_us):
        return boottime_us * self.table.scale

    def take(self, member, arguments):
        if member == "Pressed":
            self.model.switch(arguments[2], self.scaled(arguments[3]))
        elif member == "MoveCompleted":
            ply, at = arguments[2], self.scaled(arguments[8])
            self.model.complete(SIDES[1 - ply % 2], at)
            self.check(arguments[6:8], at, f"MoveCompleted of ply {ply}")
        elif member == "PropertiesChanged" and arguments[0].endswith(".Clock"):
            self.properties(arguments[1])

    def properties(self, changed):
        before = self.clock["Running"]
        self.clock.update(changed)
        at = self.scaled(self.clock["AsOf"])
        if self.clock["Running"] and not before:
            self.model.start(at - self.model.delay[self.model.turn])  # while a delay passes, the times hold until its end
        elif before and not self.clock["Running"]:
            self.model.stop(at)
        self.check((self.clock["WhiteMs"], self.clock["BlackMs"]), at, f"the properties {changed}")
        periods = tuple(self.model.period[side] + 1 for side in SIDES)
        assert self.clock["Periods"] == periods, f"periods {self.clock['Periods']}, not {periods}"
        if self.clock["Running"]:
            assert self.clock["Running"] == self.model.turn, f"{self.clock['Running']} runs, not {self.model.turn}"

    def check(self, got, at, what):
        expected = [self.model.ms(side, at) for side in SIDES]
        # Each turn's two time stamps may be off by one real microsecond.
        slack = self.slack + sum(self.model.moves.values()) * self.table.scale // 1000
        assert all(abs(a - b) <= slack for a, b in zip(got, expected)), f"{what}: {got}, not {expected}"
        self.checked += 1
