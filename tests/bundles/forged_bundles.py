"""Bundles that say what is not so, consistently hashed and signed with a key of the forger's own."""

import json
import os
import struct
import zipfile
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

import duckdb

import newwiki
from evaluators.scoring import evaluator_id_of
from newwiki.records import Fingerprint, Metric
from newwiki.registry import evaluators
from storage import hashes
from tests.bundles.attempts import Make, claimed, refused
from tests.bundles.world import World
from tests.flows.bundles.forging import Forged, Row

SNAPSHOT = "samplewiki-2026-09"


def signed(forged: Forged, world: World, folder: Path) -> Path:
    return forged.rehash().sign(world.forgers_key).write(folder / "forged.newwiki")


def of_run(**changes: Any) -> Make:
    """The genuine bundle of one run with another row of that run."""

    def make(world: World, folder: Path) -> Path:
        return signed(Forged(world.bundle_of_one).change_run(world.nucleus, **changes), world, folder)

    return make


def of_texts(change: Callable[[Row], Row], which: int = 0) -> Make:
    """The genuine bundle of one run with another completion of that run."""

    def make(world: World, folder: Path) -> Path:
        forged = Forged(world.bundle_of_one)
        forged.change(forged.path("completions/", f"run_id={world.nucleus}/"), change, which)
        return signed(forged, world, folder)

    return make


def submitted(world: World, folder: Path, *statements: str) -> Path:
    """What the product submits from the genuine database after these statements, with the snapshot hashed again."""
    database = folder / "forged.duckdb"
    database.write_bytes(world.database.read_bytes())
    with duckdb.connect(str(database)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.execute("delete from snapshot_hashes")
        hashes.take(connection, SNAPSHOT, "taken in")
    runs = (world.greedy, world.nucleus, world.likelihood)
    return newwiki.submit(*runs, key=world.forgers_key, out=folder / "forged.newwiki", db=database)


# What a run says of itself

claimed("later bundle", "another model's name, signed by another key")(of_run(model="openai/gpt-9"))
refused("beside", "contradict|not the same", "another model's name beside the genuine bundle")(
    of_run(model="openai/gpt-9")
)
CUTOFF = {"knowledge_cutoff": "2020-01-01", "knowledge_cutoff_from": "asked"}
claimed("later bundle", "a knowledge cutoff of 2020")(of_run(**CUTOFF))
refused("beside", "contradict|not the same", "a knowledge cutoff of 2020 beside the genuine bundle")(of_run(**CUTOFF))
refused("bundle", "finish|began|start|time", "a run that finished before it started")(
    of_run(finished_at="2026-11-01T00:00:00+00:00", started_at="2026-11-02T00:00:00+00:00")
)
refused("bundle", "window|before|time", "a run that finished before the snapshot's window")(
    of_run(started_at="2020-01-01T00:00:00+00:00", finished_at="2020-01-02T00:00:00+00:00")
)
refused("bundle", "future|2126|finish", "a run that finished in 2126")(of_run(finished_at="2126-01-01T00:00:00+00:00"))
refused("bundle", "hash of", "another seed under the same run id")(of_run(seed=1))
refused("bundle", "key|JSON|twice", "a key twice in the run's versions")(
    of_run(versions='{"device": "cuda", "device": "cpu", "strict": false, "batch_size": 8, "chat": "no", "bos": "no"}')
)
refused("bundle", "JSON|deep|versions", "versions nested 100,000 deep")(
    of_run(versions='{"a":' * 100_000 + "1" + "}" * 100_000)
)

HOSTILE_NAMES = {
    "nothing": "",
    "spaces": "  ",
    "Wikipedia": "Wikipedia",
    "the articles themselves": "reference:x",
    "with RTL override": "gpt\u202e2-tpg",
    "with NUL": "gpt\0",
    "with an escape sequence": "\x1b[31mgpt",
    "100,000 letters": "g" * 100_000,
    "in decomposed letters": "mode\u0301le",
    "with a zero-width space": "gpt\u200b2",
    "on two lines": "gpt\n2",
    "with a line separator": "gpt\u20282",
    "with a private-use letter": "gpt\ue000",
    "with a Hangul filler": "gpt\u3164",
}
for what, name in HOSTILE_NAMES.items():
    refused("bundle", "name|model", f"a model's name: {what}")(of_run(model=name))
claimed("later bundle", "a model's name that is a formula")(of_run(model='=HYPERLINK("http://x","y")'))
claimed("later bundle", "a model's name that is markup")(of_run(model="<script>document.title='written'</script>"))


@claimed("later bundle")
def _(world: World, folder: Path) -> Path:
    """A seed that was picked."""
    forged = Forged(world.bundle_of_one).change_run(world.nucleus, seed=4711)
    forged.rename_run(world.nucleus)
    return signed(forged, world, folder)


# What a run has written

refused("bundle", "words", "9,999 words")(of_texts(lambda row: row | {"words": 9999}))
refused("bundle", "token", "minus five tokens")(of_texts(lambda row: row | {"tokens": -5}))
refused("bundle", "kept", "kept texts that are not the longest")(of_texts(lambda row: row | {"kept": not row["kept"]}))
refused("bundle", "sample", "a sample of another number")(of_texts(lambda row: row | {"sample": 7}))
refused("bundle", "text|page", "a text of a page that is not in the snapshot")(
    of_texts(lambda row: row | {"page_id": 999_999})
)


@refused("bundle", "sample|text")
def _(world: World, folder: Path) -> Path:
    """A sample that is missing."""
    forged = Forged(world.bundle_of_one)
    name = forged.path("completions/", f"run_id={world.nucleus}/")
    return signed(forged.put(name, forged.rows(name)[:-1]), world, folder)


@refused("bundle", "twice|sample")
def _(world: World, folder: Path) -> Path:
    """A sample that is there twice."""
    forged = Forged(world.bundle_of_one)
    name = forged.path("completions/", f"run_id={world.nucleus}/")
    rows = forged.rows(name)
    return signed(forged.put(name, [*rows, rows[0]]), world, folder)


def copied(rename: bool = True, **changes: Any) -> Make:
    """The bundle with copied references and another row of its run, under the id that it has then."""

    def make(world: World, folder: Path) -> Path:
        forged = Forged(world.copied)
        [row] = forged.rows(forged.path("runs/", f"run_id={world.nucleus}/"))
        versions = json.loads(row["versions"]) | changes.get("versions", {})
        forged.change_run(world.nucleus, **changes | {"versions": json.dumps(versions, sort_keys=True)})
        if rename:
            forged.rename_run(world.nucleus)
        return signed(forged, world, folder)

    return make


refused("replay", "chooses", "copied references")(copied())
refused("replay", "likely|5-grams|no run that can", "copied references of a decoder that nobody knows")(
    copied(rename=False, decoder="oracle:depth=9", decoder_parameters='{"depth": 9}')
)
claimed("later bundle", "copied references whose scores are right")(copied())


def without(forged: Forged, where: str) -> Forged:
    """Without the members whose name holds this."""
    gone = {name for name in forged.members if where in name}
    forged.members = {name: content for name, content in forged.members.items() if name not in gone}

    def tell(held: Any) -> None:
        held["parts"] = [part for part in held["parts"] if where not in f"{path_of(part)}/"]

    return forged.describe(tell)


def path_of(part: Any) -> str:
    return "/".join([part["table"], *(f"{name}={quote(value, safe='')}" for name, value in part["keys"])])


# Scores


def better(world: World, folder: Path) -> Path:
    forged = Forged(world.bundle_of_one)
    forged.change_all(
        lambda row: row | {"value": 0.999, "status": "ok"}, "scores/", f"run_id={world.nucleus}/", "5fa0a165e9a49afe"
    )
    return signed(forged, world, folder)


claimed("later bundle", "scores of 0.999 that nobody has computed again")(better)
refused("scores", "0.999", "scores of 0.999 that are computed again")(better)
refused("beside", "not the same|0.999", "scores of 0.999 beside the genuine bundle")(better)


@refused("bundle", "range|between|maximum|most")
def _(world: World, folder: Path) -> Path:
    """Scores outside their metric's range."""
    forged = Forged(world.bundle_of_one)
    forged.change_all(
        lambda row: row | {"value": 1e9, "status": "ok"}, "scores/", f"run_id={world.nucleus}/", "336a162da1f7a2ab"
    )
    return signed(forged, world, folder)


def easier(world: World, folder: Path) -> Path:
    forged = Forged(world.bundle)
    forged.change_all(lambda row: row | {"value": 0.15 * row["value"]}, "scores/", f"run_id={world.likelihood}/")
    return signed(forged, world, folder)


claimed("later bundle", "bits per byte times 0.15 that nobody has computed again")(easier)
refused("replay", "bits_per_byte|bits", "bits per byte times 0.15 that are computed again")(easier)


def scored_by(forged: Forged, world: World, by: Fingerprint, metric: Metric, value: float) -> Forged:
    """With a further scoring of the nucleus run by this evaluator."""
    by = replace(by, evaluator_id=evaluator_id_of(by))
    described = asdict(by) | {"parameters": json.dumps(by.parameters), "dependencies": json.dumps(by.dependencies)}
    keys = [("snapshot_id", SNAPSHOT), ("run_id", world.nucleus), ("evaluator_id", by.evaluator_id)]
    texts = [row for row in forged.rows(forged.path("completions/", f"run_id={world.nucleus}/")) if row["kept"]]
    scores = [
        {
            "run_id": world.nucleus, "page_id": one["page_id"], "sample": one["sample"], "metric": metric.name,
            "value": value, "status": "ok", "evaluator_id": by.evaluator_id,
        }
        for one in texts
    ]  # fmt: skip
    add(forged, "evaluators", [("evaluator_id", by.evaluator_id)], [described])
    row = asdict(metric)
    add(forged, "metrics", [("metric", metric.name)], [{"metric": row.pop("name"), **row}])
    return add(forged, "scores", keys, scores, finished_at="2026-11-27T07:00:00Z")


def add(forged: Forged, table: str, keys: list[tuple[str, str]], rows: list[Row], **facts: Any) -> Forged:
    part = {"table": table, "keys": [list(key) for key in keys], "rows": len(rows), "sha256": "0" * 64, **facts}
    name = f"{path_of(part)}/{table}.jsonl"
    is_new = name not in forged.members
    forged.put(name, rows)

    def tell(held: Any) -> None:
        if is_new:
            held["parts"].append(part)

    return forged.describe(tell)


def with_scoring(name: str, version: str, metric: Metric | None = None, value: float = 0.99) -> Make:
    def make(world: World, folder: Path) -> Path:
        known = {one.name: one for piece in evaluators.all().values() for one in piece.metrics}
        by = Fingerprint("", name, version)
        return signed(scored_by(Forged(world.bundle_of_one), world, by, metric or known[name], value), world, folder)

    return make


def metric(name: str, **changes: Any) -> Metric:
    return replace(Metric(name, "ratio", 0.0, 1.0, "higher", "how charming it is", "us"), **changes)


claimed("scores", "an evaluator of ours in version 9 with 0.99 everywhere")(with_scoring("distinct_2", "9"))
claimed("scores", "an evaluator that nobody knows")(with_scoring("charm", "1", metric("charm")))
refused("bundle", "metric", "a metric of ours whose best is its lowest")(
    with_scoring("charm", "1", metric("distinct_2", direction="lower"))
)
refused("bundle", "metric", "a metric of ours with another range")(
    with_scoring("charm", "1", metric("distinct_2", maximum=100.0))
)
refused("bundle", "metric", "a metric of ours in capitals")(with_scoring("charm", "1", metric("Rep_4")))
refused("bundle", "metric|name", "a metric whose name is SQL")(
    with_scoring("charm", "1", metric("x\"; copy (select 1) to '/tmp/x'; --"))
)
refused("bundle", "metric|name", "a metric whose name is a mark of a view's text")(
    with_scoring("charm", "1", metric("{value_of_each_metric}"))
)
refused("bundle", "metric|name", "a metric whose name is a column of the leaderboard")(
    with_scoring("charm", "1", metric("model"))
)


@claimed("later bundle")
def _(world: World, folder: Path) -> Path:
    """Equal weights under two names in one bundle."""
    forged = Forged(world.bundle).change_run(world.greedy, model="acme/one").change_run(world.nucleus, model="acme/two")
    return signed(forged, world, folder)


# Snapshots


@refused("beside", "contradict|not the same")
def _(world: World, folder: Path) -> Path:
    """Another licence of the genuine snapshot."""
    return submitted(world, folder, "update snapshots set licence = 'none', licence_url = 'https://evil.example/'")


@refused("beside", "contradict|not the same")
def _(world: World, folder: Path) -> Path:
    """Another moment of publishing the genuine snapshot."""
    return submitted(world, folder, "update snapshots set published_at = published_at - interval 30 days")


@refused("beside", "contradict|not the same")
def _(world: World, folder: Path) -> Path:
    """Other facts of the genuine snapshot's articles."""
    return submitted(world, folder, "update article_facts set value = 'forged'")


@refused("scores", "manifest")
def _(world: World, folder: Path) -> Path:
    """The manifest of another snapshot."""
    forged = Forged(world.bundle_of_one)
    name = forged.path("manifest/")
    held = json.loads(forged.members[name])
    held["snapshot_id"] = "enwiki-2020-01"
    forged.members[name] = json.dumps(held).encode()
    return signed(forged, world, folder)


# Signatures


@refused("bundle", "changed after|signature")
def _(world: World, folder: Path) -> Path:
    """The signature of another bundle."""
    forged = Forged(world.copied)
    forged.members["signature"] = Forged(world.bundle).members["signature"]
    return forged.write(folder / "forged.newwiki")


@refused("bundle", "signature")
def _(world: World, folder: Path) -> Path:
    """A signature that is cut off."""
    forged = Forged(world.bundle)
    forged.members["signature"] = forged.members["signature"][:-20]
    return forged.write(folder / "forged.newwiki")


@refused("bundle", "twice|written as")
def _(world: World, folder: Path) -> Path:
    """A key twice in bundle.json."""
    forged = Forged(world.bundle)
    forged.members["bundle.json"] = b'{"format":"newwiki bundle 1",' + forged.members["bundle.json"][1:]
    return forged.sign(world.forgers_key).write(folder / "forged.newwiki")


@refused("bundle", "JSON|written as|valid|deep|recursion")
def _(world: World, folder: Path) -> Path:
    """A bundle.json nested 100,000 deep."""
    forged = Forged(world.bundle)
    forged.members["bundle.json"] = b"[" * 100_000 + b"]" * 100_000
    return forged.sign(world.forgers_key).write(folder / "forged.newwiki")


@refused("bundle", "part|verifications|no part")
def _(world: World, folder: Path) -> Path:
    """A bundle that says that it was verified."""
    row = {
        "run_id": world.nucleus, "evaluator_id": "", "level": "verified", "confirmed": 12, "checked": 12, "total": 12,
        "draw": None, "checker": "here", "receipt_sha256": "0" * 64, "checked_at": "2026-11-27T07:00:00Z",
    }  # fmt: skip
    return signed(add(Forged(world.copied), "verifications", [("run_id", world.nucleus)], [row]), world, folder)


# Files


def raw(change: Callable[[Path], object]) -> Make:
    """The genuine bundle's file after this."""

    def make(world: World, folder: Path) -> Path:
        path = folder / "forged.newwiki"
        path.write_bytes(world.bundle.read_bytes())
        change(path)
        return path

    return make


def _with_member(path: Path, name: str) -> None:
    with zipfile.ZipFile(path, "a") as file:
        file.writestr(name, b"x")


def _twice(path: Path) -> None:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _with_member(path, "bundle.json")


def _longer(path: Path) -> None:
    held = bytearray(path.read_bytes())
    place = held.index(b"PK\1\2") + 24
    held[place : place + 4] = struct.pack("<I", 1_800_000_000)
    path.write_bytes(held)


def _fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _device(path: Path) -> None:
    path.unlink()
    path.symlink_to("/dev/zero")


def _bomb(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        with file.open("bundle.json", "w", force_zip64=False) as member:
            for _ in range(300):
                member.write(b" " * 1_000_000)
        file.writestr("signature", b"x")


refused("bundle", "not signed|more than|no bundle", "a member that nobody signed")(
    raw(lambda path: _with_member(path, "../../etc/passwd"))
)
refused("bundle", "one name|no bundle", "two members of one name")(raw(_twice))
refused("bundle", "more than|no bundle", "a script before the zip")(
    raw(lambda path: path.write_bytes(b"#!/bin/sh\n" + path.read_bytes()))
)
refused("bundle", "no bundle", "a bundle that is cut off")(raw(lambda path: path.write_bytes(path.read_bytes()[:-30])))
refused("bundle", "no bundle|long|large|GB", "a member that says that it is 1.8 GB")(raw(_longer))
refused("bundle", "large|MB|GB|signature|no bundle", "300 MB of spaces in 300 kB")(raw(_bomb))
refused("bundle", "file|FIFO|pipe", "a FIFO")(raw(_fifo))
refused("bundle", "file|no bundle", "a link to an endless device")(raw(_device))
refused("bundle", "no bundle", "an empty file")(raw(lambda path: path.write_bytes(b"")))
