"""What somebody does to a bundle who would like to be believed."""

import hashlib
import json
import zipfile
from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any
from urllib.parse import quote

from flows.bundles import archive, signature
from flows.bundles.keys import read_private
from flows.evaluating.read_articles import stored_run_id
from flows.evaluating.run_identity import stored_identity
from newwiki.records import Run

Row = dict[str, Any]


class Forged:
    """The members of a bundle, to be changed, made consistent again, signed and written."""

    def __init__(self, bundle: Path) -> None:
        with zipfile.ZipFile(bundle) as file:
            self.members = {name: file.read(name) for name in file.namelist()}

    def path(self, *parts: str) -> str:
        """The first member whose name holds all of these."""
        return next(name for name in self.members if all(part in name for part in parts))

    def rows(self, name: str) -> list[Row]:
        """The rows of a table."""
        head, *lines = self.members[name].decode().removesuffix("\n").split("\n")
        return [dict(zip(json.loads(head), json.loads(line), strict=True)) for line in lines]

    def put(self, name: str, rows: Sequence[Row]) -> "Forged":
        """Writes the rows of a table in the place of those that are there."""
        lines = [[*rows[0]], *([*row.values()] for row in rows)]
        self.members[name] = "".join(f"{_written(line)}\n" for line in lines).encode()
        return self

    def change(self, name: str, change: Callable[[Row], Row | None], which: int = 0) -> "Forged":
        """A row of a table, which is changed in its place."""
        head, *lines = self.members[name].decode().splitlines()
        row = dict(zip(json.loads(head), json.loads(lines[which]), strict=True))
        row = change(row) or row
        lines[which] = _written([*row.values()])
        self.members[name] = "\n".join([head, *lines, ""]).encode()
        return self

    def change_all(self, change: Callable[[Row], Row], *parts: str) -> "Forged":
        """All rows of every table whose member's name holds all of these."""
        for name in [name for name in self.members if all(part in name for part in parts)]:
            self.put(name, [change(row) for row in self.rows(name)])
        return self

    def change_run(self, run_id: str, **changes: Any) -> "Forged":
        """The row of a run, and what bundle.json says of it."""
        name = self.path("runs/", f"run_id={run_id}/runs.jsonl")
        self.change(name, lambda row: row | changes)
        [row] = self.rows(name)

        def tell(held: Any) -> None:
            [listed] = [one for one in held["runs"] if one["run_id"] == run_id]
            listed |= {name: row[name] for name in ("model", "model_sha256", "decoder")}

        return self.describe(tell)

    def rename_run(self, old: str) -> str:
        """Gives the run the id that its row has by now, everywhere, and returns that id."""
        [row] = self.rows(self.path("runs/", f"run_id={old}/runs.jsonl"))
        [snapshot] = self.rows(self.path("snapshots/", f"{row['snapshot_id']}/snapshots.jsonl"))
        articles = self.rows(self.path("stored_articles/", f"{row['snapshot_id']}/stored_articles.jsonl"))
        pages = [one["page_id"] for one in sorted(articles, key=lambda one: (-one["words"], one["page_id"]))]
        run = Run(**{field.name: row[field.name] for field in fields(Run)})
        asked, content = pages[: run.prompts], snapshot["content_sha256"]
        if run.samples:
            new = stored_identity(run, content, asked).run_id(run.numerics)
        else:
            new = stored_run_id(run, content, asked)
        self.members = {
            name.replace(f"run_id={old}", f"run_id={new}"): content.replace(f'["{old}"'.encode(), f'["{new}"'.encode())
            for name, content in self.members.items()
        }

        def tell(held: Any) -> None:
            for part in held["parts"]:
                part["keys"] = [[name, new if value == old else value] for name, value in part["keys"]]
            for listed in held["runs"]:
                listed["run_id"] = new if listed["run_id"] == old else listed["run_id"]

        self.describe(tell)
        return str(new)

    def without_run(self, run_id: str) -> "Forged":
        """Without a run and all that is of it; what only it was scored by must be left to others."""
        where = f"/run_id={run_id}/"
        self.members = {name: content for name, content in self.members.items() if where not in name}

        def tell(held: Any) -> None:
            held["runs"] = [run for run in held["runs"] if run["run_id"] != run_id]
            held["parts"] = [part for part in held["parts"] if ["run_id", run_id] not in part["keys"]]

        return self.describe(tell)

    def rehash(self) -> "Forged":
        """`bundle.json` with the hashes of what is there now."""
        held = json.loads(self.members["bundle.json"])
        for part in held["parts"]:
            keys = [f"{key}={quote(value, safe='')}" for key, value in part["keys"]]
            name = "/".join([part["table"], *keys, f"{part['table']}.jsonl"])
            part["sha256"] = hashlib.sha256(self.members[name]).hexdigest()
            part["rows"] = self.members[name].count(b"\n") - 1
        for manifest in held["manifests"]:
            name = f"manifest/snapshot_id={quote(manifest['snapshot_id'], safe='')}/manifest.json"
            manifest["sha256"] = hashlib.sha256(self.members[name]).hexdigest()
        for run in held["runs"]:
            rows = self.rows(self.path(f"run_id={run['run_id']}", "completions.jsonl"))
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


def _written(line: list[Any]) -> str:
    return json.dumps(line, ensure_ascii=False, separators=(",", ":"))
