# SPDX-License-Identifier: MIT
"""Holds the README's table of boards equal to what the drivers say.

Usage: boards_table.py PROGRAM README [--write]      --write puts the table there
"""

import pathlib
import subprocess
import sys

BEGIN, END = "<!-- boards:", "<!-- end of boards -->\n"


def main():
    table = subprocess.run([sys.argv[1]], capture_output=True, text=True, check=True).stdout
    readme = pathlib.Path(sys.argv[2])
    text = readme.read_text()
    start = text.index("\n", text.index(BEGIN)) + 1
    end = text.index(END)
    if "--write" in sys.argv:
        readme.write_text(text[:start] + table + text[end:])
    elif text[start:end] != table:
        print(f"README.md's table of boards is not what the drivers say:\n{table}\nRun: {' '.join(sys.argv)} --write")
        return 1
    return 0


sys.exit(main())
