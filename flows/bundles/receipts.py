"""A receipt: JSON lines, signed by the checker's key, that record what a check of a bundle confirmed."""

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any, Literal

import pydantic
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from flows.bundles import contents, signature
from flows.bundles.checked import Confirmed
from flows.bundles.contents import Sha256, Whole
from flows.bundles.opened import OpenedBundle
from newwiki.foreign_json import first_fault
from newwiki.levels import HERE, RECOMPUTED, REPLAYED
from storage.verifications import Verification

_Format = Literal["newwiki receipt 1"]
FORMAT: _Format = "newwiki receipt 1"
ENDING = ".receipt"
_LONGEST = 1 << 26  # maximum size of a receipt in bytes
_TABLES = ("scores", "run_scores", "claims")

Count = Annotated[int, pydantic.Field(ge=0, lt=2**63)]
NumberFrom = Literal["given", "drawn freshly"]


class _Strict(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(strict=True, extra="forbid", frozen=True)


class Head(_Strict):
    """The first line of a receipt: the checked bundle, the time, and the newwiki version.

    `number` drew the replayed completions. `number_from` says whether the checker passed it (`--number`) or drew it.
    """

    format: _Format = FORMAT
    bundle_sha256: Sha256
    newwiki: Annotated[str, pydantic.Field(max_length=100)]
    checked_at: pydantic.AwareDatetime
    number: Annotated[int, pydantic.Field(ge=0)] | None
    number_from: NumberFrom | None


class Line(_Strict):
    """A further line: the confirmed scores of a run by an evaluator.

    With an empty `evaluator_id`, the line confirms the completions `texts` (page id and sample) instead.
    """

    run_id: str
    evaluator_id: str
    level: Literal["recomputed scores", "replayed"]
    confirmed: Count
    checked: Count
    total: Count
    texts: list[tuple[Whole, Whole]]


class Receipt(_Strict):
    """A verified receipt. `checker` is the fingerprint of its key, and `sha256` the hash of the signed content."""

    path: Path
    head: Head
    lines: list[Line]
    checker: str
    sha256: str


def written(
    bundle_sha256: str,
    confirmed: Iterable[Confirmed],
    key: Ed25519PrivateKey,
    number: int | None = None,
    *,
    is_drawn: bool = False,
) -> bytes:
    """Return a signed receipt with the current time for the results of a check.

    `is_drawn` says that the check drew the number itself.
    """
    head = Head(
        bundle_sha256=bundle_sha256,
        newwiki=version("newwiki-eval"),
        checked_at=datetime.now(UTC).replace(microsecond=0),
        number=number,
        number_from=None if number is None else "drawn freshly" if is_drawn else "given",
    )
    content = _lines([head, *(_line(confirmation) for confirmation in confirmed)])
    return content + signature.sign(content, key, FORMAT)


def read(path: Path) -> Receipt:
    """Read a receipt. Raises ValueError for an invalid file, or if the content was changed after signing."""
    with path.open("rb") as stream:
        held = stream.read(_LONGEST + 1)
    if len(held) > _LONGEST:
        raise ValueError(f"it is longer than {_LONGEST:,} bytes")
    *lines, key, signed, rest = held.split(b"\n") if held.count(b"\n") > 2 else [b""] * 4
    if rest or not lines:
        raise ValueError("a receipt ends with a public key and a signature, a line each")
    content = b"\n".join([*lines, b""])
    checker = signature.signer_of(content, b"\n".join([key, signed, b""]), FORMAT)
    try:
        head = Head.model_validate_json(lines[0])
        others = [Line.model_validate_json(line) for line in lines[1:]]
    except pydantic.ValidationError as error:
        raise ValueError(first_fault(error)) from None
    if _lines([head, *others]) != content:
        raise ValueError("it is not written as receipts are: a key twice, another order, or other spaces")
    return Receipt(path=path, head=head, lines=others, checker=checker, sha256=contents.sha256(content))


def verifications(receipt: Receipt, bundle: OpenedBundle) -> list[Verification]:
    """Return the rows of a receipt for a bundle.

    Raises ValueError if the receipt belongs to another bundle or contradicts the bundle's content.
    """
    if receipt.head.bundle_sha256 != bundle.sha256:
        raise ValueError(f"it is of another bundle, whose hash is {receipt.head.bundle_sha256[:12]}…")
    texts, scores = _held(bundle)
    for line in receipt.lines:
        _require_possible(line, texts, scores)
    number, draw = receipt.head.number, None
    if number is not None:
        draw = str(number) if receipt.head.number_from == "given" else f"{number} ({receipt.head.number_from})"
    return [
        _verification(line, draw, receipt.checker, receipt.sha256, receipt.head.checked_at) for line in receipt.lines
    ]


def checked_here(confirmed: Iterable[Confirmed], number: int | None = None) -> list[Verification]:
    """Return the rows for a check that this installation made."""
    draw, now = None if number is None else str(number), datetime.now(UTC)
    return [_verification(_line(confirmation), draw, HERE, "", now) for confirmation in confirmed]


def _line(confirmation: Confirmed) -> Line:
    level: Any = REPLAYED if confirmation.level == REPLAYED else RECOMPUTED
    counts = {"confirmed": confirmation.confirmed, "checked": confirmation.checked, "total": confirmation.total}
    return Line(
        run_id=confirmation.run_id,
        evaluator_id=confirmation.evaluator_id,
        level=level,
        texts=[*sorted(confirmation.texts)],
        **counts,
    )


def _lines(models: Sequence[pydantic.BaseModel]) -> bytes:
    """Return the lines of a receipt in their canonical form."""
    held = [model.model_dump(mode="json") for model in models]
    return "".join(
        f"{json.dumps(fields, ensure_ascii=False, sort_keys=True, separators=(',', ':'))}\n" for fields in held
    ).encode()


def _held(bundle: OpenedBundle) -> tuple[Mapping[str, set[tuple[int, int]]], Mapping[tuple[str, str], int]]:
    """Return the completions of each run, and the number of scores by run and evaluator."""
    texts = {run.run_id: {(page_id, sample) for page_id, sample, _ in run.texts} for run in bundle.contents.runs}
    scores: dict[tuple[str, str], int] = {}
    for part, rows in bundle.of(*_TABLES):
        key = part["run_id"], part["evaluator_id"]
        scores[key] = scores.get(key, 0) + rows.num_rows
    return texts, scores


def _require_possible(
    line: Line, texts: Mapping[str, set[tuple[int, int]]], scores: Mapping[tuple[str, str], int]
) -> None:
    """Raise ValueError for a line that the bundle's content contradicts."""
    counts_texts = not line.evaluator_id
    total = len(texts.get(line.run_id, ())) if counts_texts else scores.get((line.run_id, line.evaluator_id), 0)
    what = f"run {line.run_id[:40]}" + ("" if counts_texts else f" by evaluator {line.evaluator_id[:40]}")
    if not total or line.total != total:
        raise ValueError(f"{what}: it counts {line.total:,}, and the bundle holds {total:,}")
    if line.confirmed > line.checked or (not counts_texts and line.checked > total):
        raise ValueError(f"{what}: it confirms more than there is")
    if (counts_texts and line.level != REPLAYED) or not set(line.texts) <= texts.get(line.run_id, set()):
        raise ValueError(f"{what}: it names completions that are not there")


def _verification(
    line: Line, draw: str | None, checker: str, receipt_sha256: str, checked_at: datetime
) -> Verification:
    return Verification(
        run_id=line.run_id,
        evaluator_id=line.evaluator_id,
        level=line.level,
        confirmed=line.confirmed,
        checked=line.checked,
        total=line.total,
        draw=draw if line.level == REPLAYED else None,
        checker=checker,
        receipt_sha256=receipt_sha256,
        checked_at=checked_at,
        texts=[{"page_id": page_id, "sample": sample} for page_id, sample in line.texts] or None,
    )
