"""Receipts that say that the bundle of copied references was replayed. One that does not count changes no level."""

import base64
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from flows.bundles.contents import sha256
from flows.bundles.keys import public_line, read_private
from tests.bundles.attempts import Make, claimed
from tests.bundles.world import World
from tests.flows.bundles.forging import Forged

_FORMAT = "newwiki receipt 1"


def receipt(key: str, change: Callable[[list[dict[str, Any]]], object] = list, of: str = "copied") -> Make:
    """What a check would have written that replayed all completions of the nucleus run, after this change, signed by
    one of the world's keys."""

    def make(world: World, folder: Path) -> Path:
        forged = Forged(getattr(world, of))
        [texts] = [
            run["texts"] for run in json.loads(forged.members["bundle.json"])["runs"] if run["run_id"] == world.nucleus
        ]
        lines: list[dict[str, Any]] = [
            {
                "format": _FORMAT, "bundle_sha256": sha256(forged.members["bundle.json"]), "newwiki": "0.1.0",
                "checked_at": "2026-11-27T07:00:00Z", "number": 5, "number_from": "given",
            },
            {
                "run_id": world.nucleus, "evaluator_id": "", "level": "replayed", "confirmed": len(texts),
                "checked": len(texts), "total": len(texts), "texts": [[page, sample] for page, sample, _ in texts],
            },
        ]  # fmt: skip
        change(lines)
        path = folder / "forged.receipt"
        path.write_bytes(signed(lines, getattr(world, key)))
        return path

    return make


def signed(lines: Iterable[dict[str, Any]], key: Path) -> bytes:
    private = read_private(key)
    written = [json.dumps(line, sort_keys=True, separators=(",", ":")) for line in lines]
    content = "".join(f"{line}\n" for line in written).encode()
    made = base64.b64encode(private.sign(f"{_FORMAT}\n".encode() + content)).decode()
    return content + f"{public_line(private.public_key())}\n{made}\n".encode()


claimed("receipt", "a receipt of a key that is not trusted")(receipt("forgers_key"))
claimed("receipt", "a receipt of another bundle")(receipt("key", of="bundle"))
claimed("receipt", "a receipt of more texts than there are")(
    receipt("key", lambda lines: lines[1].update(total=40, confirmed=40, checked=40))
)
claimed("receipt", "a receipt of a level that nobody gives")(
    receipt("key", lambda lines: lines[1].update(level="verified"))
)


@claimed("receipt")
def _(world: World, folder: Path) -> Path:
    """A receipt that was changed after it was signed."""
    path = receipt("key")(world, folder)
    path.write_bytes(path.read_bytes().replace(b'"number":5', b'"number":6'))
    return path


@claimed("receipt")
def _(world: World, folder: Path) -> Path:
    """A receipt with the public key of somebody else."""
    path = receipt("forgers_key")(world, folder)
    *lines, _, made, rest = path.read_bytes().split(b"\n")
    theirs = public_line(read_private(world.key).public_key()).encode()
    path.write_bytes(b"\n".join([*lines, theirs, made, rest]))
    return path
