# SPDX-License-Identifier: MIT
"""Replays every capture and compares what comes out with what is expected; see README.md.

Usage: check.py ADOUBE_RULES BOARDS_TABLE      BOARDS_TABLE prints the drivers and how sure each is
"""

import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
CUTS = ((), ("--cut", "1"), ("--cut", "7"))


def run(*command):
    return subprocess.run([str(part) for part in command], capture_output=True, text=True, timeout=60, check=True).stdout


def headers(capture):
    lines = (line[1:].partition(":") for line in capture.read_text().splitlines() if line.startswith("#"))
    return {key.strip(): value.strip() for key, _, value in lines}


def check_capture(rules, capture):
    head = headers(capture)
    if head.get("Driver") != capture.parent.name:
        yield f"its driver is '{head.get('Driver')}', its folder is {capture.parent.name}"
    if head.get("Source") not in ("recorded", "simulated"):
        yield "its Source is neither recorded nor simulated"
    expected = capture.with_suffix(".expected")
    if not expected.exists():
        yield f"there is no {expected.name}"
        return
    for cut in CUTS:
        if run(rules, "replay", *cut, capture) != expected.read_text():
            yield f"replay {' '.join(cut)} gives something else than {expected.name}"


def statuses(table):
    """The drivers with how sure each is, from the README's table."""
    rows = [row.split("|") for row in run(table).splitlines() if "`" in row]
    return {row[2].strip(" `"): row[6].strip() for row in rows}


def check_driver(driver, status):
    captures = sorted((HERE / driver).glob("*.cap"))
    real = any(headers(capture).get("Source") == "recorded" for capture in captures)
    if not captures:
        yield "has no capture"
    if status != "experimental" and not real:
        yield f"is {status}, but all its captures are simulated"
    if status == "experimental" and real:
        yield "has a capture of a real board: it is no more experimental, but replayed"


def main():
    rules, table = sys.argv[1:]
    faults = []
    captures = sorted(HERE.glob("*/*.cap"))
    for capture in captures:
        faults += [f"{capture.relative_to(HERE)}: {fault}" for fault in check_capture(rules, capture)]
    for driver, status in statuses(table).items():
        faults += [f"driver {driver}: {fault}" for fault in check_driver(driver, status)]
    print("\n".join(faults + [f"{len(captures)} captures, {len(faults)} faults"]))
    return 1 if faults or not captures else 0


if __name__ == "__main__":
    sys.exit(main())
