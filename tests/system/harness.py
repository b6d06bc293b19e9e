# SPDX-License-Identifier: MIT
"""A private bus, the real daemon, virtual boards and a subscriber: what the system tests stand on.

Programs are found through the environment, set by meson: ADOUBED, ADOUBE_SIM, ADOUBECTL, ADOUBE_RULES.
"""

import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import traceback
from collections import defaultdict

from gi.repository import Gio, GLib

NAME = "org.adoube.Boards1"
ROOT = "/org/adoube/Boards1"
SOURCE = pathlib.Path(__file__).resolve().parents[2]
SLOW = 5 if os.environ.get("ADOUBE_SANITIZED") == "1" else 1

BUS_CONFIG = """<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:path={directory}/bus</listen>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
"""


def skip(reason):
    """Ends the test as skipped, with its reason."""
    print("skip:", reason)
    sys.exit(77)


def cases_directory():
    """The handed-out cases, which are not part of the project; None where they are not at hand."""
    for candidate in (os.environ.get("ADOUBE_CASES"), SOURCE.parent / "shared" / "cases"):
        if candidate and pathlib.Path(candidate, "games").is_dir():
            return pathlib.Path(candidate)
    return None


def escape(name):
    """A board's name as an element of an object path."""
    return "".join(chr(b) if chr(b).isalnum() and b < 128 else f"_{b:02x}" for b in name.encode())


def wait_until(predicate, seconds=10, what="the condition", step=0.01):
    deadline = time.monotonic() + seconds * SLOW
    while time.monotonic() < deadline:
        value = predicate()
        if value:
            return value
        time.sleep(step)
    raise AssertionError(f"{what} did not come within {seconds * SLOW} s")


class World:
    """One test's directory and processes; everything is gone at the end, and every exit was clean."""

    def __init__(self, bus="dbus-daemon"):
        self.bus_program = bus
        # In memory where there is such a place: a busy disk is not what these tests are about.
        memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
        self.directory = tempfile.mkdtemp(prefix="adoubed-test-", dir=memory)
        self.processes = []
        self.address = f"unix:path={self.directory}/bus"

    def __enter__(self):
        self.start_bus()
        return self

    def __exit__(self, kind, value, trace):
        for process in reversed(self.processes):
            process.end()
        if kind is not None:
            for process in self.processes:
                print(f"--- {process.label} said:\n{process.said()[-4000:]}", file=sys.stderr)
        shutil.rmtree(self.directory, ignore_errors=True)

    def path(self, name):
        return os.path.join(self.directory, name)

    def start_bus(self):
        if self.bus_program == "dbus-broker":
            import broker
            self.bus = broker.Broker(self, self.path("bus"))
            return
        with open(self.path("bus.conf"), "w") as file:
            file.write(BUS_CONFIG.format(directory=self.directory))
        self.bus = Process(self, "dbus-daemon", ["dbus-daemon", f"--config-file={self.path('bus.conf')}", "--nofork", "--nopidfile"])
        wait_until(self.bus_listens, what="the private bus")

    def bus_listens(self):
        """Its socket is there before anybody listens."""
        with socket.socket(socket.AF_UNIX) as probe:
            return probe.connect_ex(self.path("bus")) == 0

    def stop_bus(self, killed):
        """It goes, in order or killed; start_bus() brings it back at the same address."""
        if killed:
            self.bus.kill()
        else:
            self.bus.end()
        self.processes.remove(self.bus)
        if os.path.exists(self.path("bus")):
            os.unlink(self.path("bus"))

    def daemon(self, *boards, arguments=(), state="state", wait=True, life=None):
        """life: it is killed, by SIGPROF, when it has used so many seconds of the processor's time."""
        return Daemon(self, boards, arguments, self.path(state), wait, life)

    def sim(self, link="board", *arguments):
        return Sim(self, self.path(link), arguments)

    def client(self):
        return Client(self.address)

    def ctl(self, *arguments, check=True):
        """Runs adoubectl; gives what it printed, or (status, output, errors) with check=False."""
        run = subprocess.run([os.environ["ADOUBECTL"], "--bus", self.address, *arguments],
                             capture_output=True, text=True, timeout=30 * SLOW)
        if not check:
            return run.returncode, run.stdout, run.stderr
        assert run.returncode == 0, f"adoubectl {arguments}: exit {run.returncode}: {run.stderr}"
        return run.stdout


class Process:
    """A child whose output is kept, and whose crash fails the test."""

    clean_exits = (0, -signal.SIGTERM)

    def __init__(self, world, label, arguments, stdin=subprocess.DEVNULL, life=None, pass_fds=()):
        self.label = label
        self.log = world.path(f"{label.replace(' ', '-')}-{len(world.processes)}.log")
        self.killed = False
        with open(self.log, "wb") as log:
            # A timer of the process outlives exec().
            limit = (lambda: signal.setitimer(signal.ITIMER_PROF, life)) if life else None
            self.process = subprocess.Popen(arguments, stdin=stdin, stdout=log, stderr=subprocess.STDOUT, preexec_fn=limit,
                                            pass_fds=pass_fds)
        world.processes.append(self)

    def said(self):
        with open(self.log, errors="replace") as log:
            return log.read()

    def kill(self):
        """kill -9, and no complaint about it."""
        self.killed = True
        self.process.kill()
        self.process.wait()

    def end(self):
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10 * SLOW)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
                raise AssertionError(f"{self.label} did not end on SIGTERM")
        if not self.killed:
            code = self.process.returncode
            assert code in self.clean_exits, f"{self.label} ended with {code}:\n{self.said()[-4000:]}"


class Daemon(Process):
    clean_exits = (0,)

    def __init__(self, world, boards, arguments, state, wait, life=None):
        self.world = world
        command = [os.environ["ADOUBED"], "--config", "/dev/null", "--bus", world.address, "--state-dir", state]
        for board in boards:
            command += ["--board", board]
        super().__init__(world, "adoubed", command + list(arguments), life=life)
        if wait:
            self.wait_ready(world.client())
            assert self.process.poll() is None, f"adoubed ended with {self.process.returncode}:\n{self.said()}"

    def wait_ready(self, client):
        """Until it owns the name, or has ended."""
        wait_until(lambda: client.owner() or self.process.poll() is not None, 30, "the bus name")


class Sim(Process):
    def __init__(self, world, link, arguments):
        self.link = link
        super().__init__(world, "adoube-sim", [os.environ["ADOUBE_SIM"], "--link", link, *map(str, arguments)], stdin=subprocess.PIPE)
        wait_until(lambda: os.path.exists(link) or self.process.poll() is not None, what="the virtual board's link")
        assert self.process.poll() is None, f"adoube-sim ended with {self.process.returncode}:\n{self.said()}"

    def do(self, *lines):
        """Commands on standard input, one a line."""
        self.process.stdin.write("".join(f"{line}\n" for line in lines).encode())
        self.process.stdin.flush()

    def end(self):
        if self.process.stdin:
            try:
                self.process.stdin.close()
            except BrokenPipeError:
                pass
        super().end()


class Client:
    """A subscriber that remembers every signal of the service, in order."""

    def __init__(self, address):
        flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
        self.connection = Gio.DBusConnection.new_for_address_sync(address, flags, None, None)
        self.connection.set_exit_on_close(False)
        self.context = GLib.MainContext.default()
        self.signals = []  # (path, interface, member, arguments)
        self.by_name = defaultdict(list)  # (path, member): arguments
        self.connection.signal_subscribe(None, None, None, None, None, Gio.DBusSignalFlags.NONE, self._signal)

    def _signal(self, connection, sender, path, interface, member, arguments):
        if path.startswith(ROOT):
            values = arguments.unpack()
            self.signals.append((path, interface.rsplit(".", 1)[1] if interface.startswith(NAME) else interface, member, values))
            self.by_name[path, member].append(values)

    def owner(self):
        reply = self.connection.call_sync("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameHasOwner",
                                          GLib.Variant("(s)", (NAME,)), None, Gio.DBusCallFlags.NONE, 5000 * SLOW, None)
        return reply.unpack()[0]

    def board_path(self, board):
        return f"{ROOT}/board/{escape(board)}"

    def call(self, board, interface, method, signature="()", *arguments):
        """board: its name, or None for the manager. Raises GLib.Error."""
        path = ROOT if board is None else self.board_path(board)
        reply = self.connection.call_sync(NAME, path, f"{NAME}.{interface}", method, GLib.Variant(signature, arguments), None,
                                          Gio.DBusCallFlags.NONE, 10000 * SLOW, None)
        return reply.unpack()

    def error(self, board, interface, method, signature="()", *arguments):
        """The name of the error that the call is refused with: its part after Error., or the whole of a foreign one."""
        try:
            answer = self.call(board, interface, method, signature, *arguments)
        except GLib.Error as error:
            name = Gio.DBusError.get_remote_error(error) or str(error)
            return name.removeprefix(f"{NAME}.Error.")
        raise AssertionError(f"{interface}.{method}{arguments} was not refused: {answer}")

    def get(self, board, interface, name):
        path = ROOT if board is None else self.board_path(board)
        reply = self.connection.call_sync(NAME, path, "org.freedesktop.DBus.Properties", "Get",
                                          GLib.Variant("(ss)", (f"{NAME}.{interface}", name)), None,
                                          Gio.DBusCallFlags.NONE, 10000 * SLOW, None)
        return reply.unpack()[0]

    def all(self, board, interface):
        path = ROOT if board is None else self.board_path(board)
        reply = self.connection.call_sync(NAME, path, "org.freedesktop.DBus.Properties", "GetAll",
                                          GLib.Variant("(s)", (f"{NAME}.{interface}",)), None,
                                          Gio.DBusCallFlags.NONE, 10000 * SLOW, None)
        return reply.unpack()[0]

    def objects(self):
        reply = self.connection.call_sync(NAME, ROOT, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects", None, None,
                                          Gio.DBusCallFlags.NONE, 10000 * SLOW, None)
        return reply.unpack()[0]

    def pump(self):
        while self.context.iteration(False):
            pass

    def wait(self, predicate, seconds=10, what="the signal"):
        """Reads signals until the predicate holds; gives its value."""

        def step():
            self.pump()
            return predicate()

        return wait_until(step, seconds, what, 0.002)

    def of(self, board, member):
        """The arguments of the board's signals of this name, in order."""
        return self.by_name[self.board_path(board), member]

    def wait_property(self, board, interface, name, value, seconds=10):
        """Waits until the property has the value (or fulfils it, when it is a function)."""
        fits = value if callable(value) else lambda got: got == value
        try:
            return self.wait(lambda: fits(self.get(board, interface, name)) or None, seconds, f"{interface}.{name} == {value}")
        except AssertionError as error:
            raise AssertionError(f"{error}; it is {self.get(board, interface, name)!r}")


def run_tests(names):
    """Runs the functions test_*, or those named on the command line, and reports each as TAP."""
    tests = [(name, test) for name, test in names.items() if name.startswith("test_") and (len(sys.argv) < 2 or name in sys.argv[1:])]
    failed = 0
    print(f"1..{len(tests)}", flush=True)
    for number, (name, test) in enumerate(tests, 1):
        try:
            test()
            print(f"ok {number} - {name}", flush=True)
        except Exception:
            failed += 1
            print(f"not ok {number} - {name}", flush=True)
            traceback.print_exc()
    sys.exit(1 if failed else 0)
