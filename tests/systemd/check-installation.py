#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Installs into an empty root, compares the files with a list, uninstalls and looks for what is left.

Usage: check-installation.py BUILD_ROOT PREFIX LIST      the paths of LIST are below PREFIX, but for those that begin with '/'
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile


def installed(root):
    return {"/" + path.relative_to(root).as_posix() for path in root.rglob("*") if not path.is_dir()}


def expected(prefix, listing, build):
    """Lines 'PATH' or 'PATH if FILE': the latter where FILE was made in the build directory."""
    for line in listing.read_text().splitlines():
        line = line.split("#")[0].strip()
        path, _, condition = line.partition(" if ")
        if path and (not condition or (build / condition).exists()):
            sysconf = "/etc" if prefix == "/usr" else prefix + "/etc"
            yield path.replace("@sysconfdir@", sysconf) if path.startswith("@") else f"{prefix}/{path}"


def main():
    build, prefix, listing = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    log = build / "meson-logs" / "install-log.txt"
    before = log.read_bytes() if log.exists() else None  # of somebody's own installation
    root = pathlib.Path(tempfile.mkdtemp(prefix="adoubed-root-"))
    environment = dict(os.environ, DESTDIR=str(root))
    faults = []

    try:
        subprocess.run(["meson", "install", "-C", build, "--no-rebuild", "--quiet"], env=environment, check=True)
        found, wanted = installed(root), set(expected(prefix, listing, build))
        faults += [f"installed, but not in the list: {path}" for path in sorted(found - wanted)]
        faults += [f"in the list, but not installed: {path}" for path in sorted(wanted - found)]
        print(f"{len(found)} files installed")

        subprocess.run(["ninja", "-C", build, "uninstall"], env=environment, check=True, stdout=subprocess.DEVNULL)
        left = sorted(path.as_posix() for path in root.rglob("*"))
        faults += [f"left behind: {path}" for path in left]
    finally:
        shutil.rmtree(root)
        if before is None:
            log.unlink(missing_ok=True)
        else:
            log.write_bytes(before)

    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
