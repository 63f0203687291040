"""The signed file `bundle.json` of a bundle, with the hash of each part and of each text."""

import hashlib
import json
from collections.abc import Iterable
from typing import Annotated, Literal

import pydantic

from newwiki.foreign_json import first_fault
from storage.admitted import PART_KEYS
from storage.shared import SharedPart

_Format = Literal["newwiki bundle 1"]
FORMAT: _Format = "newwiki bundle 1"
NAME = "bundle.json"

Sha256 = Annotated[str, pydantic.Field(pattern=r"^[0-9a-f]{64}$")]
Whole = Annotated[int, pydantic.Field(ge=-(2**63), lt=2**63)]


class _Strict(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(strict=True, extra="forbid", frozen=True)


class Part(_Strict):
    """The rows of a table under some keys, with the hash of their file. Only scorings have `finished_at`."""

    table: str
    keys: list[tuple[str, str]]
    rows: Annotated[int, pydantic.Field(ge=0)]
    sha256: Sha256
    finished_at: pydantic.AwareDatetime | None = None

    @pydantic.model_validator(mode="after")
    def _known(self) -> "Part":
        if self.table not in PART_KEYS or tuple(name for name, _ in self.keys) != PART_KEYS[self.table]:
            raise ValueError(
                f"no part of a bundle is '{self.table[:60]}' by {[name[:60] for name, _ in self.keys][:9]}"
            )
        return self

    @property
    def part(self) -> SharedPart:
        return SharedPart(self.table, tuple(self.keys))

    @property
    def path(self) -> str:
        return f"{self.part.path}/{self.table}.jsonl"


class ManifestFile(_Strict):
    """The manifest of a snapshot, from which the snapshot can be rebuilt."""

    snapshot_id: str
    content_sha256: Sha256
    sha256: Sha256

    @property
    def path(self) -> str:
        return f"{SharedPart('manifest', (('snapshot_id', self.snapshot_id),)).path}/manifest.json"


class BundledRun(_Strict):
    """The main facts of a run, and the hash of each text by page id and sample."""

    run_id: str
    snapshot_id: str
    model: str
    model_sha256: str
    decoder: str
    texts: list[tuple[Whole, Whole, Sha256]]


class Contents(_Strict):
    """The contents of a bundle. `newwiki` is the version that wrote it."""

    format: _Format = FORMAT
    newwiki: str
    runs: Annotated[list[BundledRun], pydantic.Field(min_length=1)]
    manifests: list[ManifestFile]
    parts: list[Part]

    @property
    def files(self) -> dict[str, str]:
        """The hash of each file by path, except `bundle.json` and the signature.

        Raises ValueError for a repeated path.
        """
        entries = [(manifest.path, manifest.sha256) for manifest in self.manifests] + [
            (part.path, part.sha256) for part in self.parts
        ]
        if len(dict(entries)) < len(entries):
            raise ValueError("a file is listed twice")
        return dict(entries)

    def to_bytes(self) -> bytes:
        """Return the contents in their canonical form."""
        held = self.model_dump(mode="json", exclude_none=True)
        return f"{json.dumps(held, ensure_ascii=False, sort_keys=True, separators=(',', ':'))}\n".encode()


def read(content: bytes) -> Contents:
    """Parse the contents of `bundle.json`.

    Raises ValueError for invalid content, or for a form other than that of `to_bytes`.
    """
    try:
        contents = Contents.model_validate_json(content)
    except pydantic.ValidationError as error:
        raise ValueError(first_fault(error)) from None
    if contents.to_bytes() != content:
        raise ValueError("it is not written as bundles are: a key twice, another order, or other spaces")
    return contents


def text_hashes(texts: Iterable[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Return the hash of each text, sorted by page id and sample."""
    return [(page_id, sample, sha256(text.encode())) for page_id, sample, text in sorted(texts)]


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
