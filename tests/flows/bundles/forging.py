"""What somebody does to a bundle who would like to be believed."""

import hashlib
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from flows.bundles import archive, signature
from flows.bundles.keys import read_private

Row = dict[str, Any]


class Forged:
    """The members of a bundle, to be changed, made consistent again, signed and written."""

    def __init__(self, bundle: Path) -> None:
        with zipfile.ZipFile(bundle) as file:
            self.members = {name: file.read(name) for name in file.namelist()}

    def path(self, *parts: str) -> str:
        """The first member whose name holds all of these."""
        return next(name for name in self.members if all(part in name for part in parts))

    def change(self, name: str, change: Callable[[Row], Row | None], which: int = 0) -> "Forged":
        """A row of a table, which is changed in its place."""
        head, *lines = self.members[name].decode().splitlines()
        row = dict(zip(json.loads(head), json.loads(lines[which]), strict=True))
        row = change(row) or row
        lines[which] = json.dumps([*row.values()], ensure_ascii=False, separators=(",", ":"))
        self.members[name] = "\n".join([head, *lines, ""]).encode()
        return self

    def rehash(self) -> "Forged":
        """`bundle.json` with the hashes of what is there now."""
        held = json.loads(self.members["bundle.json"])
        for part in held["parts"]:
            keys = [f"{key}={quote(value, safe='')}" for key, value in part["keys"]]
            name = "/".join([part["table"], *keys, f"{part['table']}.jsonl"])
            part["sha256"] = hashlib.sha256(self.members[name]).hexdigest()
            part["rows"] = self.members[name].count(b"\n") - 1
        for run in held["runs"]:
            head, *lines = self.members[self.path(f"run_id={run['run_id']}", "completions.jsonl")].decode().splitlines()
            rows = [dict(zip(json.loads(head), json.loads(line), strict=True)) for line in lines]
            texts = [[row["page_id"], row["sample"], hashlib.sha256(row["text"].encode()).hexdigest()] for row in rows]
            run["texts"] = sorted(texts)
        return self.describe(lambda _: held)

    def describe(self, change: Callable[[Any], Any]) -> "Forged":
        held = json.loads(self.members["bundle.json"])
        written = json.dumps(change(held) or held, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        self.members["bundle.json"] = f"{written}\n".encode()
        return self

    def sign(self, key: Path) -> "Forged":
        self.members["signature"] = signature.sign(self.members["bundle.json"], read_private(key))
        return self

    def write(self, path: Path) -> Path:
        archive.write(path, self.members)
        return path
