"""A Secret Service that is locked and asks nobody: every question gets the error that the specification names."""

import gi

gi.require_version("Gio", "2.0")
from gi.repository import Gio, GLib


def refuse(bus, message, incoming):
    interface = message.get_interface() or ""
    if not incoming or not interface.startswith("org.freedesktop.Secret"):
        return message
    name = "org.freedesktop.Secret.Error.IsLocked"
    bus.send_message(message.new_method_error_literal(name, "the collection is locked"), 0)
    return None


bus = Gio.bus_get_sync(Gio.BusType.SESSION)
bus.add_filter(refuse)
Gio.bus_own_name_on_connection(bus, "org.freedesktop.secrets", 0, None, None)
GLib.MainLoop().run()
