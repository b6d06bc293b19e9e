# SPDX-License-Identifier: MIT
"""dbus-broker without systemd: this process is its controller, which gives it a socket to listen on and a policy that lets everybody do everything."""

import os
import shutil
import socket

from gi.repository import Gio, GLib

import harness

LISTENER = "/org/bus1/DBus/Listener/0"
RULE = "(btssssuutt)"  # may, priority, name, path, interface, member, type, broadcast, fds at least, at most
BATCH = f"(bta(btbs)a{RULE}a{RULE})"  # may connect, priority; own; send; receive
POLICY = f"(a(u{BATCH})a(buu{BATCH})a(ss)bs)"  # by uid, by gid, SELinux, AppArmor
EVERYBODY = 2**32 - 1


def policy():
    rule = (True, 1, "", "", "", "", 0, 0, 0, 2**64 - 1)
    return GLib.Variant(POLICY, ([(EVERYBODY, (True, 1, [(True, 1, True, "")], [rule], [rule]))], [], [], False, "session"))


class Broker(harness.Process):
    def __init__(self, world, path):
        if not shutil.which("dbus-broker"):
            harness.skip("dbus-broker is not installed")
        ours, theirs = socket.socketpair()
        os.set_inheritable(theirs.fileno(), True)
        for end in ours, theirs:
            end.setblocking(False)
        super().__init__(world, "dbus-broker", ["dbus-broker", "--controller", str(theirs.fileno()), "--machine-id", "1" * 32,
                                                "--max-bytes", str(8 << 20)], pass_fds=[theirs.fileno()])
        theirs.close()
        stream = Gio.Socket.new_from_fd(ours.detach()).connection_factory_create_connection()
        self.controller = Gio.DBusConnection.new_sync(stream, None, Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT, None, None)
        self.controller.set_exit_on_close(False)
        self.listen(path)

    def listen(self, path):
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
        if os.path.exists(path):
            os.unlink(path)
        listener.bind(path)
        listener.listen(128)
        fds = Gio.UnixFDList.new()
        fds.append(listener.fileno())
        try:
            self.controller.call_with_unix_fd_list_sync(None, "/org/bus1/DBus/Broker", "org.bus1.DBus.Broker", "AddListener",
                                                        GLib.Variant("(ohv)", (LISTENER, 0, policy())), None, Gio.DBusCallFlags.NONE,
                                                        5000 * harness.SLOW, fds, None)
        except GLib.Error as error:
            if "InvalidPolicy" not in str(error):
                raise
            self.end()
            harness.skip("this version of dbus-broker wants its policy in another form")
        finally:
            listener.close()
