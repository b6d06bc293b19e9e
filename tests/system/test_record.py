# SPDX-License-Identifier: MIT
"""What goes over a cable is recorded, and its replay gives the moves that the daemon saw."""

import os
import pathlib
import subprocess

import harness

BOARD = "Table 1"


def replay(path):
    run = subprocess.run([os.environ["ADOUBE_RULES"], "replay", path], capture_output=True, text=True, timeout=60 * harness.SLOW)
    assert run.returncode == 0, run.stderr
    return run.stdout


def test_a_game_with_a_cable_out_is_recorded_and_replayed():
    with harness.World() as world:
        sim = world.sim("board", "--clock", "dgt3000")
        directory = pathlib.Path(world.path("captures"))
        daemon = world.daemon(f"{BOARD},dgt,{sim.link}", arguments=("--record", str(directory)))
        client = world.client()
        client.wait_property(BOARD, "Game", "State", "ready")
        assert "driver experimental" in daemon.said(), "how sure the driver is, is said at the plug-in"
        sim.do("press black", "lift e2", "wait 300", "place e4", "wait 200", "press white", "wait 500", "lift e7", "wait 300", "place e5",
               "wait 200", "press black", "wait 500", "cable-out 500")
        client.wait_property(BOARD, "Board", "Status", "absent")
        client.wait_property(BOARD, "Board", "Status", "connected")
        sim.do("lift g1", "wait 300", "place f3", "wait 300", "press white")
        client.wait_property(BOARD, "Game", "Ply", 3)
        moves = client.get(BOARD, "Game", "Moves")
        daemon.end()

        text = replay(directory / "Table_1.cap")
        completed = [line.split()[3] for line in text.splitlines() if len(line.split()) > 3 and line.split()[1] == "completed"]
        assert completed == list(moves), (completed, moves)
        capture = (directory / "Table_1.cap").read_text()
        assert capture.count("= opened") == 2 and capture.count("= lost") == 1


def test_a_directory_that_cannot_be_is_said():
    with harness.World() as world:
        run = subprocess.run([os.environ["ADOUBED"], "--config", "/dev/null", "--bus", world.address, "--state-dir", world.path("state"),
                              "--record", "/dev/null/x"], capture_output=True, text=True, timeout=20 * harness.SLOW)
        assert run.returncode == 1 and "/dev/null/x" in run.stderr, run


if __name__ == "__main__":
    harness.run_tests(globals())
