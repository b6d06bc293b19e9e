# SPDX-License-Identifier: MIT
"""
Time to the clock, from outside: from the write of the lever's message into the board's end of a pty to the first byte of the answer, the setting of
both times, with the real daemon between: kernel, port, driver, session, journal, bus.

Usage: lever.py [PRESSES]. Prints median and 99th percentile against the goal of 1 ms; exit status 1 when that is missed. Beside it stands what an
echo takes, a program that only reads and writes: where that alone needs half the goal the machine is too busy to tell, and the status is 77.
"""

import os
import pathlib
import select
import sys
import time
import tty

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "system"))

import harness  # noqa: E402

GOAL_US = 1000
START = bytes([8, 9, 10, 12, 11, 10, 9, 8] + [7] * 8 + [0] * 32 + [1] * 8 + [2, 3, 4, 6, 5, 4, 3, 2])
TOUR = ((62, 45, 3), (6, 21, 9), (45, 62, 3), (21, 6, 9))  # from, to, man: Nf3 Nf6 Ng1 Ng8


class Board:
    """The board's and the clock's end of the line, as the DGT protocol header has it; White sits at the clock's left."""

    def __init__(self):
        self.end, self.other = os.openpty()
        tty.setraw(self.other)
        self.device = os.ttyname(self.other)
        self.men = bytearray(START)
        self.left = self.right = 5400
        self.right_up, self.runs, self.since = False, "", 0
        self.pending = b""
        self.settings = 0

    def send(self, message, payload):
        os.write(self.end, bytes([message, len(payload) + 3 >> 7, len(payload) + 3 & 0x7F]) + bytes(payload))

    def send_time(self):
        def seat(seconds):
            return [seconds // 3600, int(str(seconds // 60 % 60), 16), int(str(seconds % 60), 16)]

        passed = int(time.monotonic() - self.since)
        left, right = self.left - passed * (self.runs == "left"), self.right - passed * (self.runs == "right")
        self.send(0x8D, seat(right) + seat(left) + [(0x0A if self.right_up else 0x10) | bool(self.runs)])

    def set_and_run(self, data):
        self.left, self.right = (data[i] * 3600 + data[i + 1] * 60 + data[i + 2] for i in (0, 3))
        self.runs, self.since = {1: "left", 2: "right"}.get(data[6] & 3, ""), time.monotonic()
        self.settings += 1

    def order(self, order, data):
        if order == 0x0A:
            self.set_and_run(data)
        self.send(0x8D, [0x0A, 0x10, order, 0x0A, 0x20 if order == 0x09 else 0, 0, 0])

    def command(self, byte):
        answers = {0x41: self.send_time, 0x42: lambda: self.send(0x86, self.men), 0x45: lambda: self.send(0x91, b"01025"),
                   0x4D: lambda: self.send(0x93, [1, 8]), 0x4B: self.send_time}
        answers.get(byte, lambda: None)()

    def work(self, seconds):
        """Answers for so long."""
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            if not select.select([self.end], [], [], left)[0]:
                return
            self.pending += os.read(self.end, 4096)
            while self.pending and (self.pending[0] != 0x2B or len(self.pending) > 1 and len(self.pending) >= 2 + self.pending[1]):
                n = 2 + self.pending[1] if self.pending[0] == 0x2B else 1
                message, self.pending = self.pending[:n], self.pending[n:]
                if n > 1:
                    self.order(message[3], message[4:])
                else:
                    self.command(message[0])

    def move(self, origin, target, man):
        self.men[origin], self.men[target] = 0, man
        self.send(0x8E, [origin, 0])
        self.work(0.004)
        self.send(0x8E, [target, man])

    def press(self):
        """The lever goes over. Gives the nanoseconds until the first byte of the answer."""
        while self.pending or select.select([self.end], [], [], 0)[0]:
            self.work(0.002)
        self.right_up = not self.right_up
        begin = time.monotonic_ns()
        self.send_time()
        first = os.read(self.end, 1)
        taken = time.monotonic_ns() - begin
        self.pending += first
        return taken if first == b"\x2b" else None


def echo_times(n):
    """The same way there and back through a pty, with nothing to do at its end [us]."""
    end, other = os.openpty()
    tty.setraw(other)
    child = os.fork()
    if child == 0:
        os.close(end)
        try:
            while True:
                os.write(other, os.read(other, 64))
        except OSError:
            os._exit(0)
    os.close(other)
    times = []
    for _ in range(n):
        time.sleep(0.02)
        begin = time.monotonic_ns()
        os.write(end, bytes(10))
        os.read(end, 1)
        times.append((time.monotonic_ns() - begin) / 1000)
        time.sleep(0.001)
        os.read(end, 64)
    os.close(end)
    os.waitpid(child, 0)
    return sorted(times)


def percentile(times, n):
    return times[min(len(times) - 1, len(times) * n // 100)]


def main():
    presses = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    samples, spoiled = [], 0
    with harness.World() as world:
        board = Board()
        daemon = world.daemon(f"Table 1,dgt,{board.device},clock=drive,time-control=5400+1,rules=fide1997", wait=False)
        client = world.client()
        deadline = time.monotonic() + 20
        state = None
        while state != "ready" or board.settings == 0:
            board.work(0.05)
            assert time.monotonic() < deadline and daemon.process.poll() is None, f"the board is not ready: {state}\n{daemon.said()}"
            try:
                state = client.get("Table 1", "Game", "State") if client.owner() else None
            except harness.GLib.Error:
                pass
        board.right_up = True
        board.send_time()  # Black starts White's clock
        board.right_up = False
        board.send_time()
        board.work(0.5)
        for ply in range(presses):
            board.move(*TOUR[ply % 4])
            # The players press sooner or later: also into the dump that is asked for a quarter of a second after the move.
            board.work(0.02 + ply * 37 % 100 / 1000 if ply % 8 else 0.35)
            taken = board.press()
            if taken is None:
                spoiled += 1  # a question for the board had been sent already
            else:
                samples.append(taken / 1000)
            board.work(0.012)
        board.work(0.5)
        assert client.get("Table 1", "Game", "Ply") == presses, f"{client.get('Table 1', 'Game', 'Ply')} plies, not {presses}"
        # One at the press, and one when the board has looked at all its squares and the move gets its increment.
        assert board.settings <= presses * 2.05 + 10, f"{board.settings} settings for {presses} presses"
        os.close(board.other)
    samples.sort()
    assert len(samples) > presses * 0.9, f"{spoiled} of {presses} answers began with another question"
    echo, late = echo_times(300), percentile(samples, 99)
    print(f"lever to the answer's first byte over a pty, {len(samples)} presses: median {percentile(samples, 50):.0f} us, "
          f"99th percentile {late:.0f} us, most {samples[-1]:.0f} us (goal {GOAL_US} us); an echo: median {percentile(echo, 50):.0f} us, "
          f"99th percentile {percentile(echo, 99):.0f} us")
    if late > GOAL_US and percentile(echo, 99) > GOAL_US / 2:
        print("skip: the machine is too busy to tell")
        sys.exit(77)
    sys.exit(late > GOAL_US)


if __name__ == "__main__":
    main()
