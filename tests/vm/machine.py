#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A virtual machine: its monitor, and a console on which commands are run in it.

Usage: machine.py snapshot DIRECTORY      starts the machine of make-image from its disk, and keeps it as it is then
"""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time


def accelerator():
    return "kvm" if os.access("/dev/kvm", os.R_OK | os.W_OK) else "tcg"


class Machine:
    """@directory: kernel, initrd. @disk: qcow2, written to. @snapshot: go on from there, or None: start from the disk."""

    def __init__(self, directory, disk, snapshot=None, patience=1):
        self.scratch = tempfile.mkdtemp(prefix="adoubed-vm-")
        self.patience = patience
        self.log = self.path("console.log")
        command = ["qemu-system-x86_64", "-machine", f"pc,accel={accelerator()}", "-cpu", "max", "-smp", "2", "-m", "768",
                   "-nodefaults", "-display", "none",
                   "-kernel", str(directory / "kernel"), "-initrd", str(directory / "initrd"),
                   "-append", "console=ttyS0 quiet systemd.show_status=false loglevel=3",
                   "-drive", f"file={disk},if=virtio,format=qcow2,cache=unsafe",
                   "-serial", f"file:{self.log}",
                   "-qmp", f"unix:{self.path('monitor')},server=on,wait=off",
                   "-device", "virtio-serial-pci", "-chardev", f"socket,id=commands,path={self.path('commands')},server=on,wait=off",
                   "-device", "virtconsole,chardev=commands",
                   "-device", "qemu-xhci,id=xhci"]
        if snapshot:
            command += ["-loadvm", snapshot]
        self.qemu = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=open(self.path("qemu.log"), "w"))
        self.monitor = self.connect("monitor")
        self.monitor_text = b""
        self.read_monitor()
        self.ask("qmp_capabilities")
        self.commands = self.connect("commands")
        self.text = b""
        self.number = 0

    def path(self, name):
        return os.path.join(self.scratch, name)

    def connect(self, name):
        until = time.monotonic() + 30 * self.patience
        while True:
            connection = socket.socket(socket.AF_UNIX)
            try:
                connection.connect(self.path(name))
                return connection
            except OSError:
                connection.close()
                if self.qemu.poll() is not None or time.monotonic() > until:
                    raise AssertionError("qemu did not start: " + pathlib.Path(self.path("qemu.log")).read_text())
                time.sleep(0.05)

    # --- the monitor ---

    def read_monitor(self):
        self.monitor.settimeout(120 * self.patience)
        while b"\n" not in self.monitor_text:
            chunk = self.monitor.recv(65536)
            assert chunk, "qemu has ended"
            self.monitor_text += chunk
        line, _, self.monitor_text = self.monitor_text.partition(b"\n")
        return json.loads(line)

    def ask(self, command, **arguments):
        self.monitor.sendall(json.dumps({"execute": command, "arguments": arguments}).encode() + b"\n")
        while True:
            answer = self.read_monitor()
            if "error" in answer:
                raise AssertionError(f"{command}: {answer['error']['desc']}")
            if "return" in answer:
                return answer["return"]

    def wait_event(self, name):
        while self.read_monitor().get("event") != name:
            pass

    # --- commands in the machine ---

    def read_until(self, token, seconds):
        until = time.monotonic() + seconds * self.patience
        while token not in self.text:
            self.commands.settimeout(max(0.1, until - time.monotonic()))
            try:
                chunk = self.commands.recv(65536)
            except socket.timeout:
                chunk = b""
            if not chunk:
                raise AssertionError(f"the machine did not answer within {seconds * self.patience} s; it said: {self.text[-2000:].decode(errors='replace')}")
            self.text += chunk
        before, _, self.text = self.text.partition(token)
        return before.decode(errors="replace")

    def wait_boot(self, seconds=150):
        self.text = b""
        self.read_until(b"ready", seconds)

    def run(self, command, check=True, seconds=60):
        """Gives what the command printed; with check=False the status and that."""
        self.number += 1
        token = f"<{self.number} ended "
        # The token is written in two parts, so that an echo of the line is not taken for it.
        self.commands.sendall(f"{{ {command}\n}} </dev/null 2>&1; printf '<%s ended %s>\\n' {self.number} $?\n".encode())
        said = self.read_until(token.encode(), seconds).replace("\r\n", "\n")
        status = int(self.read_until(b">", 10))
        self.text = self.text.lstrip(b"\r\n")
        if not check:
            return status, said
        assert status == 0, f"{command}: status {status}: {said}"
        return said

    def wait_for(self, command, what, seconds=60):
        until = time.monotonic() + seconds * self.patience
        while True:
            status, said = self.run(command, check=False)
            if status == 0:
                return said
            assert time.monotonic() < until, f"{what} did not come within {seconds * self.patience} s: {said}"
            time.sleep(0.3)

    def end(self):
        if self.qemu.poll() is None:
            try:
                self.ask("quit")
            except (AssertionError, OSError):
                self.qemu.kill()
            self.qemu.wait(30)
        shutil.rmtree(self.scratch, ignore_errors=True)


def snapshot(directory):
    machine = Machine(directory, directory / "disk.qcow2", patience=3)
    try:
        machine.wait_boot()
        machine.run("systemctl is-system-running --wait || systemctl --failed", check=False, seconds=120)
        print(machine.run("uptime; systemctl --failed --no-legend; uname -r"), end="")
        machine.run("for m in ftdi_sio cdc_acm dummy_hcd libcomposite usb_f_acm; do modprobe $m || exit 1; done; sync")
        answer = machine.ask("human-monitor-command", **{"command-line": "savevm ready"})
        assert not answer, answer
    finally:
        machine.end()


if __name__ == "__main__":
    if len(sys.argv) != 3 or sys.argv[1] != "snapshot":
        sys.exit(__doc__)
    snapshot(pathlib.Path(sys.argv[2]).resolve())
