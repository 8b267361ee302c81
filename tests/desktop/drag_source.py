"""A small window that a file can be dragged out of: drag_source.py FILE"""

import pathlib
import sys

import gi

gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, Gtk  # noqa: E402

address = pathlib.Path(sys.argv[1]).absolute().as_uri()
window = Gtk.Window(title="Drag source")
window.set_default_size(120, 90)
window.set_keep_above(True)
handle = Gtk.EventBox()
handle.add(Gtk.Label(label="drag"))
target = Gtk.TargetEntry.new("text/uri-list", 0, 0)
handle.drag_source_set(Gdk.ModifierType.BUTTON1_MASK, [target], Gdk.DragAction.COPY)
handle.connect("drag-data-get", lambda source, drag, data, kind, time: data.set_uris([address]))
window.add(handle)
window.connect("destroy", Gtk.main_quit)
window.show_all()
Gtk.main()
