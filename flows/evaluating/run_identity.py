"""Compute run ids from all settings that determine the completions, for requested and for stored runs."""

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
    """All settings that determine the completions. `newwiki/protocol.py` says how a comparison treats each of them.

    `others` holds the hashes of other models, and of the code of third-party decoders and backends. `decoder` contains
    the public names of these models, because the folder of a model does not affect the completions.
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
        """Return the run id: 16 hexadecimal digits of a SHA-256 hash.

        `numerics` is None for external programs and for runs from before this version number. The hash then omits it.
        """
        named = asdict(self)
        whole = named if numerics is None else {**named, "numerics": numerics}
        return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()[:16]


def model_label(name: str) -> str:
    """Return the stored name of a model in Unicode form NFC.

    It is a hub name, a server's name or a path of up to 4,096 characters. Raises UsageError for a name that breaks the
    naming rule.
    """
    return require_name(unicodedata.normalize("NFC", name), "the model name", longest=_LONGEST_PATH)


def stored_identity(run: Run, content_sha256: str, pages: Sequence[int]) -> RunIdentity:
    """Return the identity of a stored run of a built-in backend. Raises UsageError if its decoder is unknown."""
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
    """Return the backend settings of a run that are part of its identity."""
    versions = json.loads(run.versions)
    return {name: versions[name] for name in SETTINGS if name in versions}


def stored_others(run: Run) -> dict[str, str]:
    """Return the hashes in `runs.versions` of the decoder's other models and of third-party code."""
    versions = json.loads(run.versions)
    [decoder] = parse(run.decoder)
    names = [*(name for name, value in decoder.parameters.items() if isinstance(value, str)), *_CODE]
    return {name: versions[key] for name in names if (key := f"{name}_sha256") in versions}
