"""A Secret Service that is locked and asks nobody: it opens sessions and refuses everything else by the error that the
specification names."""

import gi

gi.require_version("Gio", "2.0")
from gi.repository import Gio, GLib  # noqa: E402


def answer(message):
    if message.get_member() != "OpenSession":
        locked = "org.freedesktop.Secret.Error.IsLocked"
        return message.new_method_error_literal(locked, "the collection is locked")
    reply = message.new_method_reply()
    # Half of a key exchange; no secret ever follows.
    half = GLib.Variant("ay", bytes([2]) * 128)
    reply.set_body(GLib.Variant("(vo)", (half, "/org/freedesktop/secrets/session/s1")))
    return reply


def refuse(bus, message, incoming):
    if not incoming or not (message.get_interface() or "").startswith("org.freedesktop.Secret"):
        return message
    bus.send_message(answer(message), Gio.DBusSendMessageFlags.NONE)
    return None


bus = Gio.bus_get_sync(Gio.BusType.SESSION)
bus.add_filter(refuse)
Gio.bus_own_name_on_connection(bus, "org.freedesktop.secrets", Gio.BusNameOwnerFlags.NONE, None, None)
GLib.MainLoop().run()
