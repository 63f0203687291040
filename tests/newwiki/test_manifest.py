import json
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from newwiki.errors import UsageError
from newwiki.manifest import Manifest, ManifestEntry

DAY = datetime(2026, 9, 3, 10, tzinfo=UTC)
RHINE = ManifestEntry(
    page_id=7,
    rev_id=70,
    sha1="a" * 40,
    title='Rhein "שלום" 🙂',
    created_at=DAY,
    revised_at=DAY,
    revisions=10,
    words=500,
    text_sha256="b" * 64,
)
MANIFEST = Manifest(
    snapshot_id="dewiki-2026-09",
    wiki="dewiki",
    base_url="https://de.wikipedia.org/wiki/",
    kind="new",
    window_start=DAY,
    window_end=DAY,
    cutoff=DAY,
    parameters={"min_words": 500, "seed": 0},
    extractor_version="1",
    newwiki_version="0.1.0",
    content_sha256="c" * 64,
    articles=(
        RHINE,
        ManifestEntry(
            page_id=8,
            rev_id=80,
            sha1=None,
            title="Elbe",
            created_at=DAY,
            revised_at=DAY,
            revisions=10,
            words=500,
            text_sha256="b" * 64,
        ),
    ),
)


@pytest.mark.parametrize("manifest", [MANIFEST, Manifest(**{**vars(MANIFEST), "articles": ()})], ids=["two", "none"])
def test_a_manifest_is_read_as_it_was_written(tmp_path: Path, manifest: Manifest) -> None:
    (tmp_path / "manifest.json").write_text(manifest.to_json(), "utf-8")
    assert Manifest.read(tmp_path / "manifest.json") == manifest


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda values: values.update(format="newwiki manifest 99"), "its format is not 'newwiki manifest 1'"),
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
def test_a_manifest_must_be_a_json_object(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "m.json").write_bytes(content)
    with pytest.raises(UsageError, match="is not a snapshot's manifest"):
        Manifest.read(tmp_path / "m.json")
