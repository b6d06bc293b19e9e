# SPDX-License-Identifier: MIT
"""The examples of dbus/examples: each follows all boards, counts the clocks on, and goes on after a restart of the daemon.

Usage: test_examples.py PROGRAM...
"""

import re
import shutil
import subprocess
import sys
import time

import harness

NAMES = ("Table 1", "Mesa 2 ñ")


def play(world, client, sim, ply, origin, target, side):
    sim.do(f"lift {origin}", "wait 300", f"place {target}", f"press {side}")
    client.wait_property(NAMES[0], "Game", "Ply", ply)


def seconds(text):
    hours, minutes, rest = text.split(":")
    return int(hours) * 3600 + int(minutes) * 60 + int(rest)


def times(follower):
    """White's times after ply 2, as they were printed."""
    return [seconds(found) for found in re.findall(r"ply 2, e5, white (\S+),", follower.said())]


def seconds_left(client):
    clock = client.all(NAMES[0], "Clock")
    return (clock["WhiteMs"] - time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1000000 + clock["AsOf"] // 1000) // 1000


def main():
    programs = [program for program in sys.argv[1:] if not program.endswith(".sh") or shutil.which("gdbus") and shutil.which("busctl")]
    with harness.World() as world:
        sims = [world.sim("first", "--clock", "dgt3000"), world.sim("second", "--serial", 4711)]
        boards = [f"{name},dgt,{sim.link}" for name, sim in zip(NAMES, sims)]
        daemon = world.daemon(*boards)
        client = world.client()
        for name in NAMES:
            client.wait_property(name, "Game", "State", "ready")
        followers = [harness.Process(world, program.rsplit("/", 1)[1], [program, world.address]) for program in programs]

        def all_say(pattern, most=30):
            for follower in followers:
                harness.wait_until(lambda: re.search(pattern, follower.said(), re.M), most, f"{follower.label} saying {pattern}")

        for name in NAMES:
            all_say(f"^{name}: ready, ply 0, -")
        sims[0].do("press black")
        client.wait_property(NAMES[0], "Clock", "Running", "white")
        play(world, client, sims[0], 1, "e2", "e4", "white")
        play(world, client, sims[0], 2, "e7", "e5", "black")
        all_say(r"^Table 1: playing, ply 1, e4, white 1:\d\d:\d\d, black 1:\d\d:\d\d$")
        all_say(r"^Table 1: playing, ply 2, e5, white 1:\d\d:\d\d, black 1:\d\d:\d\d$")

        # White's clock runs: who prints each second shows it, and shows it as the daemon does.
        time.sleep(2.5)
        began = seconds_left(client)
        for follower in followers:
            if follower.label != "follow.sh":
                shown = harness.wait_until(lambda: [t for t in times(follower) if t <= began], 10, f"{follower.label} counting on")
                assert 0 <= began - shown[0] <= 2 * harness.SLOW, f"{follower.label}: {began} s, and it says {times(follower)}"

        daemon.kill()
        all_say("^adoubed is away$")
        daemon = world.daemon(*boards)
        client.wait_property(NAMES[0], "Game", "State", "playing", 20)
        play(world, client, sims[0], 3, "g1", "f3", "white")
        all_say(r"^Table 1: playing, ply 3, Nf3, white 1:\d\d:\d\d, black 1:\d\d:\d\d$")
        time.sleep(harness.SLOW)  # a signal that comes amid a $( ) is a syntax error to bash 5.2: let the shell wait for its next line
        for follower in followers:
            assert follower.process.poll() is None, f"{follower.label} ended"
            follower.end()
        left = subprocess.run(["pgrep", "-f", world.address], capture_output=True, text=True).stdout.split()
        assert set(left) == {str(daemon.process.pid)}, f"left behind: {left}"


main()
