#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The manual pages against what they describe: org.adoube.Boards1(7) has each member of the interface file with its arguments and types,
adoubectl(1) each command of the help with its words and options; neither has more.

Usage: man_pages.py SOURCE_ROOT ADOUBECTL
"""

import pathlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

ANNOTATION = "org.freedesktop.DBus.Property.EmitsChangedSignal"
MARKS = {"true": "", "const": ", const", "invalidates": ", invalidated", "false": ", silent"}


def sections(page):
    """Heading and lines; '# A' then '## B' is the heading 'A/B'."""
    top, heading, lines = "", "", []
    for line in page.read_text().splitlines():
        if line.startswith("# "):
            yield heading, lines
            top, lines = line[2:], []
            heading = top
        elif line.startswith("## "):
            yield heading, lines
            heading, lines = f"{top}/{line[3:]}", []
        else:
            lines.append(line)
    yield heading, lines


def entries(lines):
    """(head, text) of each paragraph that has a head in bold and a text below it, without the marks of scdoc."""
    for i, line in enumerate(lines):
        if line.startswith("*") and i + 1 < len(lines) and lines[i + 1].startswith("\t"):
            text, k = [], i + 1
            while k < len(lines) and (lines[k].startswith("\t") or (not lines[k] and lines[k + 1:k + 2] and lines[k + 1].startswith("\t"))):
                text.append(lines[k].strip())
                k += 1
            yield plain(line), plain(" ".join(text))


def plain(text):
    return re.sub(r"\\(.)", r"\1", re.sub(r"(?<!\\)[*]|(?<![\\\w])_|(?<!\\)_(?!\w)", "", text))


def arguments(element, direction):
    wanted = [arg for arg in element.findall("arg") if arg.get("direction", "out") == direction]
    return ", ".join(f"{arg.get('name')} {arg.get('type')}" for arg in wanted)


def members(xml):
    """Section of the page and head of the entry, for each member."""
    for interface in ElementTree.parse(xml).getroot().iter("interface"):
        name = interface.get("name")
        for row in interface.findall("property"):
            emits = {a.get("name"): a.get("value") for a in row.findall("annotation")}.get(ANNOTATION, "true")
            writable = ", writable" if row.get("access") == "readwrite" else ""
            yield f"{name}/Properties", f"{row.get('name')} {row.get('type')}{MARKS[emits]}{writable}"
        for row in interface.findall("method"):
            out = arguments(row, "out")
            yield f"{name}/Methods", f"{row.get('name')}({arguments(row, 'in')}){' -> ' + out if out else ''}"
        for row in interface.findall("signal"):
            yield f"{name}/Signals", f"{row.get('name')}({arguments(row, 'out')})"


def check_interface(root):
    page = root / "dbus/org.adoube.Boards1.7.scd"
    wanted = list(members(root / "dbus/org.adoube.Boards1.xml"))
    found = [(heading, head) for heading, lines in sections(page) if "/" in heading for head, _ in entries(lines)]
    for heading, head in wanted:
        if (heading, head) not in found:
            yield f"{page.name}: {heading}: no entry '{head}'"
    for heading, head in found:
        if (heading, head) not in wanted:
            yield f"{page.name}: {heading}: the interface has no '{head}'"


def help_of(adoubectl, *words):
    return subprocess.run([adoubectl, "help", *words], check=True, capture_output=True, text=True).stdout


def check_adoubectl(root, adoubectl):
    page = root / "dbus/ctl/adoubectl.1.scd"
    parts = dict(sections(page))
    commands = dict(entries(parts["COMMANDS"]))
    options = {head for head, _ in entries(parts["COMMAND OPTIONS"])}
    known_options, usages = set(), set()
    for name in help_of(adoubectl, "--names").splitlines():
        text = help_of(adoubectl, *name.split())
        usage = text.splitlines()[0].removeprefix("usage: adoubectl ").strip()
        heads = [" ".join(m.groups()).strip() for m in re.finditer(r"^  (--\S+) ?(\S*)", text.partition("\noptions:\n")[2], re.M)]
        listed = re.search(r"Options: (.*)\.$", commands.get(usage, ""))
        if usage not in commands:
            yield f"{page.name}: no entry '{usage}'"
        elif (listed.group(1).split(", ") if listed else []) != [head.split()[0] for head in heads]:
            yield f"{page.name}: '{name}': the options are {', '.join(head.split()[0] for head in heads) or 'none'}"
        known_options.update(heads)
        usages.add(usage)
    yield from (f"{page.name}: there is no command '{usage}'" for usage in sorted(commands.keys() - usages))
    yield from (f"{page.name}: no option '{option}'" for option in sorted(known_options - options))
    yield from (f"{page.name}: there is no option '{option}'" for option in sorted(options - known_options))


def main():
    root = pathlib.Path(sys.argv[1])
    faults = list(check_interface(root)) + list(check_adoubectl(root, sys.argv[2]))
    print("\n".join(faults + [f"{len(faults)} faults"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
