"""The badge of a site, by which other pages show how fresh it is."""

import json

from flows.site.contents import Contents
from flows.site.writing import Writer

_LABEL = "fresh as of"


def write_badge(writer: Writer, contents: Contents) -> None:
    """Write the newest month as an image, and as JSON that shields.io reads."""
    months = [f"{snapshot.window_start:%Y-%m}" for snapshot in contents.snapshots if snapshot.kind == "new"]
    newest = max(months, default="no month")
    writer.page("fresh.svg", "fresh.svg", label=_LABEL, month=newest)
    shield = {"schemaVersion": 1, "label": _LABEL, "message": newest, "color": "blue"}
    writer.text("fresh.json", json.dumps(shield) + "\n")
