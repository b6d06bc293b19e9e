# SPDX-License-Identifier: MIT
"""Drive mode: the service keeps the time, a DGT clock is its face and its lever."""

import clocks
import games
import harness
from clocks import BOARD, Model, Table, Watcher


def begin(world, control, *keys, **options):
    table = Table(world, "clock=drive", f"time-control={control}", *keys, **options)
    table.wait("Clock", "Mode", "drive")
    return table


def test_a_whole_game_of_two_periods_with_every_reading_checked():
    game = max(games.read(harness.SOURCE / "tests/cases/famous.pgn"), key=lambda g: len(g.plies))
    assert len(game.plies) > 84, "both sides reach their second period"
    with harness.World() as world:
        table = begin(world, "40/5400+30:1800+30", scale=10)
        watcher = Watcher(table, Model([(40, 5400000, 30000, 0), (0, 1800000, 30000, 0)]))
        table.model = watcher.model
        watcher.model.left = dict.fromkeys(clocks.SIDES, 5400 * 10**6)
        table.call("Clock", "Start", "(a{sv})", {})
        fen = games.START
        for ply, (san, uci, after) in enumerate(game.plies, 1):
            side = clocks.SIDES[1 - ply % 2]
            table.sim.do(f"wait {2000 + ply * 37 % 3000}", *clocks.hands(uci, fen), "wait 400", f"press {side}")
            assert table.completed(ply, 40)[3] == uci
            watcher.follow()
            if ply % 3 == 0:
                table.check_face()
            fen = after
        assert table.clock["Periods"] == (2, 2)
        assert watcher.checked > 2 * len(game.plies), f"only {watcher.checked} readings"
        print(f"# {watcher.checked} readings checked")


if __name__ == "__main__":
    harness.run_tests(globals())
