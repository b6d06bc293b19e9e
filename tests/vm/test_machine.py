#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A whole machine: the package on a Debian with systemd, udev and the kernel's own drivers, virtual boards on its USB, people of all kinds.

Usage: test_machine.py DIRECTORY PACKAGE ADOUBE_SIM      DIRECTORY: made by make-image; PACKAGE: made by ./run deb
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

from machine import Machine, accelerator

TABLE = '"Table 1"'
FTDI_CONFIG = """[defaults]
auto-start=yes
[board Table 1]
driver=dgt
device=usb:0403:6001
"""
GADGET = """( set -e
modprobe -a dummy_hcd libcomposite usb_f_acm
G=/sys/kernel/config/usb_gadget/board
mkdir -p $G; cd $G
echo 0x045b > idVendor; echo 0x8111 > idProduct
mkdir -p strings/0x409 functions/acm.0 configs/c.1
echo DGT > strings/0x409/manufacturer; echo e-Board > strings/0x409/product
ln -s $G/functions/acm.0 configs/c.1/
mkfifo /run/hands
sleep infinity > /run/hands &
adoube-sim --link /run/board --serial 30001 --scan-ms 0 < /run/hands > /run/sim.log 2>&1 &
until test -e /run/board; do sleep 0.1; done
until test -c /dev/ttyGS0; do sleep 0.1; done
socat /dev/ttyGS0,raw,echo=0 /run/board,raw,echo=0 > /run/socat.log 2>&1 &
)"""


def skip(reason):
    print("skip:", reason)
    sys.exit(77)


class Test:
    def __init__(self, directory, package, sim):
        self.scratch = tempfile.mkdtemp(prefix="adoubed-vm-test-")
        self.began = time.monotonic()
        self.hands = subprocess.Popen([sim, "--link", self.path("board"), "--serial", "24718", "--scan-ms", "0"], stdin=subprocess.PIPE,
                                      stdout=subprocess.DEVNULL)
        self.machine = None
        shutil.copy(directory / "disk.qcow2", self.path("disk.qcow2"))
        os.mkdir(self.path("files"))
        shutil.copy(package, self.path("files/adoubed.deb"))
        subprocess.run(["mkfs.ext4", "-q", "-F", "-d", self.path("files"), self.path("files.img"), "32M"], check=True)
        patience = 4 if accelerator() == "tcg" else 1
        self.machine = Machine(directory, self.path("disk.qcow2"), "ready", patience)
        self.directory = directory

    def path(self, name):
        return os.path.join(self.scratch, name)

    def say(self, text):
        print(f"{time.monotonic() - self.began:6.1f} s  {text}", flush=True)

    def do(self, *lines):
        self.hands.stdin.write("".join(f"{line}\n" for line in lines).encode())
        self.hands.stdin.flush()

    def game(self, board=TABLE):
        said = self.machine.run(f"adoubectl --json show {board}")
        return json.loads(said)

    def wait_game(self, what, predicate, board=TABLE, seconds=30):
        until = time.monotonic() + seconds * self.machine.patience
        while True:
            status, said = self.machine.run(f"adoubectl --json show {board}", check=False)
            shown = json.loads(said) if status == 0 else None
            shown = shown[0] if isinstance(shown, list) else shown
            if shown and predicate(shown):
                return shown
            if time.monotonic() > until:
                print(self.machine.run("journalctl -u adoubed --no-pager -n 40; lsusb 2>/dev/null; ls -l /dev/tty[UA]*; dmesg | tail -5", check=False)[1])
                raise AssertionError(f"{what}: {said}")
            time.sleep(0.2)

    def wait_moves(self, moves, board=TABLE):
        return self.wait_game(f"the moves {moves}", lambda shown: shown["Game"]["Moves"] == moves, board)

    def attach(self):
        self.machine.ask("chardev-add", id="board", backend={"type": "serial", "data": {"device": os.path.realpath(self.path("board"))}})
        self.plug()

    def plug(self):
        self.machine.ask("device_add", driver="usb-serial", id="dgt", chardev="board", bus="xhci.0", **{"always-plugged": True})

    # --- what happens, in order ---

    def install(self):
        self.machine.run(f"date -s @{int(time.time())}")
        self.machine.ask("blockdev-add", **{"node-name": "files", "driver": "raw", "read-only": True,
                                            "file": {"driver": "file", "filename": self.path("files.img")}})
        self.machine.ask("device_add", driver="virtio-blk-pci", drive="files", id="files")
        self.machine.wait_for("test -b /dev/vdb && mount -o ro /dev/vdb /mnt", "the disk with the package")
        self.say("the machine runs; installing")
        began = time.monotonic()
        self.machine.run("apt-get -y install /mnt/adoubed.deb", seconds=120)
        self.machine.run("useradd -G adoube-arbiter arbiter; useradd -G adoube player; useradd stranger")
        self.machine.wait_for("systemctl is-active adoubed && adoubectl list", "the service")
        self.say("the package is installed, the service runs: " + self.machine.run("systemctl show -p StatusText --value adoubed").strip())
        return began

    def play_on_the_serial_board(self, began):
        self.machine.run(f"cat > /etc/adoubed/adoubed.conf <<'END'\n{FTDI_CONFIG}END\nsystemctl reload adoubed")
        self.wait_game("the board of the configuration", lambda shown: shown["Board"]["Status"] == "absent")
        self.attach()
        self.wait_game("the board on ftdi_sio", lambda shown: shown["Board"]["Connected"] and shown["Game"]["State"] == "ready")
        self.say("plugged: " + self.machine.run("readlink -f /sys/class/tty/ttyUSB0/device/driver").strip().rsplit("/", 1)[1])
        self.do("lift e2", "place e4 P", "wait 1500", "lift e7", "place e5 p")
        self.wait_game("the first move", lambda shown: shown["Game"]["Ply"] >= 1)
        self.say(f"the first move is on the bus, {time.monotonic() - began:.1f} s after the installation began")
        self.wait_moves(["e2e4", "e7e5"])

    def people(self):
        run = self.machine.run
        assert run(f"runuser -u stranger -- adoubectl show {TABLE}", check=False)[0] == 0, "a stranger cannot look"
        for who, command, status in (("stranger", f"arbiter declare-result {TABLE} 1-0", 1), ("player", f"arbiter declare-result {TABLE} 1-0", 1),
                                     ("stranger", f"draw offer {TABLE} white", 1), ("player", f"tag {TABLE} Round=3", 0),
                                     ("arbiter", f"arbiter stop-clocks {TABLE}", 0), ("arbiter", f"arbiter resume {TABLE}", 0)):
            found, said = run(f"runuser -u {who} -- adoubectl {command}", check=False)
            assert found == status, f"{who}: {command}: status {found}: {said}"
        self.say("a stranger and a player are refused the arbiter's calls; the arbiter is not")

    def cable(self):
        self.machine.ask("device_del", id="dgt")
        self.wait_game("the board without its cable", lambda shown: shown["Board"]["Status"] == "absent" and shown["Game"]["State"] != "none")
        self.do("lift g1", "place f3 N")
        self.plug()
        self.wait_moves(["e2e4", "e7e5", "g1f3"])
        self.say("unplugged and plugged in again; the move that was made meanwhile is there")

    def power_cut(self):
        before = self.game()
        before = before[0] if isinstance(before, list) else before
        self.machine.end()  # what was not written to the disk is lost
        self.machine = Machine(self.directory, self.path("disk.qcow2"), patience=self.machine.patience)
        self.attach()
        self.machine.wait_boot()
        shown = self.wait_game("the game after the power cut", lambda shown: shown["Board"]["Connected"], seconds=60)
        assert shown["Game"]["Id"] == before["Game"]["Id"] and shown["Game"]["Moves"] == before["Game"]["Moves"], shown
        self.do("lift b8", "place c6 n")
        self.wait_moves(["e2e4", "e7e5", "g1f3", "b8c6"])
        self.say("the power was cut; the same game goes on")

    def started_by_udev(self):
        self.machine.run("systemctl stop adoubed")
        self.machine.run(GADGET)
        self.machine.run("echo dummy_udc.0 > /sys/kernel/config/usb_gadget/board/UDC")
        self.machine.wait_for("systemctl is-active adoubed", "the service that udev starts")
        name = self.machine.wait_for("adoubectl list --names | grep ^dgt-", "the board that was not configured").strip()
        self.wait_game("the board on cdc_acm", lambda shown: shown["Board"]["Connected"] and shown["Game"]["State"] == "ready", name)
        self.machine.run("printf 'lift d2\\nplace d4 P\\nwait 1500\\nlift d7\\nplace d5 p\\n' > /run/hands")
        self.wait_moves(["d2d4", "d7d5"], name)
        properties = self.machine.run("udevadm info -q property -n /dev/ttyACM0")
        assert "ID_MM_PORT_IGNORE=1" in properties, properties
        self.say(f"045b:8111 plugged: udev started the service, {name} appeared and plays; ModemManager is kept away")

    def unit(self):
        shown = dict(line.split("=", 1) for line in self.machine.run("systemctl show adoubed -p User,NRestarts,Result,StatusText,NoNewPrivileges,"
                                                                     "WatchdogUSec,MainPID").splitlines())
        assert (shown["User"], shown["NRestarts"], shown["Result"]) == ("adoubed", "0", "success"), shown
        uid = self.machine.run(f"stat -c %U /proc/{shown['MainPID']}").strip()
        assert uid == "adoubed", uid
        assert self.machine.run("journalctl -u adoubed -p err --no-pager -q", check=False)[1] == ""
        self.say("as its own user, never restarted, no error: " + shown["StatusText"])

    def end(self):
        if self.machine:
            self.machine.end()
        self.hands.terminate()
        self.hands.wait()
        shutil.rmtree(self.scratch, ignore_errors=True)


def main():
    directory, package, sim = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    if not shutil.which("qemu-system-x86_64"):
        skip("qemu-system-x86_64 is not installed")
    if not (directory / "disk.qcow2").exists():
        skip(f"there is no {directory}/disk.qcow2; tests/vm/make-image makes it")
    if not package.exists():
        skip(f"there is no {package}; ./run deb makes it")

    test = Test(directory, package, sim)
    try:
        began = test.install()
        test.play_on_the_serial_board(began)
        test.people()
        test.cable()
        test.started_by_udev()
        test.unit()
        test.power_cut()
    finally:
        test.end()
    print("ok")


if __name__ == "__main__":
    main()
