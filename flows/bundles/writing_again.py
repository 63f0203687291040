"""Some of a bundle's completions made anew, with the checker's own copy of the checkpoint."""

import json
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

from flows.bundles.checked import Checked, Confirmed
from flows.bundles.drawing import Key, draw
from flows.bundles.opened import OpenedBundle
from flows.bundles.run_rows import decoder_of
from flows.evaluating.generate import find_models, load_model
from flows.evaluating.run_identity import stored_others, stored_settings
from flows.progress import Progress
from newwiki.bundle_requests import CheckRequest
from newwiki.errors import UsageError
from newwiki.levels import REPLAYED
from newwiki.models.backend import Backend, Writing
from newwiki.models.local import LocalModel
from newwiki.models.numerics import NUMERICS
from newwiki.records import Completion, Prompt, Run
from newwiki.registry import models
from newwiki.text.prompts import fill

_DECISIVE = ("torch", "transformers", "tokenizers")  # versions that may change bytes
_COMPARED = ("text", "tokens", "finish_reason")

Written = Mapping[Key, Mapping[str, Any]]


@dataclass(frozen=True)
class SpotCheck:
    """By `number` completions were drawn of `of`, and `demanded` of the drawn had to have the same bytes, and have.
    `confirmed` are those by run."""

    number: int
    of: int
    demanded: int
    lines: Sequence[Checked]
    confirmed: Sequence[Confirmed] = ()


def write_again(bundle: OpenedBundle, request: CheckRequest, number: int, progress: Progress) -> SpotCheck:
    """Raises TerminalError for a completion in float32 on a CPU that is another, UsageError where no run can be made
    again."""
    names = _models(bundle, request)
    written = {
        (run_id, one["page_id"], one["sample"]): one
        for run_id in names
        for one in bundle.entries("completions", bundle.runs[run_id].snapshot_id, run_id)
    }
    of_run: dict[str, list[Key]] = defaultdict(list)
    for key in draw(written, request.spot, number, bundle.sha256):
        of_run[key[0]].append(key)
    demanded, lines, confirmed = 0, [], []
    for run_id in names:
        if not (drawn := sorted(of_run[run_id])):
            lines.append(Checked(f"made anew of {run_id}", 0, 0, "none of its completions was drawn"))
            continue
        same, needless = _same(bundle, bundle.runs[run_id], names[run_id], drawn, written, request, progress)
        demanded += 0 if needless else len(drawn)
        told = f"the same bytes, which was not demanded: {needless}" if needless else "the same bytes"
        lines.append(Checked(f"made anew of {run_id}", len(same), len(drawn), told))
        if not needless:
            confirmed.append(_confirmed(run_id, drawn, written))
    return SpotCheck(number, len(written), demanded, [*lines, *_left_out(bundle, names)], confirmed)


def _confirmed(run_id: str, drawn: Sequence[Key], written: Written) -> Confirmed:
    tokens = sum(written[key]["tokens"] or 0 for key in drawn)
    texts = tuple((page_id, sample) for _, page_id, sample in drawn)
    total = sum(1 for one, *_ in written if one == run_id)
    return Confirmed(run_id=run_id, level=REPLAYED, confirmed=tokens, checked=tokens, total=total, texts=texts)


def _left_out(bundle: OpenedBundle, names: Collection[str]) -> list[Checked]:
    return [
        Checked(f"made anew of {run.run_id}", 0, 0, f"not made again: {_obstacle(run) or 'no --model has its weights'}")
        for run in bundle.runs.values()
        if run.samples and run.run_id not in names
    ]


def _models(bundle: OpenedBundle, request: CheckRequest) -> dict[str, str]:
    """By the id of each run that can be made again, which of the models has its weights. Raises UsageError for none."""
    found = {}
    for run in bundle.runs.values():
        if run.samples and not _obstacle(run):
            of_weights = {_sha256(run, name, request): name for name in request.model}
            if run.model_sha256 in of_weights:
                found[run.run_id] = of_weights[run.model_sha256]
    if not found:
        told = "; ".join(f"{one.what}: {one.result}" for one in _left_out(bundle, ())) or "none has written any text"
        raise UsageError(f"'{bundle.path}' has no run that can be made again with these models: {told}")
    return found


def _obstacle(run: Run) -> str:
    """Why nobody can make the run again here, whatever model he has; an empty text where somebody can."""
    loader = models.all().get(run.backend)
    if not (isinstance(loader, type) and issubclass(loader, LocalModel)):
        return f"backend {run.backend[:40]} gives no bytes that others can make again"
    decoder = decoder_of(run)
    if decoder is None:
        return f"there is no decoder '{run.decoder[:40]}' here"
    amateur = decoder.parameters.get("amateur")
    if amateur is not None and not Path(str(amateur)).is_dir():
        return f"its amateur '{str(amateur)[:60]}' is no folder here"
    return ""


def _sha256(run: Run, name: str, request: CheckRequest) -> str:
    return str(models.get(run.backend).find(name, **_loading(run, request)).sha256)


def _loading(run: Run, request: CheckRequest) -> dict[str, str]:
    """As the run says that its model was loaded, but on a CPU, unless the checker wants it otherwise."""
    told = stored_settings(run)
    asked = {name: told[name] for name in ("chat", "bos") if told.get(name) in ("yes", "no")}
    return {"dtype": run.dtype, "device": "cpu", **asked, **request.model_args}


def _same(
    bundle: OpenedBundle,
    run: Run,
    name: str,
    drawn: Sequence[Key],
    written: Written,
    request: CheckRequest,
    progress: Progress,
) -> tuple[list[Key], str]:
    """Which of the drawn have the same bytes, and why they need not; an empty text where they must. Raises
    TerminalError."""
    backend = _loaded(bundle, run, name, request)
    made = _made(bundle, run, backend, drawn, progress)
    same = [key for key in drawn if all(written[key][one] == getattr(made[key], one) for one in _COMPARED)]
    needless = _needless(run, backend)
    if len(same) < len(drawn) and not needless:
        other = next(key for key in drawn if key not in same)
        raise bundle.refuse(_difference(bundle, run, other, written[other]["text"], made[other].text, backend))
    return same, needless


def _loaded(bundle: OpenedBundle, run: Run, name: str, request: CheckRequest) -> Backend:
    loading = _loading(run, request)
    find_models(run.backend, [name], loading)
    backend, decoder = load_model(run.backend, name, loading), decoder_of(run)
    assert decoder
    others = {one: sha256 for one, sha256 in stored_others(run).items() if not one.endswith("_code")}
    if dict(backend.settings) != stored_settings(run) or dict(backend.others(decoder)) != others:
        raise bundle.refuse(
            f"run {run.run_id} was set to {stored_settings(run)} and read {others or 'no other model'}, and here it "
            f"would be {dict(backend.settings)} and {dict(backend.others(decoder)) or 'none'}; see --model-args"
        )
    return backend


def _made(
    bundle: OpenedBundle, run: Run, backend: Backend, keys: Sequence[Key], progress: Progress
) -> Mapping[Key, Completion]:
    decoder, told = decoder_of(run), json.loads(run.versions)
    assert decoder and run.seed is not None and run.max_new_tokens is not None, run
    writing = Writing(
        run.seed, run.max_new_tokens, stop=tuple(told.get("stop", ())), strict=told["strict"], note=progress.note
    )
    prompts = {
        one.page_id: Prompt(one.page_id, fill(run.prompt_template, one.title, one.first_sentence))
        for one in bundle.asked(run)
    }
    made: dict[Key, Completion] = {}
    with progress.stretch(f"making completions of {run.run_id} anew", "completions") as bar:
        for batch in backend.complete([(prompts[page_id], sample) for _, page_id, sample in keys], decoder, writing):
            made |= {(run.run_id, one.page_id, one.sample): one for one in batch}
            bar.update(len(made), len(keys))
    return made


def _needless(run: Run, backend: Backend) -> str:
    there, here = json.loads(run.versions).get("device", "an unknown device"), backend.versions["device"]
    if run.dtype != "float32":
        return f"it computes in {run.dtype}"
    if (there, here) != ("cpu", "cpu"):
        return f"it was written on {there[:60]}, and this is {here}"
    if run.numerics != NUMERICS:
        return f"its numerics are version {run.numerics}, and these are {NUMERICS}"
    return ""


def _difference(bundle: OpenedBundle, run: Run, key: Key, there: str, here: str, backend: Backend) -> str:
    _, page_id, sample = key
    [title] = [article.title for article in bundle.asked(run) if article.page_id == page_id]
    same = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(there, here, strict=False)))
    told = json.loads(run.versions)
    versions = [
        f"{name} {told.get(name)} there, {backend.versions[name]} here"
        for name in _DECISIVE
        if told.get(name) != backend.versions[name]
    ]
    return (
        f"run {run.run_id}, page {page_id} ('{title[:60]}'), sample {sample}: made anew, it is another text from "
        f"character {same + 1} on{'; '.join(['', *versions])}"
    )
