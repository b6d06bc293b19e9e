# SPDX-License-Identifier: MIT
"""Games for the system tests: read from PGN, with every move's SAN, UCI and FEN as the rules core tells them."""

import os
import re
import subprocess

import harness

START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"


class Game:
    def __init__(self, tags, sans):
        self.tags = tags
        self.result = tags.get("Result", "*")
        lines = subprocess.run([os.environ["ADOUBE_RULES"], "san", "--fen", START, *sans], capture_output=True, text=True, check=True)
        self.plies = [tuple(line.split("\t")) for line in lines.stdout.splitlines()]  # (san, uci, fen)

    def pgn(self):
        """The game as the virtual board gets it."""
        text = "".join(f'[{name} "{value}"]\n' for name, value in self.tags.items())
        return text + "\n" + " ".join(san for san, _, _ in self.plies) + f" {self.result}\n\n"


def read(path, most=None):
    """The games of a file that begin from the normal position and have moves."""
    text = subprocess.run([os.environ["ADOUBE_RULES"], "pgn", str(path)], capture_output=True, text=True).stdout
    games = []
    for chunk in re.split(r"\n\n(?=\[)", text):
        head, _, body = chunk.partition("\n\n")
        tags = dict(re.findall(r'^\[(\w+) "((?:[^"\\]|\\.)*)"\]$', head, re.M))
        body = re.sub(r"\{[^}]*\}", " ", body)
        if "FEN" in tags or "Variant" in tags or "(" in body or "$" in body:
            continue
        sans = [token for token in body.split() if not re.fullmatch(r"\d+\.+|1-0|0-1|1/2-1/2|\*", token)]
        if not sans or "--" in sans:
            continue
        games.append(Game(tags, sans))
        if len(games) == most:
            break
    return games


def collection(most):
    """The handed-out games where they are at hand, else those of the project."""
    directory = harness.cases_directory()
    if directory:
        files = [directory / "games" / name for name in ("morphy.pgn", "newyork1924.pgn", "special-events.pgn")]
    else:
        files = [harness.SOURCE / "tests/cases/famous.pgn"]
    games = []
    for file in files:
        games += read(file, most)
    step = max(1, len(games) // most)
    return games[::step][:most]
