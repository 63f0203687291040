"""Replay some completions of every run in a bundle with the checker's own copy of the checkpoint.

No statement in a bundle switches the replay off. The stated device, dtype, numerics, backend and decoder select the
kind of replay, and each kind has its own demand.
"""

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from flows.bundles.drawing import Key, draw
from flows.bundles.opened import OpenedBundle
from flows.bundles.replay import DEMANDS, Kind, Replayed, SpotCheck
from flows.bundles.replay_kinds import (
    DrawnRun,
    by_generating,
    by_plausibility,
    by_reading,
    by_tokens,
    completion_of,
)
from flows.bundles.run_rows import decoder_of
from flows.evaluating.generate import find_models, load_model
from flows.evaluating.run_identity import stored_others, stored_settings
from flows.progress import Progress
from newwiki.bundle_requests import CheckRequest
from newwiki.decoding.grammar import Decoder
from newwiki.errors import UsageError
from newwiki.models.backend import Backend, Writing
from newwiki.models.local import LocalModel
from newwiki.records import Completion, Run
from newwiki.registry import models

Loading = tuple[tuple[str, str], ...]

_ANY = "hf"  # the backend that checks texts of third-party backends


def replay_runs(bundle: OpenedBundle, request: CheckRequest, number: int, progress: Progress) -> SpotCheck:
    """Replay `request.spot` drawn completions of every run, including dropped ones, or articles of a likelihood run.

    Raises TerminalError for a run that fails its demand, and UsageError if no model has the weights of any run.
    """
    names = _models(bundle, request)
    replaying = _Replaying(bundle, request, number, progress, lru_cache(maxsize=1)(_load))
    return SpotCheck(
        number,
        request.spot,
        [
            replaying.of(run, names[run.run_id]) if run.run_id in names else _not_replayed(bundle, run)
            for run in bundle.runs.values()
        ],
    )


def _not_replayed(bundle: OpenedBundle, run: Run) -> Replayed:
    kind: Kind = "replay" if run.samples else "reading"
    of = len(bundle.entries("completions", run.snapshot_id, run.run_id)) if run.samples else run.prompts
    return Replayed(run.run_id, kind, 0, 0, 0, of, 1.0, False, "not replayed: no --model has its weights")


def _models(bundle: OpenedBundle, request: CheckRequest) -> dict[str, str]:
    """Return the model with the weights of each run, by run id.

    Raises UsageError if no model has the weights of any run.
    """
    by_run = {}
    for run in bundle.runs.values():
        loader = models.get(_loader(run))
        hashes = {str(loader.find(name, **request.model_args).sha256): name for name in request.model}
        if run.model_sha256 in hashes:
            by_run[run.run_id] = hashes[run.model_sha256]
    if not by_run:
        wanted = ", ".join(sorted({run.model_sha256[:12] for run in bundle.runs.values()}))
        raise UsageError(
            f"no --model has the weights of a run in '{bundle.path}', whose hashes begin with {wanted}; name the "
            "folder or hub id of the checkpoint that wrote them"
        )
    return by_run


def _is_ours(run: Run) -> bool:
    loader = models.all().get(run.backend)
    return isinstance(loader, type) and issubclass(loader, LocalModel)


def _loader(run: Run) -> str:
    return run.backend if _is_ours(run) else _ANY


def _loading(run: Run, request: CheckRequest) -> dict[str, str]:
    """Return the model arguments that the run states, with the CPU as device.

    The checker's arguments take precedence.
    """
    settings = stored_settings(run)
    switches = {name: settings[name] for name in ("chat", "bos") if settings.get(name) in ("yes", "no")}
    dtype = run.dtype if _is_ours(run) or run.dtype in DEMANDS else "auto"
    return {"dtype": dtype, "device": "cpu", **switches, **request.model_args}


@dataclass(frozen=True)
class _Replaying:
    """The common parts of all replays of a bundle.

    `load` caches the last model, because adjacent runs often share it.
    """

    bundle: OpenedBundle
    request: CheckRequest
    number: int
    progress: Progress
    load: Callable[[str, str, Loading], Backend]

    def of(self, run: Run, name: str) -> Replayed:
        return self._written(run, name) if run.samples else self._read(run, name)

    def _written(self, run: Run, name: str) -> Replayed:
        decoder = _usable(run)
        rows = self.bundle.entries("completions", run.snapshot_id, run.run_id)
        completions = {(run.run_id, row["page_id"], row["sample"]): completion_of(row) for row in rows}
        drawn = DrawnRun(
            bundle=self.bundle,
            run=run,
            backend=self._loaded(run, name, decoder),
            decoder=decoder,
            writing=_writing(self.bundle, run, self.progress),
            articles={article.page_id: article for article in self.bundle.prompted_articles(run)},
            completions=[completions[key] for key in sorted(self._draw(completions))],
            of=len(completions),
        )
        with self.progress.stretch(f"replaying completions of {run.run_id}", "completions") as bar:
            replayed = _confirmed(drawn, [*completions.values()])
            bar.update(replayed.completions, replayed.completions)
        return replayed

    def _read(self, run: Run, name: str) -> Replayed:
        articles = {article.page_id: article for article in self.bundle.prompted_articles(run)}
        backend = self._loaded(run, name, None)
        drawn = DrawnRun(self.bundle, run, backend, None, Writing(), articles, (), len(articles))
        pages = [page_id for _, page_id, _ in self._draw([(run.run_id, page_id, 0) for page_id in articles])]
        with self.progress.stretch(f"reading articles of {run.run_id} again", "articles") as bar:
            replayed = by_reading(drawn, sorted(pages))
            bar.update(replayed.completions, replayed.completions)
        return replayed

    def _draw(self, keys: Collection[Key]) -> list[Key]:
        return draw(keys, self.request.spot, self.number, self.bundle.sha256)

    def _loaded(self, run: Run, name: str, decoder: Decoder | None) -> Backend:
        """Load the model.

        Raises TerminalError if a built-in backend would use settings other than those that the run states.
        """
        backend = self.load(_loader(run), name, tuple(sorted(_loading(run, self.request).items())))
        if not _is_ours(run):
            return backend
        stored, here = [stored_settings(run)], [dict(backend.settings)]
        if decoder:
            stored.append({name: sha256 for name, sha256 in stored_others(run).items() if not name.endswith("_code")})
            here.append(dict(backend.others(decoder)))
        if stored != here:
            raise self.bundle.refuse(
                f"run {run.run_id} says settings and other models {_words(stored)}, and here they are {_words(here)}; "
                "see --model-args"
            )
        return backend


def _confirmed(drawn: DrawnRun, completions: Sequence[Completion]) -> Replayed:
    """Confirm a run by its tokens, if they are known and the decoder chooses them one by one, or by another kind."""
    backend = drawn.backend
    if drawn.decoder is None or not _is_ours(drawn.run):
        return by_plausibility(drawn)
    assert isinstance(backend, LocalModel)
    with_ids = [completion for completion in completions if completion.token_ids is not None]
    for completion in with_ids:
        if not backend.is_text_of(completion, drawn.writing.stop):
            raise drawn.refuse_text(completion, "its token ids are not those of its text")
    if len(with_ids) == len(completions) and backend.can_replay(drawn.decoder):
        return by_tokens(drawn)
    return by_generating(drawn)


def _usable(run: Run) -> Decoder | None:
    """Return the run's decoder, or None if it is unknown or its other model is not on this machine."""
    decoder = decoder_of(run)
    amateur = decoder and decoder.parameters.get("amateur")
    return None if amateur is not None and not Path(str(amateur)).is_dir() else decoder


def _load(backend: str, name: str, loading: Loading) -> Backend:
    find_models(backend, [name], dict(loading))
    return load_model(backend, name, dict(loading))


def _words(mappings: Sequence[Mapping[str, str]]) -> str:
    return " and ".join(str(dict(mapping)) if mapping else "none" for mapping in mappings)[:200]


def _writing(bundle: OpenedBundle, run: Run, progress: Progress) -> Writing:
    versions = json.loads(run.versions)
    stop, strict = tuple(versions.get("stop", ())), versions.get("strict", False)
    if not _is_ours(run):
        return Writing(run.seed or 0, run.max_new_tokens or Writing.max_new_tokens, stop=stop, note=progress.note)
    if run.seed is None or run.max_new_tokens is None:
        raise bundle.refuse(f"run {run.run_id} says no seed, or no length of its texts")
    return Writing(run.seed, run.max_new_tokens, stop=stop, strict=strict, note=progress.note)
