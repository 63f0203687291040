import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from newwiki.errors import UsageError
from newwiki.manifest import Entry, Manifest

DAY = datetime(2026, 9, 3, 10, tzinfo=UTC)
RHINE = Entry(7, 70, "a" * 40, 'Rhein "שלום" 🙂', DAY, DAY, 10, 500, "b" * 64)
MANIFEST = Manifest(
    "dewiki-2026-09",
    "dewiki",
    "https://de.wikipedia.org/wiki/",
    "new",
    DAY,
    DAY,
    DAY,
    {"min_words": 500, "seed": 0},
    "1",
    "0.1.0",
    "c" * 64,
    (RHINE, Entry(8, 80, None, "Elbe", DAY, DAY, 10, 500, "b" * 64)),
)


@pytest.mark.parametrize("manifest", [MANIFEST, Manifest(**{**vars(MANIFEST), "articles": ()})], ids=["two", "none"])
def test_a_manifest_is_read_as_it_was_written(tmp_path: Path, manifest: Manifest) -> None:
    (tmp_path / "manifest.json").write_text(manifest.to_json(), "utf-8")
    assert Manifest.read(tmp_path / "manifest.json") == manifest


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda values: values.update(format="newwiki manifest 99"), "it is no 'newwiki manifest 1'"),
        (lambda values: values.pop("format"), "'format'"),
        (lambda values: values.pop("content_sha256"), "content_sha256"),
        (lambda values: values.update(text="x"), "text"),
        (lambda values: values["articles"][0].pop("rev_id"), "rev_id"),
        (lambda values: values.update(articles=3), "int"),
        (lambda values: values.update(cutoff="yesterday"), "yesterday"),
    ],
)
def test_anything_else_is_refused_with_the_reason(
    tmp_path: Path, damage: Callable[[dict[str, Any]], Any], reason: str
) -> None:
    values = json.loads(MANIFEST.to_json())
    damage(values)
    (tmp_path / "m.json").write_text(json.dumps(values))
    with pytest.raises(UsageError, match=f"m.json' is not a snapshot's manifest .*{reason}.*export ID"):
        Manifest.read(tmp_path / "m.json")


@pytest.mark.parametrize("content", [b"", b"[]", b"not JSON", b"\xff\xfe", b"3"])
def test_a_file_that_is_no_json_object_is_no_manifest(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "m.json").write_bytes(content)
    with pytest.raises(UsageError, match="is not a snapshot's manifest"):
        Manifest.read(tmp_path / "m.json")
