#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""adoube-sim from the outside: on its pty as other people's drivers talk to a DGT board, on its command line, on its standard input.

Usage: sim_peers.py ADOUBE_SIM [TEST]...
"""

import os
import select
import signal
import subprocess
import sys
import tempfile
import time

SIM = sys.argv[1]
SLOW = 5 if os.environ.get("ADOUBE_SANITIZED") == "1" else 1

CODES = ".PRNBKQprnbkq=WB"  # piece codes 00 to 0f
START = "rnbqkbnrpppppppp" + "." * 32 + "PPPPPPPPRNBQKBNR"  # field 0 = a8 first


class Board:
    """A virtual board, and a host that has it open."""

    def __init__(self, *arguments, connect=True):
        self.directory = tempfile.TemporaryDirectory(prefix="adoube-sim-")
        self.link = os.path.join(self.directory.name, "board")
        self.process = subprocess.Popen([SIM, "--link", self.link, *map(str, arguments)], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE)
        self.buffer = b""
        self.fd = None
        self.wait_for_link()
        if connect:
            self.connect()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.disconnect()
        if self.process.poll() is None:
            self.process.terminate()
        out, err = self.process.communicate(timeout=10 * SLOW)
        self.directory.cleanup()
        assert self.process.returncode == 0, (self.process.returncode, out, err)
        assert not err or self.expects_errors, err

    expects_errors = False

    def wait_for_link(self):
        end = time.monotonic() + 5 * SLOW
        while not os.path.exists(self.link):
            assert self.process.poll() is None, self.process.stderr.read()
            assert time.monotonic() < end, "no link"
            time.sleep(0.005)

    def connect(self):
        self.fd = os.open(self.link, os.O_RDWR | os.O_NOCTTY)

    def disconnect(self):
        if self.fd is not None:
            os.close(self.fd)
        self.fd = None
        self.buffer = b""

    def send(self, data):
        os.write(self.fd, bytes.fromhex(data) if isinstance(data, str) else data)

    def do(self, *lines):
        self.process.stdin.write("".join(line + "\n" for line in lines).encode())
        self.process.stdin.flush()

    def said(self):
        """The next line of standard output."""
        return self.process.stdout.readline().decode().strip()

    def read(self, n, seconds=5):
        """Exactly n bytes, as drivers read that count on the length of an answer."""
        end = time.monotonic() + seconds * SLOW
        while len(self.buffer) < n:
            ready, _, _ = select.select([self.fd], [], [], max(0, end - time.monotonic()))
            assert ready, f"only {self.buffer.hex()} of {n} bytes came"
            data = os.read(self.fd, 4096)
            assert data, "hang-up"
            self.buffer += data
        data, self.buffer = self.buffer[:n], self.buffer[n:]
        return data

    def message(self, seconds=5):
        """(id, payload) of the next message."""
        header = self.read(3, seconds)
        size = header[1] << 7 | header[2]
        assert header[0] & 0x80 and size >= 3, header.hex()
        return header[0], self.read(size - 3, seconds)

    def expect(self, kind, seconds=5):
        """The payload of the next message, which must be of that kind."""
        got, payload = self.message(seconds)
        assert got == kind, f"{got:02x} {payload.hex()} instead of {kind:02x}"
        return payload

    def find(self, kind, seconds=5):
        """The payload of the next message of that kind; others are passed over."""
        while True:
            got, payload = self.message(seconds)
            if got == kind:
                return payload

    def messages_for(self, seconds):
        """All that comes in so much time."""
        got, end = [], time.monotonic() + seconds
        while True:
            if not self.buffer and not select.select([self.fd], [], [], max(0, end - time.monotonic()))[0]:
                return got
            got.append(self.message())

    def quiet(self, seconds=0.3):
        got = self.messages_for(seconds)
        assert not got, got

    def men(self):
        self.send("42")
        return "".join(CODES[code] for code in self.find(0x86))

    def order(self, *data):
        """A clock command: 2b size 03 data 00."""
        self.send(bytes([0x2b, len(data) + 2, 3, *data, 0]))

    def ack(self, seconds=5):
        """The four bytes of the clock's next answer, as PicoChess decodes it."""
        while True:
            p = self.find(0x8d, seconds)
            if p[0] & 0x0f == 0x0a or p[3] & 0x0f == 0x0a:
                return ((p[1] & 0x7f) | (p[3] << 3 & 0x80), (p[2] & 0x7f) | (p[3] << 2 & 0x80),
                        (p[4] & 0x7f) | (p[0] << 3 & 0x80), (p[5] & 0x7f) | (p[0] << 2 & 0x80))


def bcd(byte):
    assert byte >> 4 <= 9 and byte & 15 <= 9, f"{byte:02x}"
    return (byte >> 4) * 10 + (byte & 15)


def times(p):
    """(left, right) in seconds, and the status byte, of a time message."""
    right = (p[0] & 15) * 3600 + bcd(p[1]) * 60 + bcd(p[2])
    left = (p[3] & 15) * 3600 + bcd(p[4]) * 60 + bcd(p[5])
    return left, right, p[6]


# --- handshakes of other drivers ---

def test_dgtnix_sends_everything_in_one_burst():
    with Board("--serial", 24718) as board:
        board.send("40 42 45 46 4d 47 43")
        assert "".join(CODES[c] for c in board.expect(0x86)) == START
        assert board.expect(0x91) == b"24718"
        high, low = board.expect(0x90)
        assert high << 7 | low == 24718 & 0x3fff
        assert board.expect(0x93) == b"\x03\x0a"
        text = board.expect(0x92)
        assert b"adoube-sim" in text and b"24718" in text and all(c < 0x80 for c in text)
        assert board.expect(0x8d) == bytes([0, 0, 0, 0, 0, 0, 0x20])  # no clock


def test_picochess_probes_and_keeps_alive():
    with Board("--clock", "dgt3000") as board:
        board.send("4b")
        board.send("4d")
        board.find(0x93)
        board.send("42")
        board.find(0x86)
        board.send("4c")
        assert len(board.find(0xa0)) == 9
        board.send("55")
        assert board.find(0xa2) == b"3000001025"
        board.order(9)
        assert board.ack() == (0x10, 0x09, 0x20, 0)
        for _ in range(3):
            board.send("45")
            assert board.find(0x91) == b"01025"


def test_asyncdgt_does_not_wait_for_acks():
    with Board("--clock", "dgt3000") as board:
        board.send("4b 42")
        board.find(0x86)
        board.send("2b0a030a000500000300 01 00" "2b03030300")
        first = board.find(0x8d)
        while first[3] != 0x0a:
            first = board.find(0x8d)
        assert first[:3] == bytes([0x0a, 0x10, 0x0a])
        assert board.ack() == (0x10, 0x03, 0, 0)


def test_dgtchess_reads_fixed_lengths():
    with Board("--clock", "dgtxl") as board:
        board.send("40 45 4d 42 44")
        assert board.read(8) == bytes.fromhex("910008") + b"01025"
        assert board.read(5)[:3] == bytes.fromhex("930005")
        assert board.read(67)[:3] == bytes.fromhex("860043")
        board.do("press black", "lift e2", "wait 400", "place e4", "press white")
        assert board.read(5) == bytes.fromhex("8e00053400")
        assert board.read(5) == bytes.fromhex("8e00052401")
        board.quiet(1.3)  # the clock runs, but its messages were not asked for


def test_jchip_drops_input_until_it_is_quiet():
    with Board() as board:
        board.send("4b 42")
        board.send("40")
        board.messages_for(0.1)
        board.send("45 4d 42")
        assert [board.message()[0] for _ in range(3)] == [0x91, 0x93, 0x86]


def test_bearchess_and_not_live_chess():
    with Board() as board:
        board.send("4b 4d")
        board.find(0x93)
        board.send("40 44 42 4c")
        board.find(0x86)
        board.expect(0xa0)


def test_a_wrong_size_byte_does_not_wedge_the_board():
    with Board("--clock", "dgt3000") as board:
        board.send("4b 4d 48 45")
        board.find(0x96)
        board.send("2b 05 03 09 00")  # the whole length instead of what follows
        time.sleep(1.2)
        board.send("45")
        assert board.find(0x91) == b"01025"


# --- modes ---

def test_only_update_modes_tell_of_changes():
    with Board("--scan-ms", 0, "--clock", "dgt3000") as board:
        board.send("40")
        board.do("lift e2", "press black")
        board.quiet(1.2)
        board.send("44")
        board.do("lift d2")
        assert board.expect(0x8e) == bytes([51, 0])
        board.send("4b")
        left, right, status = times(board.expect(0x8d))
        assert status & 1 and right == 5400 and 5390 < left < 5400, (left, right, status)
        board.do("place d4 P")
        assert board.find(0x8e) == bytes([35, 1])


def test_update_repeats_the_time_and_nice_does_not():
    with Board("--clock", "dgt3000") as board:
        board.send("43")
        assert 2 <= len([1 for kind, _ in board.messages_for(2.5) if kind == 0x8d]) <= 4
        board.send("4b")
        assert [kind for kind, _ in board.messages_for(1.5)] == [0x8d]


def test_acks_need_a_mode_with_clock_messages():
    with Board("--clock", "dgt3000") as board:
        for mode in ("40", "44"):
            board.send(mode)
            board.order(9)
            board.quiet(0.2)
        for mode in ("43", "4b"):
            board.send(mode)
            board.order(9)
            assert board.ack() == (0x10, 0x09, 0x20, 0)


def test_a_bus_command_is_swallowed_and_ends_the_mode():
    with Board("--scan-ms", 0) as board:
        board.send("4b")
        board.find(0x8d)
        board.send("82 08 01 0b")
        board.do("lift e2")
        board.quiet(0.2)
        board.send("45")
        assert board.expect(0x91) == b"01025"
        board.send("4a")
        board.send("4b 42")
        board.find(0x86)


def test_draughts_scanning():
    with Board("--scan-ms", 0) as board:
        board.send("44 51")
        board.do("lift a1", "lift b1")
        assert board.expect(0x8e) == bytes([56, 0])  # a1 is a dark square
        board.quiet(0.2)
        board.send("54")
        assert board.expect(0x8e) == bytes([57, 0])
        board.send("50 52")
        assert len(board.expect(0x94)) == 50 and len(board.expect(0x95)) == 50


# --- the clock ---

def test_the_host_sets_and_runs_the_clock():
    with Board("--clock", "dgt3000") as board:
        board.send("4b")
        board.order(0x0a, 1, 2, 3, 0, 10, 20, 0x01)
        assert board.ack() == (0x10, 0x0a, 0, 0)
        board.send("41")
        left, right, status = times(board.find(0x8d))
        assert right == 620 and 3720 <= left <= 3723 and status & 1
        time.sleep(1.5)
        board.send("41")
        later, right, _ = times(board.messages_for(0.3)[-1][1])
        assert right == 620 and left - 3 <= later < left
        board.order(0x0a, 0, 0, 2, 0, 5, 0, 0x01)
        board.ack()
        end = time.monotonic() + 10 * SLOW
        while True:
            p = board.find(0x8d)
            if times(p)[0] == 0:
                break
            assert time.monotonic() < end
        assert p[3] & 0x10 and not p[6] & 1  # fallen, and blocked


def test_the_clock_refuses_in_another_option():
    with Board("--clock", "dgtxl") as board:
        board.send("4b")
        board.do("option 1", "display")
        board.said()
        board.order(0x0a, 0, 5, 0, 0, 5, 0, 0x04)
        assert board.ack() == (0x40, 0x0a, 0, 0)
        board.do("option 23", "display")
        board.said()
        board.order(0x0a, 0, 5, 0, 0, 5, 0, 0x04)
        assert board.ack() == (0x10, 0x0a, 0, 0)


def test_the_display():
    with Board("--clock", "dgt3000") as board:
        board.send("4b")
        board.order(0x0c, *b"e2e4    ", 1)
        assert board.ack() == (0x10, 0x0c, 0, 0)
        board.do("display")
        assert board.said().startswith('display text "e2e4    "')
        board.order(3)
        board.ack()
        board.do("display")
        assert board.said().startswith("display times 1:30:00 1:30:00 stopped")
    with Board("--clock", "dgtxl") as board:
        board.send("4b")
        segments = {c: s for c, s in zip("e24 ", (0x7b, 0x5b, 0x66, 0x00))}
        text = [segments[c] for c in "e2e4  "]
        board.order(1, text[2], text[1], text[0], text[5], text[4], text[3], 0, 1)
        assert board.ack() == (0x10, 0x01, 0, 0)
        board.do("display")
        assert board.said() == 'display text "e2e4  "'
        board.order(0x0c, *b"e2e4    ", 1)  # an XL does not know it
        assert all(kind != 0x8d or p[0] & 15 != 10 for kind, p in board.messages_for(0.3))
        board.order(9)
        assert board.ack() == (0x10, 0x09, 0x1e, 0)


def test_periods_and_flags_beside_the_times():
    with Board("--clock", "dgt3000") as board:
        board.send("4b")
        board.order(0x0a, 0, 5, 0, 0, 5, 0, 0x04)
        board.ack()
        board.order(2, 0, 0, 0x01, 0x22, 0x40, 0, 0, 0)  # left period 1, right period 2 and flag; they stay
        assert board.ack() == (0x10, 0x02, 0, 0)
        board.do("display")
        assert board.said().endswith("left period 1 right period 2 right flag")
        board.order(0x0a, 0, 4, 0, 0, 4, 0, 0x04)
        board.ack()
        board.do("display")
        assert board.said().endswith("left period 1 right period 2 right flag")
        board.order(2, 0, 0, 0x04, 0, 0, 0, 0, 0)
        board.ack()
        board.do("display")
        assert board.said().endswith("left period 3")
        board.order(0x0a, 0, 4, 0, 0, 4, 0, 0x04)  # without bit 6 of the fifth byte they go with the old times
        board.ack()
        board.do("display")
        assert "period" not in board.said()


def test_each_second_is_shown_in_bcd_on_its_side():
    """What a host sets in binary it reads back in BCD, to the byte; people see the same."""
    with Board("--clock", "dgt3000") as board:
        board.send("4b")
        board.find(0x8d)
        for left, right in (((0, 0, 1), (9, 59, 59)), ((1, 10, 19), (0, 9, 10)), ((9, 0, 0), (0, 20, 30)), ((0, 59, 59), (5, 45, 36))):
            board.order(0x0a, *left, *right, 0x04)
            assert board.ack() == (0x10, 0x0a, 0, 0)
            board.send("41")
            p = board.find(0x8d)
            while p[0] & 15 == 10:
                p = board.find(0x8d)
            assert p == bytes(int(str(n), 16) for n in right + left) + p[6:], p.hex()
            assert not p[6] & 1
            board.do("display")
            shown = "{}:{:02}:{:02} ".format(*left) + "{}:{:02}:{:02} ".format(*right)
            assert board.said().startswith(f"display times {shown}stopped"), (left, right)
        for bad in ((10, 0, 0, 0, 0, 0), (0, 60, 0, 0, 0, 0), (0, 0, 0, 0, 0, 60), (0x11, 0, 0, 0, 0, 0)):
            board.order(0x0a, *bad, 0x04)
            assert board.ack()[0] == 0x40, bad


def test_the_turn_bits_of_2012():
    with Board("--clock", "dgt3000") as board:
        board.send("4b")
        assert board.find(0x8d)[6] == 0x10  # the left side is up, and its owner to move
        board.do("clock turn-bits 2012", "display")
        board.said()
        board.send("41")
        assert board.find(0x8d)[6] == 0x08


def test_the_lever_can_change_who_runs():
    with Board("--clock", "dgt3000") as board:
        board.send("4b")
        board.order(0x0a, 0, 5, 0, 0, 5, 0, 0x09)  # left down, toggled by the lever
        board.ack()
        board.do("press white", "display")
        assert "right runs" in board.said()
        board.order(0x0a, 0, 5, 0, 0, 5, 0, 0x02)  # right down, and the host's word alone counts
        board.ack()
        board.do("press black", "display")
        assert "right runs" in board.said()


def test_a_running_clock_is_unplugged():
    with Board("--clock", "dgt3000") as board:
        board.send("4b")
        board.find(0x8d)
        board.do("press black", "wait 100", "clock none", "wait 1200")
        end = time.monotonic() + 5 * SLOW
        while board.find(0x8d)[6] != 0x20:
            assert time.monotonic() < end
        board.do("lift e2", "wait 300", "place e4 P")  # each in a scan of its own
        assert board.find(0x8e) == bytes((52, 0)) and board.find(0x8e) == bytes((36, 1))
        with open(f"/proc/{board.process.pid}/stat") as file:
            before = file.read().split()[13:15]
        time.sleep(0.5)
        with open(f"/proc/{board.process.pid}/stat") as file:
            assert sum(map(int, file.read().split()[13:15])) - sum(map(int, before)) < 20, "it does not rest"


def test_buttons_and_lever():
    with Board("--clock", "dgt3000") as board:
        board.send("4b")
        board.find(0x8d)
        for number, mask, digit in ((1, 0x05, "1"), (2, 0x21, "4"), (4, 0x09, "2"), (5, 0x41, "5")):
            board.do(f"button {number}")
            assert board.ack() == (0x10, 0x88, mask, ord(digit))
        board.do("press white")
        assert board.find(0x8d)[6] == 0x0b  # right up, his turn, running
        board.do("press black")
        status = 0x0b
        while status == 0x0b:
            status = board.find(0x8d)[6]
        assert status == 0x11
    with Board("--clock", "dgt3000", "--clock-side", "right") as board:
        board.send("4b")
        board.find(0x8d)
        board.do("press white")
        assert board.find(0x8d)[6] == 0x11


def test_acks_that_go_wrong():
    with Board("--clock", "dgt3000", "--speed", 10) as board:
        board.send("4b")
        board.find(0x8d)

        def acks(fault, n):
            board.do(f"ack {fault} 1", "display")
            board.said()
            board.order(3)
            got = [p for kind, p in board.messages_for(0.6 * SLOW) if kind == 0x8d and p[0] & 15 == 10]
            assert len(got) == n, (fault, got)
            return got

        acks("lose", 0)
        acks("double", 2)
        acks("delay", 1)
        assert acks("wrong", 1)[0][1] == 0x20
        board.order(3)
        assert board.ack() == (0x10, 3, 0, 0)


# --- the board ---

def test_fields_are_scanned_in_their_order_and_in_time():
    with Board("--scan-ms", 400) as board:
        board.send("44 42")
        board.find(0x86)
        for _ in range(3):
            began = time.monotonic()
            board.do("position 8/8/8/8/8/8/8/8")
            fields = [board.expect(0x8e)[0] for _ in range(32)]
            took = time.monotonic() - began
            order = sorted(fields)
            turn = order.index(fields[0])
            assert fields == order[turn:] + order[:turn], fields
            assert 0.2 <= took <= 0.4 + 0.3 * SLOW, took
            board.do("position rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR")
            for _ in range(32):
                board.expect(0x8e)


def test_what_is_put_back_between_two_scans_was_never_gone():
    with Board("--scan-ms", 2000) as board:
        board.send("44 42")
        board.find(0x86)
        time.sleep(0.05)
        for square in ("a8", "h8", "d1", "e2", "h1"):
            board.do(f"lift {square}", f"place {square}")
        assert len(board.messages_for(2.5)) <= 2  # a scan may pass just between the two
        assert board.men() == START


def test_the_board_can_be_turned():
    with Board("--orientation", "rotated", "--scan-ms", 0) as board:
        assert board.men() == START[::-1]
        board.send("44")
        board.do("lift e2", "wait 300", "place e4 P")  # each in a scan of its own
        assert board.expect(0x8e) == bytes([63 - 52, 0])
        assert board.expect(0x8e) == bytes([63 - 36, 1])


def test_slide_and_exchange():
    with Board("--scan-ms", 0) as board:
        board.send("44")
        board.do("slide a1 a3", "place a7 R")
        got = [tuple(board.expect(0x8e)) for _ in range(5)]
        assert got == [(56, 0), (48, 2), (48, 0), (40, 2), (8, 2)], got


def read_log(board):
    """The entries of the EEPROM log, as text."""
    board.send("49")
    data = board.find(0x8f, 10)
    assert len(data) == 0x1f00 and data[-1] == 0x6b
    names = {0x6a: "power-up", 0x6b: "end", 0x6c: "four-rows", 0x6d: "empty", 0x6e: "read", 0x6f: "start", 0x7a: "start-rotated"}
    entries, i = [], 0
    while i < len(data):
        tag = data[i]
        if 0x40 <= tag <= 0x5f:
            entries.append(f"{data[i + 1]}{CODES[tag & 15]}")
            i += 2
        elif 0x60 <= tag <= 0x69 or 0x70 <= tag <= 0x79:
            entries.append(f"{'left' if tag & 0x10 else 'right'} {tag & 15}:{bcd(data[i + 1]):02}:{bcd(data[i + 2]):02}")
            i += 3
        else:
            if tag in names:
                entries.append(names[tag])
            i += 1
    return entries


def test_the_log_tells_what_happened():
    with Board("--scan-ms", 0, "--clock", "dgt3000", "--time", "300+0") as board:
        board.do("wait 300", "lift e2", "wait 300", "place e4", "press white", "wait 300", "position 8/8/8/8/8/8/8/8", "display")
        board.said()
        entries = read_log(board)
        assert entries[0] == "power-up" and len([e for e in entries[1:33] if e[-1] in CODES]) == 32
        assert entries[33:37] == ["start", "52.", "36P", "left 0:05:00"], entries
        assert entries[-2:] == ["empty", "end"]
        assert read_log(board)[-2:] == ["read", "end"]


def test_a_flickering_man_does_not_fill_the_log():
    with Board("--scan-ms", 0) as board:
        board.do(*["lift e2", "place e2"] * 50, "display")
        board.said()
        assert len(read_log(board)) < 45


# --- the cable ---

def test_the_cable_goes_out_and_comes_back():
    with Board("--scan-ms", 0) as board:
        board.send("4b")
        board.find(0x8d)
        board.do("cable-out 300")
        ready, _, _ = select.select([board.fd], [], [], 5 * SLOW)
        assert ready
        try:
            assert os.read(board.fd, 1) == b""
        except OSError:
            pass
        assert not os.path.lexists(board.link)
        board.disconnect()
        board.do("lift e2")
        board.wait_for_link()
        board.connect()
        board.do("lift d2")
        board.quiet(0.2)  # after power-up it says nothing by itself
        assert board.men() == START.replace("PPPPPPPP", "PPP..PPP")


def test_a_host_may_close_and_another_open():
    with Board("--scan-ms", 0) as board:
        board.send("4b 42")
        board.find(0x86)
        board.disconnect()
        board.do("lift e2")
        time.sleep(0.2)
        board.connect()
        board.send("45")
        assert board.find(0x91) == b"01025"
        assert board.men()[52] == "."


def test_garbage():
    with Board() as board:
        board.send("40")
        board.do("garbage 5000")
        board.read(5000)
        assert board.men() == START


def test_random_bytes_of_a_host_do_no_harm():
    with Board("--clock", "dgt3000") as board:
        state = 1
        for _ in range(64):
            block = []
            for _ in range(256):
                state = state * 1103515245 + 12345 & 0x7fffffff
                block.append(state >> 16 & 0xff)
            board.send(bytes(block))
            board.buffer = b""
            while select.select([board.fd], [], [], 0)[0]:
                os.read(board.fd, 65536)
        time.sleep(1.2)
        board.send("40 54")
        time.sleep(0.2)
        while select.select([board.fd], [], [], 0.3)[0]:
            os.read(board.fd, 65536)
        assert board.men() == START


def test_it_sleeps_when_nothing_happens():
    for connect in (True, False):
        with Board("--clock", "dgt3000", connect=connect) as board:
            if connect:
                board.send("4b 42")
                board.find(0x86)
                board.disconnect()

            def ticks():
                with open(f"/proc/{board.process.pid}/stat") as stat:
                    fields = stat.read().rsplit(")", 1)[1].split()
                return int(fields[11]) + int(fields[12])

            before = ticks()
            time.sleep(1)
            assert ticks() - before <= 5, "it spins"


# --- the command line ---

def run(*arguments):
    done = subprocess.run([SIM, *arguments], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20 * SLOW)
    return done.returncode, done.stdout, done.stderr


def test_wrong_arguments_are_refused():
    for arguments, words in ((("--link", "x", "--protocol", "enigma"), "choose one of dgt"),
                             ((), "--link"), (("--link", "x", "--clock", "sundial"), "dgt3000"), (("--link", "x", "--speed", "0"), "speed"),
                             (("--link", "x", "--scan-ms", "-1"), "scan-ms"), (("--link", "x", "--noise", "opera"), "clean"),
                             (("--link", "x", "--serial", "12345678901"), "serial"), (("--link", "x", "y"), "y"), (("--what",), "--help"),
                             (("--link", "x", "--orientation", "up"), "rotated"), (("--link", "x", "--time", "36000"), "ten hours")):
        status, out, err = run(*arguments)
        assert (status, out) == (2, "") and words in err, (arguments, status, out, err)
    status, out, err = run("--help")
    assert status == 0 and "--clock-side" in out and not err
    status, out, err = run("--link", "/nowhere/board")
    assert status == 1 and "/nowhere/board" in err


def test_a_stale_link_is_replaced_and_nothing_else():
    with tempfile.TemporaryDirectory() as directory:
        path = os.path.join(directory, "board")
        with open(path, "w") as file:
            file.write("precious")
        assert run("--link", path)[0] == 1
        with open(path) as file:
            assert file.read() == "precious"
        os.unlink(path)
        os.symlink("/dev/pts/no-such", path)
        process = subprocess.Popen([SIM, "--link", path], stdin=subprocess.DEVNULL)
        end = time.monotonic() + 5 * SLOW
        while not os.path.exists(path):
            assert time.monotonic() < end
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert process.wait(10 * SLOW) == 0
        assert os.listdir(directory) == []


def test_wrong_commands_are_told_and_passed_over():
    with Board("--scan-ms", 0) as board:
        board.expects_errors = True
        board.do("lift", "lift e9", "lift e4", "place e4", "place e4 X", "press red", "press white", "button 6", "wait x", "position 8/8", "position",
                 "ack eat 1", "cable-out", "garbage -1", "castle", "next", "x" * 10000, "slide a1 b3", "rest 2", "go", "option", "time 1", "", "# a word", "lift e2")
        board.send("44")
        board.do("place e4")
        assert board.find(0x8e)[0] in (52, 36)
        board.do("quit")
        out, err = board.process.communicate(timeout=10 * SLOW)
        assert len(err.splitlines()) == 22, err.decode()


GAMES = """[Event "castling, en passant, promotion"]

1. e4 Nf6 2. e5 d5 3. exd6 Nc6 4. dxc7 Qd7 5. Nf3 e6 6. Be2 Be7 7. O-O O-O 8. d4 Rd8 9. cxd8=Q+ Bxd8 1-0

[Event "castling long, and a position of its own"]
[FEN "r3k2r/pppq1ppp/8/8/8/8/PPPQ1PPP/R3K2R w KQkq - 0 1"]
[SetUp "1"]

1. O-O-O O-O-O 2. Qxd7+ {} Rxd7 (2... Kb8) 3. Rxd7 Kxd7 1/2-1/2

[Event "mate"]

1. f3 e5 2. g4 Qh4# 0-1
"""


def placement(fen):
    return "".join("." * int(c) if c.isdigit() else c for c in fen.split()[0].replace("/", ""))


def test_hands_play_whole_games():
    ends = [placement("r1bb2k1/pp1q1ppp/2n1pn2/8/3P4/5N2/PPP1BPPP/RNBQ1RK1"), placement("7r/pppk1ppp/8/8/8/8/PPP2PPP/2K4R"),
            placement("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR")]
    for arguments in ((), ("--clock", "dgt3000"), ("--clock", "dgtxl", "--orientation", "rotated", "--clock-side", "right"), ("--scan-ms", 0),
                      ("--seed", 7), ("--noise", "clean", "--seed", 8)):
        with tempfile.NamedTemporaryFile("w", suffix=".pgn") as file:
            file.write(GAMES)
            file.flush()
            with Board("--pgn", file.name, "--hold", "--speed", 2000, *arguments) as board:
                turned = "rotated" in arguments
                board.send("4b 42")
                for number, end in enumerate(ends, 1):
                    men = None
                    while board.process.poll() is None:
                        if select.select([board.fd], [], [], 0.01)[0]:
                            try:
                                os.read(board.fd, 65536)
                            except OSError:
                                break
                        if select.select([board.process.stdout], [], [], 0)[0]:
                            line = os.read(board.process.stdout.fileno(), 200).decode()
                            if f"game {number} over" in line:
                                break
                    if number < len(ends):
                        board.buffer = b""
                        men = board.men()
                        assert (men[::-1] if turned else men) == end, (arguments, number, men)
                        board.do("next")
                assert board.process.wait(15 * SLOW) == 0


def said_while_read(board):
    """The next line of standard output, while a host reads what the board sends: else its time stands still."""
    while not select.select([board.process.stdout], [], [], 0)[0]:
        if select.select([board.fd], [], [], 0.01)[0]:
            os.read(board.fd, 65536)
    return board.said()


def test_hands_rest_where_they_are_told_to():
    rested = placement("rnbqkb1r/pppppppp/5n2/8/4P3/8/PPPP1PPP/RNBQKBNR")
    with tempfile.NamedTemporaryFile("w", suffix=".pgn") as file:
        file.write(GAMES)
        file.flush()
        with Board("--pgn", file.name, "--clock", "dgt3000", "--speed", 50) as board:
            board.do("rest 2")
            board.send("4b 42")
            assert said_while_read(board) == "game 1 begins"
            assert said_while_read(board) == "game 1 rests after ply 2"
            for pause in (0, 0.3):  # 15 s of theirs
                time.sleep(pause)
                while select.select([board.fd], [], [], 0.01)[0]:
                    os.read(board.fd, 65536)
                board.buffer = b""
                assert board.men() == rested
            board.do("rest 4", "go")
            assert said_while_read(board) == "game 1 rests after ply 4"
            board.do("quit")
            assert board.process.wait(15 * SLOW) == 0


def test_a_board_that_was_held_up_sees_the_man_before_the_press():
    """A busy machine stops the program for a while, and the host asks meanwhile: what is late comes late, but in its order."""
    with tempfile.NamedTemporaryFile("w", suffix=".pgn") as file:
        file.write(GAMES)
        file.flush()
        with Board("--pgn", file.name, "--clock", "dgt3000", "--speed", 20, "--scan-ms", 50, "--think-ms", 300) as board:
            board.send("4b 42")
            updates, lever, presses = 0, None, -1  # the first press starts White's clock
            while presses < 12:
                board.process.send_signal(signal.SIGSTOP)
                board.send("41")
                time.sleep(0.12)  # 2.4 s of theirs
                board.process.send_signal(signal.SIGCONT)
                for kind, p in board.messages_for(0.05):
                    if kind == 0x8e:
                        updates += 1
                    elif kind == 0x8d and p[0] & 15 != 10 and p[6] & 2 != lever:
                        presses += lever is not None
                        lever = p[6] & 2
                        assert updates >= 2 * presses, f"press {presses} came before its move"
            board.do("quit")
            end = time.monotonic() + 10 * SLOW
            while board.process.poll() is None and time.monotonic() < end:
                if select.select([board.fd], [], [], 0.01)[0]:
                    os.read(board.fd, 65536)
            assert board.process.poll() == 0


def main():
    wanted = sys.argv[2:]
    tests = [(name, test) for name, test in globals().items() if name.startswith("test_") and (not wanted or name in wanted)]
    assert tests
    for name, test in tests:
        began = time.monotonic()
        test()
        print(f"ok {name} ({time.monotonic() - began:.1f} s)", flush=True)


main()
