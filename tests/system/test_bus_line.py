# SPDX-License-Identifier: MIT
"""Many DGT boards on one line in bus mode, at the pace of a real line: found, each a board of its own, and no change read late.

Usage: test_bus_line.py [BOARDS [BAUD]]
"""

import random
import sys
import time

import harness

BOARDS = int(sys.argv[1]) if len(sys.argv) > 1 else 24
BAUD = int(sys.argv[2]) if len(sys.argv) > 2 else 9600
SERIAL = 1025
OLDEST = 2.5  # [s]


def names():
    return [f"Hall-{SERIAL + number:05d}" for number in range(BOARDS)]


def begin(world):
    sim = world.sim("board", "--protocol", "dgt-bus", "--boards", BOARDS, "--baud", BAUD, "--serial", SERIAL, "--clock", "dgt3000")
    daemon = world.daemon(f"Hall,dgt-bus,{sim.link}")
    client = world.client()

    def all_ready():
        objects = client.objects()
        boards = [client.board_path(name) for name in names()]
        return all(path in objects and objects[path][f"{harness.NAME}.Game"]["State"] == "ready" for path in boards) or None

    harness.wait_until(all_ready, 60, "all boards", 0.3)
    return sim, daemon, client


def test_a_line_of_boards():
    with harness.World() as world:
        began = time.monotonic()
        sim, daemon, client = begin(world)
        print(f"# {BOARDS} boards found and ready in {time.monotonic() - began:.1f} s")
        assert client.get("Hall", "Board", "Status") == "connected"
        assert client.get(names()[-1], "Board", "Serial") == f"{SERIAL + BOARDS - 1:05d}"

        for number in range(BOARDS):
            sim.do(f"board {number + 1}", "press black")
        for name in names():
            client.wait_property(name, "Game", "State", "playing", 15)

        # A lift at each board, at times that have nothing to do with the poll; when is it told?
        order = list(range(BOARDS))
        random.Random(1).shuffle(order)
        lifted = {}
        for number in order:
            sim.do(f"board {number + 1}", "lift e2")
            lifted[number] = time.monotonic()
            end = lifted[number] + random.Random(number).uniform(0.05, 0.25)
            client.wait(lambda: time.monotonic() > end or None)
            for name in names():
                told(client, name)
        delays = [client.wait(lambda n=n: told(client, names()[n]), 10, f"the lift at board {n + 1}") - lifted[n] for n in range(BOARDS)]
        print(f"# {BOARDS} boards at {BAUD} baud: a change was told after {sum(delays) / BOARDS:.2f} s in the mean, {max(delays):.2f} s at worst")
        assert max(delays) < OLDEST * harness.SLOW, delays

        # A move at every board within two seconds, with its press: the oldest is still in time, and each game has its move.
        started = time.monotonic()
        for number in order:
            sim.do(f"board {number + 1}", "place e4 P", "wait 40", "press white")
        for number in order:
            client.wait(lambda n=number: client.get(names()[n], "Board", "Position").startswith("rnbqkbnr/pppppppp/8/8/4P3") or None, 15)
        print(f"# after {time.monotonic() - started:.2f} s all {BOARDS} moves stood")
        for number in order:
            client.wait_property(names()[number], "Game", "Moves", ["e2e4"], 15)


SEEN = {}


def told(client, name):
    """When this client heard of the board's first lift."""
    client.pump()
    if name not in SEEN and client.of(name, "PieceLifted"):
        SEEN[name] = time.monotonic()
    return SEEN.get(name)


if __name__ == "__main__":
    sys.argv[1:] = []
    harness.run_tests(globals())
