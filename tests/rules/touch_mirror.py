# SPDX-License-Identifier: MIT
"""Runs each touch-move case mirrored: the Laws know neither a better colour nor, castling apart, a better flank.

    touch_mirror.py ADOUBE-RULES FILE...

Colours exchanged and the ranks turned over, the verdict must be the same with the colours exchanged; where nobody may castle
the files are turned over too. The cases are rewritten word by word, so that a word that is not understood makes a case fail.
"""
import os
import re
import subprocess
import sys
import tempfile

SQUARE = re.compile(r"[a-h][1-8]")
MOVE = re.compile(r"([a-h][1-8])([a-h][1-8])([qrbn]?)")
OTHER = {"white": "black", "black": "white", "1-0": "0-1", "0-1": "1-0"}
# What follows is the name of a reason or code, with its article: no square stands there.
NAMES = ("reason", "viol", "class")


class Mirror:
    """colours: White and Black exchange their places; flanks: the a-file and the h-file do."""

    def __init__(self, name):
        self.name = name
        self.colours = name == "colours"

    def square(self, text):
        if self.colours:
            return text[0] + str(9 - int(text[1]))
        return chr(ord("a") + ord("h") - ord(text[0])) + text[1]

    def placement(self, text):
        rows = text.split("/")
        return "/".join(row.swapcase() for row in reversed(rows)) if self.colours else "/".join(row[::-1] for row in rows)

    def fen(self, words):
        """None when this mirror does not leave the castling rights what they are."""
        fields = list(words)
        fields[0] = self.placement(fields[0])
        if self.colours:
            fields[1] = "b" if fields[1] == "w" else "w"
            fields[2] = "".join(sorted(fields[2].swapcase()))
        elif fields[2] != "-":
            return None
        if fields[3] != "-":
            fields[3] = self.square(fields[3])
        return " ".join(fields)

    def word(self, text):
        if text in OTHER:
            return OTHER[text] if self.colours else text
        if SQUARE.fullmatch(text.strip("*")):
            return text.replace(text.strip("*"), self.square(text.strip("*")))
        move = MOVE.fullmatch(text)
        if move:
            return self.square(move[1]) + self.square(move[2]) + move[3]
        if len(text) == 1 and text.isalpha():
            return text.swapcase() if self.colours else text
        return text

    def line(self, words):
        """The words of one line, mirrored; None when the case cannot be."""
        if words[0] == "case":
            return ["case", f"{words[1]}-{self.name}"]
        if words[0] == "fen":
            fen = self.fen(words[1:])
            return ["fen", fen] if fen else None
        if words[0] not in ("ev", "ex") or words[1] in NAMES or words[1] == "promote":
            return words
        if words[1] == "board":
            return ["ex", "board", self.placement(words[2])]
        return words[:2] + [self.word(word) for word in words[2:]]


def cases(path):
    """The cases of a file, each a list of lines as words, comments left out."""
    case = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            words = re.sub(r"(^|\s)#.*", "", line).split()
            if words:
                case.append(words)
            if words == ["end"]:
                yield case
                case = []


def mirrored(paths):
    text, n = [], 0
    for mirror in (Mirror("colours"), Mirror("flanks")):
        for path in paths:
            for case in cases(path):
                lines = [mirror.line(words) for words in case]
                if None not in lines:
                    text += [" ".join(words) for words in lines]
                    n += 1
    return "\n".join(text) + "\n", n


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    text, n = mirrored(sys.argv[2:])
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "mirrored.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        done = subprocess.run([sys.argv[1], "touch", path], capture_output=True, text=True, check=False)
    last = done.stdout.splitlines()[-1] if done.stdout else ""
    if done.returncode != 0 or last != f"{n} passed, 0 failed":
        print("\n".join(line for line in done.stdout.splitlines() if not line.startswith("ok ")))
        sys.exit(f"{n} mirrored cases: {last or 'no answer'}; {done.stderr[:2000]}")
    print(last)


main()
