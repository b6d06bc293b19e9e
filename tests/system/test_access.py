# SPDX-License-Identifier: MIT
"""Who may do what on a system bus: every method and property of the interface file, by callers of every kind, against the table of
org.adoube.Boards1(7). The bus has the policy that is installed, the callers have their own uids and groups, the daemon runs as its own user.

Needs root, who alone can become others. Users, groups and logind's word on who sits at the machine are this test's own, in a mount namespace.
"""

import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree

from gi.repository import Gio, GLib

from harness import NAME, ROOT, SLOW, SOURCE, Process, run_tests, skip, wait_until

PROPERTIES = "org.freedesktop.DBus.Properties"
REFUSED_BY_BUS, REFUSED_BY_SERVICE = "org.freedesktop.DBus.Error.AccessDenied", f"{NAME}.Error.NoPermission"

ADOUBED, PLAYERS, ARBITERS = 64800, 64810, 64811
CALLERS = {  # row of the table: name, uid, groups
    "root": ("root", 0, []),
    "group adoube-arbiter": ("test-arbiter", 64802, [ARBITERS]),
    "group adoube": ("test-player", 64803, [PLAYERS]),
    "active local user": ("test-local", 64804, []),
    "others": ("test-stranger", 64805, []),
}
BOARDS = {"Table 1": "", "Table 2": ",touch-visible=all,player-calls=local"}

BUS = """<busconfig>
  <type>system</type>
  <listen>unix:path={directory}/bus</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow user="*"/>
    <deny own="*"/>
    <deny send_type="method_call"/>
    <allow send_type="signal"/>
    <allow send_requested_reply="true" send_type="method_return"/>
    <allow send_requested_reply="true" send_type="error"/>
    <allow receive_type="method_call"/>
    <allow receive_type="method_return"/>
    <allow receive_type="error"/>
    <allow receive_type="signal"/>
    <allow send_destination="org.freedesktop.DBus" send_interface="org.freedesktop.DBus"/>
  </policy>
  <include>{policy}</include>
</busconfig>
"""

SAMPLES = {"side": "white", "square": "e4", "ground": "flag", "choice": "none", "kind": "warning", "result": "1-0", "uci": "e2e4",
           "name": "Table 3", "driver": "dgt", "device": "unix:/nonexistent/3", "reason": "a test", "text": "HELLO", "game_id": "none",
           "o": ROOT + "/board/none", "b": False, "u": 1, "x": 60000, "t": 0}


# --- the table ---

def page_sections():
    page = (SOURCE / "dbus/org.adoube.Boards1.7.scd").read_text()
    return page[page.index("# ACCESS"):page.index("# EXAMPLES")]


def read_table():
    """{caller: {class of calls: word}} and {Interface.Member: class of calls}."""
    text = page_sections()
    cells = [line[3:].strip("*") for line in text.splitlines() if line[:3] in ("[[ ", ":- ", ":  ", "|  ")]
    rows = [cells[i:i + 5] for i in range(0, len(cells), 5)]
    callers = {row[0]: dict(zip(rows[0][1:], row[1:])) for row in rows[1:]}
    classes = {}
    for title, members in re.findall(r"^\*([a-z' ]+)\*\n((?:\t.*\n)+)", text, re.M):
        for member in re.findall(r"\b[A-Z]\w+\.[A-Z]\w+", members):
            assert member not in classes, f"{member} stands twice in the table"
            classes[member] = title
    return callers, classes


def interfaces():
    return list(ElementTree.parse(SOURCE / "dbus/org.adoube.Boards1.xml").getroot().iter("interface"))


def allowed(word, board):
    """What the table's word means on a board."""
    return word == "yes" or (word != "no" and word in BOARDS[board])


# --- the world ---

class Machine:
    """Users, groups, sessions, a system bus and the daemon, for this process and its children alone."""

    def __init__(self):
        self.directory = tempfile.mkdtemp(prefix="adoubed-access-")
        self.processes = []

    def path(self, name):
        return os.path.join(self.directory, name)

    def write(self, name, text):
        pathlib.Path(self.path(name)).write_text(text)
        return self.path(name)

    def __enter__(self):
        os.chmod(self.directory, 0o755)
        users = [("adoubed", ADOUBED)] + [(name, uid) for name, uid, _ in CALLERS.values() if uid]
        self.mount_over("/etc/passwd", [f"{name}:x:{uid}:{uid}::/:/bin/false" for name, uid in users])
        self.mount_over("/etc/group", [f"{name}:x:{uid}:" for name, uid in users] +
                        [f"adoube-arbiter:x:{ARBITERS}:test-arbiter", f"adoube:x:{PLAYERS}:test-player"])
        subprocess.run(["mount", "-t", "tmpfs", "none", "/run"], check=True)
        os.makedirs("/run/systemd/users")
        for _, uid, _ in CALLERS.values():
            state = "active" if uid == CALLERS["active local user"][1] else "online"
            pathlib.Path(f"/run/systemd/users/{uid}").write_text(f"NAME=x\nSTATE={state}\n")

        self.write("bus.conf", BUS.format(directory=self.directory, policy=SOURCE / "dbus/org.adoube.Boards1.conf"))
        Process(self, "dbus-daemon", ["dbus-daemon", f"--config-file={self.path('bus.conf')}", "--nofork", "--nopidfile", "--nosyslog"])
        wait_until(lambda: os.path.exists(self.path("bus")), what="the bus")
        os.environ["DBUS_SYSTEM_BUS_ADDRESS"] = f"unix:path={self.path('bus')}"

        for name in ("state", "devices"):
            os.mkdir(self.path(name))
            os.chown(self.path(name), ADOUBED, ADOUBED)
        command = [os.environ["ADOUBED"], "--config", "/dev/null", "--state-dir", self.path("state")]
        self.hands = {}
        for board, keys in BOARDS.items():
            link = self.path("devices/" + board.replace(" ", "-"))
            self.hands[board] = self.as_daemon([os.environ["ADOUBE_SIM"], "--link", link, "--scan-ms", "0"], stdin=subprocess.PIPE)
            wait_until(lambda: os.path.exists(link), what="the virtual board")
            command += ["--board", f"{board},dgt,{link}{keys}"]
        self.as_daemon(command, label="adoubed")
        return self

    def mount_over(self, path, lines):
        names = {line.split(":")[0] for line in lines}
        kept = [line for line in pathlib.Path(path).read_text().splitlines() if line.split(":")[0] not in names]
        subprocess.run(["mount", "--bind", self.write(os.path.basename(path), "\n".join(kept + lines) + "\n"), path], check=True)

    def as_daemon(self, command, label="adoube-sim", stdin=subprocess.DEVNULL):
        return Process(self, label, ["setpriv", "--reuid", str(ADOUBED), "--regid", str(ADOUBED), "--clear-groups", *command], stdin).process

    def do(self, board, *lines):
        self.hands[board].stdin.write("".join(f"{line}\n" for line in lines).encode())
        self.hands[board].stdin.flush()

    def __exit__(self, kind, value, trace):
        for process in reversed(self.processes):
            if process.process.stdin:
                process.process.stdin.close()
            process.end()
        if kind is not None and getattr(value, "code", 1) != 0:
            for process in self.processes:
                print(f"--- {process.label} said:\n{process.said()[-4000:]}", file=sys.stderr)
        subprocess.run(["umount", "/run", "/etc/passwd", "/etc/group"], check=True)
        subprocess.run(["rm", "-rf", self.directory], check=True)


class Caller:
    """A process of another user; what the function gives comes back by result()."""

    def __init__(self, row, function):
        name, uid, groups = CALLERS[row]
        out, child_out = os.pipe()
        child_in, self.go = os.pipe()
        self.out = os.fdopen(out)
        self.pid = os.fork()
        if self.pid == 0:
            status = 1
            try:
                os.setgroups(groups)
                os.setgid(uid)
                os.setuid(uid)
                with os.fdopen(child_out, "w") as answer:
                    json.dump(function(Connection(), lambda: (os.write(child_out, b"\n"), child_in)), answer)
                status = 0
            finally:
                os._exit(status)
        os.close(child_out)
        os.close(child_in)

    def ready(self):
        assert self.out.readline() == "\n"
        return self

    def result(self):
        os.write(self.go, b"!")
        text = self.out.read()
        _, status = os.waitpid(self.pid, 0)
        os.close(self.go)
        assert status == 0, "the caller failed"
        return json.loads(text)


class Connection:
    def __init__(self):
        flags = Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION
        self.bus = Gio.DBusConnection.new_for_address_sync(os.environ["DBUS_SYSTEM_BUS_ADDRESS"], flags, None, None)
        wait_until(lambda: self.call("org.freedesktop.DBus", "/", "org.freedesktop.DBus", "NameHasOwner",
                                     GLib.Variant("(s)", (NAME,)))[0] == (True,), what="the service")

    def call(self, destination, path, interface, method, arguments=None):
        """What comes back, and the name of the error or ""."""
        try:
            return self.bus.call_sync(destination, path, interface, method, arguments, None, Gio.DBusCallFlags.NONE,
                                      10000 * SLOW, None).unpack(), ""
        except GLib.Error as error:
            return None, Gio.DBusError.get_remote_error(error) or str(error)

    def member(self, board, of, interface, method, arguments):
        """The name of the error, or "". @of: the interface that it is about, which says on which object."""
        return self.call(NAME, ROOT if of == "Manager" else path_of(board), interface, method, arguments)[1]


def path_of(board):
    return f"{ROOT}/board/{board.replace(' ', '_20')}"


def sample(arguments):
    signature, values = "", []
    for argument in arguments:
        kind = argument.get("type")
        signature += kind
        values.append({} if kind.startswith("a{") else [] if kind.startswith("a") else SAMPLES[argument.get("name") if kind == "s" else kind])
    return GLib.Variant(f"({signature})", tuple(values))


# --- the tests ---

def try_everything(connection, board):
    """{Interface.Member or Interface.Property (reading or writing): error}"""
    errors = {}
    for interface in interfaces():
        name = interface.get("name")
        short = name.rsplit(".", 1)[1]
        for row in interface.findall("property"):
            errors[f"{short}.{row.get('name')} reading"] = connection.member(
                board, short, PROPERTIES, "Get", GLib.Variant("(ss)", (name, row.get("name"))))
            if row.get("access") == "readwrite":
                errors[f"{short}.{row.get('name')}"] = connection.member(
                    board, short, PROPERTIES, "Set", GLib.Variant("(ssv)", (name, row.get("name"), GLib.Variant("s", "normal"))))
        for row in interface.findall("method"):
            arguments = [arg for arg in row.findall("arg") if arg.get("direction") == "in"]
            errors[f"{short}.{row.get('name')}"] = connection.member(board, short, name, row.get("name"), sample(arguments))
    return errors


def test_the_table_has_every_member_once():
    _, classes = read_table()
    calls = {f"{i.get('name').rsplit('.', 1)[1]}.{row.get('name')}" for i in interfaces()
             for row in i.findall("method") + [p for p in i.findall("property") if p.get("access") == "readwrite"]}
    assert classes.keys() == calls, f"only in the page: {classes.keys() - calls}; not in the page: {calls - classes.keys()}"


def test_every_call_by_every_caller():
    callers, classes = read_table()
    assert callers.keys() == CALLERS.keys()
    faults, refused, done = [], 0, 0
    for row in CALLERS:
        for board in BOARDS:
            for member, error in Caller(row, lambda connection, _: try_everything(connection, board)).result().items():
                reading = member.endswith(" reading")
                title = ("touches" if member.startswith("Touch.") else "reading") if reading else classes[member]
                may = allowed(callers[row][title], board)
                wanted = "" if may else REFUSED_BY_BUS if title == "arbiters' calls" else REFUSED_BY_SERVICE
                wrong = error in (REFUSED_BY_BUS, REFUSED_BY_SERVICE) or (reading and error) if may else error != wanted
                if wrong:
                    faults.append(f"{row}, {board}: {member}: '{error}'")
                done, refused = done + may, refused + (not may)
    print(f"# {done} calls allowed, {refused} refused")
    assert not faults, "\n".join(faults)


def test_touches_are_seen_by_those_who_may():
    callers, _ = read_table()

    def watch(connection, wait):
        seen = set()

        def on_signal(_, sender, path, interface, member, arguments):
            if interface == PROPERTIES:
                interface = arguments.unpack()[0]
            if interface == f"{NAME}.Touch" or member == "PieceLifted":
                seen.add((path, interface.rsplit(".", 1)[1], member))

        connection.bus.signal_subscribe(None, None, None, None, None, Gio.DBusSignalFlags.NONE, on_signal)
        connection.call(NAME, ROOT, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")  # the service has met the caller
        _, stop = wait()
        os.set_blocking(stop, False)
        while True:
            while GLib.MainContext.default().iteration(False):
                pass
            try:
                os.read(stop, 1)
                break
            except BlockingIOError:
                time.sleep(0.01)
        connection.call(NAME, ROOT, "org.freedesktop.DBus.Peer", "Ping")  # what was sent before is here
        while GLib.MainContext.default().iteration(False):
            pass
        objects = connection.call(NAME, ROOT, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")[0][0]
        events = connection.call(NAME, ROOT, f"{NAME}.Manager", "GetEvents", GLib.Variant("(tu)", (0, 0)))[0][0]
        return {board: {
            "lifts": (path_of(board), "Board", "PieceLifted") in seen,
            "signals": (path_of(board), "Touch", "PieceTouched") in seen,
            "changes": (path_of(board), "Touch", "PropertiesChanged") in seen,
            "objects": f"{NAME}.Touch" in objects[path_of(board)],
            "events": any(event[1] == path_of(board) and event[2] == f"{NAME}.Touch" for event in events),
        } for board in BOARDS}

    watchers = {row: Caller(row, watch).ready() for row in CALLERS}
    for board in BOARDS:
        machine.do(board, "lift e2", "place e4 P", "wait 2500", "lift e7", "wait 600", "place e7 p")
    time.sleep(4.5 * SLOW)
    for row, watcher in watchers.items():
        for board, seen in watcher.result().items():
            may = allowed(callers[row]["touches"], board)
            wanted = {"lifts": True, "signals": may, "changes": may, "objects": may, "events": may}
            assert seen == wanted, f"{row}, {board}: {seen}"


if __name__ == "__main__":
    if os.geteuid() != 0:
        skip("only root can become other users")
    if os.environ.get("ADOUBE_NAMESPACE") != "own":
        if subprocess.run(["unshare", "--mount", "true"], capture_output=True).returncode != 0:
            skip("no mount namespace can be made here")
        os.environ["ADOUBE_NAMESPACE"] = "own"
        os.execvp("unshare", ["unshare", "--mount", "--propagation", "private", sys.executable, *sys.argv])
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    with Machine() as machine:
        run_tests({"test_the_table_has_every_member_once": test_the_table_has_every_member_once,
                   "test_touches_are_seen_by_those_who_may": test_touches_are_seen_by_those_who_may,
                   "test_every_call_by_every_caller": test_every_call_by_every_caller})
