"""What names a run: all that decides what is written, of a run that is asked for and of one that is stored."""

import hashlib
import json
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from newwiki.decoding.grammar import parse
from newwiki.names import require_name
from newwiki.private_places import decoder_in_id
from newwiki.protocol import SETTINGS
from newwiki.records import Run

_LONGEST_PATH = 4_096
_CODE = ("decoder_code", "backend_code")


@dataclass(frozen=True, kw_only=True)
class RunIdentity:
    """All that decides what is written. `newwiki/protocol.py` says of each part what it is to a comparison.

    `others` are the hashes of the other models that are read, and of the code of a decoder or backend that is not ours.
    `decoder` holds the public names of these models, as the folder of a model decides nothing that is written.
    """

    content_sha256: str
    pages: Sequence[int]
    model_sha256: str
    others: Mapping[str, str]
    backend: str
    settings: Mapping[str, str]
    decoder: str
    template: str
    seed: int | None
    samples: int
    keep: int
    max_new_tokens: int | None
    stop: Sequence[str]
    strict: bool
    dtype: str

    def run_id(self, numerics: int | None) -> str:
        """Where another program computes, and before there was a version, it is no part of the identity."""
        named = asdict(self)
        whole = named if numerics is None else {**named, "numerics": numerics}
        return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()[:16]


def model_label(name: str) -> str:
    """Return the name that a run stores of its model: a hub's, a server's, or a path, which may be long. Raises
    UsageError for one that breaks the rule for names."""
    return require_name(unicodedata.normalize("NFC", name), "the model name", longest=_LONGEST_PATH)


def stored_identity(run: Run, content_sha256: str, pages: Sequence[int]) -> RunIdentity:
    """That of a run that a backend of ours has written, as its row says it. Raises UsageError where its decoder is none
    that is known here."""
    versions = json.loads(run.versions)
    return RunIdentity(
        content_sha256=content_sha256,
        pages=pages,
        model_sha256=run.model_sha256,
        others=stored_others(run),
        backend=run.backend,
        settings=stored_settings(run),
        decoder=decoder_in_id(run.decoder, run.versions),
        template=run.prompt_template,
        seed=run.seed,
        samples=run.samples,
        keep=run.keep,
        max_new_tokens=run.max_new_tokens,
        stop=versions.get("stop", []),
        strict=versions.get("strict", False),
        dtype=run.dtype,
    )


def stored_settings(run: Run) -> dict[str, str]:
    """What the backend was set to, as far as it names the run."""
    versions = json.loads(run.versions)
    return {name: versions[name] for name in SETTINGS if name in versions}


def stored_others(run: Run) -> dict[str, str]:
    """The hashes that stand in `runs.versions` of what else was read: models that the decoder names, and code."""
    versions = json.loads(run.versions)
    [decoder] = parse(run.decoder)
    names = [*(name for name, value in decoder.parameters.items() if isinstance(value, str)), *_CODE]
    return {name: versions[key] for name in names if (key := f"{name}_sha256") in versions}
