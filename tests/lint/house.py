#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The rules of the house that a program can check: the direction of includes, purity, the size of files, words that do not belong.

Usage: house.py SOURCE_ROOT [CHECK]...      without a CHECK, all of them; exit 1 and one line a fault
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(sys.argv[1]).resolve()
FOLDERS = ("rules", "drivers", "daemon", "dbus", "tests")
LONGEST = 800

# Who may include what, by folder; daemon/sim is a program of its own, dbus/ctl and the tests are clients.
MAY_INCLUDE = {
    "rules": {"rules"},
    "drivers": {"drivers"},
    "daemon": {"daemon", "rules", "drivers"},
    "daemon/sim": {"daemon/sim", "rules", "drivers"},
    "dbus": {"dbus", "daemon", "rules"},
    "dbus/ctl": {"dbus/ctl", "rules"},
}
ALSO = {
    "drivers": {"rules/types.h"},
    "daemon/main.c": {"dbus/service.h"},
    "dbus/ctl": {"dbus/bus_message.h", "dbus/path.h", "dbus/values.h"},  # D-Bus values, of which neither side has more
}
# The daemon's headers that D-Bus may read.
DBUS_READS = {"daemon/archive.h", "daemon/session.h", "daemon/manager.h", "daemon/notice.h", "daemon/log.h"}

IMPURE = re.compile(r"\b(malloc|calloc|realloc|free|strdup|clock_gettime|gettimeofday|time|printf|fprintf|puts|fopen|open|read|write|"
                    r"ioctl|poll|usleep|nanosleep|getenv|rand|random)\s*\(")
IMPURE_HEADERS = re.compile(r"<(stdio|unistd|fcntl|time|sys/[a-z]+|termios|poll|pthread|systemd/.*|dbus/.*|libudev|sqlite3|ini)\.h>")
# The command line of the core, the generator of its tables, and the transports are shells around it.
SHELLS = re.compile(r"^(rules/(adoube_rules|cli_\w+|generate_\w+)\.[ch]|drivers/transport\w*\.[ch])$")
STATIC_STATE = re.compile(r"^\s*static\s+(?!const\b|inline\b)(?:(?!\bconst\b)[\w\s*])+\b\w+(\[[^\]]*\])*\s*(=|;)")
STRANGE = re.compile("|".join((r"/wor" r"k/", r"/far" r"m/", r"TOD" r"O\b", r"FIXM" r"E\b", r"[Ss]ub" r"agent", r"[Hh]elper ses" r"sion",
                               r"deb\.debi" r"an\.org", r"registry\.npm" r"js")))


def sources(*folders):
    for folder in folders:
        for path in sorted((ROOT / folder).rglob("*.[ch]")):
            yield path, path.relative_to(ROOT).as_posix()


def strip_comments(text):
    """Comments and strings become blanks; lines keep their numbers."""
    pattern = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S)
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def check_includes():
    for path, name in sources("rules", "drivers", "daemon", "dbus"):
        folder = name.rsplit("/", 1)[0]
        for number, line in enumerate(path.read_text().splitlines(), 1):
            match = re.match(r'#include "([^"]+)"', line)
            if not match or "/" not in match.group(1):
                if match and match.group(1) != "driver-list.h":
                    yield f"{name}:{number}: include by the path from the root: {match.group(1)}"
                continue
            target = match.group(1)
            allowed = target.rsplit("/", 1)[0] in MAY_INCLUDE.get(folder, ()) or \
                target in ALSO.get(folder, ()) or target in ALSO.get(name, ())
            if folder == "dbus" and target.startswith("daemon/"):
                allowed = target in DBUS_READS
            if folder == "rules" and target.startswith("rules/cli") and not SHELLS.match(name):
                allowed = False
            if not allowed:
                yield f"{name}:{number}: {folder}/ may not include {target}"


def check_pure():
    for path, name in sources("rules", "drivers"):
        if SHELLS.match(name):
            continue
        text = strip_comments(path.read_text())
        for number, line in enumerate(text.splitlines(), 1):
            if IMPURE.search(line) and not line.startswith("#"):
                yield f"{name}:{number}: the pure core makes no system call and does not allocate: {line.strip()}"
            if IMPURE_HEADERS.search(line):
                yield f"{name}:{number}: the pure core does not include {line.strip()}"
            if name.endswith(".c") and STATIC_STATE.match(line) and "(" not in line.split("=")[0]:
                yield f"{name}:{number}: static state that can change: {line.strip()}"


def check_libdbus():
    for path, name in sources("rules", "drivers", "daemon", "dbus"):
        if "<dbus/" in path.read_text() and not re.match(r"dbus/(bus(_\w+)?\.[ch]|ctl/|examples/)", name):
            yield f"{name}: only dbus/bus*.c and the clients in dbus/ctl/ and dbus/examples/ know libdbus"


def check_size():
    for path, name in sources(*FOLDERS):
        lines = len(path.read_text().splitlines())
        if lines > LONGEST:
            yield f"{name}: {lines} lines; split it by what it is about ({LONGEST} at most)"


def check_head():
    for path, name in sources(*FOLDERS):
        text = path.read_text()
        if not text.startswith("/* SPDX-License-Identifier: MIT */"):
            yield f"{name}: does not begin with its licence"
        if name.endswith(".h"):
            guard = re.sub(r"[/.-]", "_", name).upper()
            # libdbus owns the names that begin with DBUS_.
            if not re.search(rf"#ifndef ((ADOUBED?_)?{guard})\n#define \1\b", text):
                yield f"{name}: the guard is not {guard}"


def check_words():
    for path in sorted(ROOT.rglob("*")):
        name = path.relative_to(ROOT).as_posix()
        if not path.is_file() or name.startswith((".git", "build")) or path.stat().st_size > 1 << 20 or name == "tests/lint/house.py":
            continue
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            if STRANGE.search(line):
                yield f"{name}:{number}: a word that does not belong in the project: {line.strip()[:100]}"


CHECKS = {name.removeprefix("check_"): check for name, check in list(globals().items()) if name.startswith("check_")}


def main():
    wanted = sys.argv[2:] or list(CHECKS)
    faults = [fault for name in wanted for fault in CHECKS[name]()]
    for fault in faults:
        print(fault)
    print(f"{', '.join(wanted)}: {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
