"""Score a batch of texts on a worker, with the same evaluators as in the main process."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import pyarrow as pa

from evaluators.scorer_metrics import add_scorers
from flows.scoring.batches import BatchScores, TextBatch, score_batch
from flows.scoring.loaded_evaluators import LoadedEvaluators, judged_by
from flows.scoring.text_budget import Key
from flows.workers.shards import Executor, Setting, cut, pages_of
from flows.workers.worker import cached, everywhere, here, settle
from newwiki.errors import TerminalError
from newwiki.records import CheckedClaim, Fingerprint, Score
from newwiki.registry import evaluators, set_evaluators
from newwiki.settings import Settings
from storage.references import plain

Tables = Mapping[str, pa.Table]


@dataclass(frozen=True)
class ScoreShard:
    """A batch of texts with the fingerprints of the main process's evaluators.

    The worker's fingerprints must be the same.
    """

    batch: TextBatch
    fingerprints: Mapping[str, Fingerprint]
    settings: Settings
    setting: Setting


class ShardedScoring:
    """Score batches with an executor."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    def cut(self, keys: Sequence[Key], size: int) -> Iterable[Sequence[Key]]:
        """Keep all texts of a page in one batch, so that only one worker analyzes each article."""
        return cut(keys, lambda key: key[0], self._executor.workers, size)

    def score(self, loaded: LoadedEvaluators, batches: Iterable[TextBatch]) -> Iterator[tuple[TextBatch, BatchScores]]:
        """Yield the scores of each shard. Raises ShardsFailed at the end if shards failed."""
        settings = _anywhere(loaded.settings)
        shards = [ScoreShard(batch, loaded.fingerprints, settings, self._executor.setting) for batch in batches]
        for shard, tables in self._executor.run(score_shard, shards, lambda shard: pages_of(shard.batch.pages)):
            yield shard.batch, _batch_scores(tables)


def score_shard(shard: ScoreShard) -> Tables:
    """Score a shard, and return its results as Arrow tables.

    - `scores`: the columns of `Score`
    - `claims`: the columns of `CheckedClaim`
    - `made` and `parts`: the models' analyses of the articles and of the texts, as JSON

    Raises TerminalError if an evaluator on this machine differs from the main process's evaluator.
    """
    settle(shard.setting)
    named = tuple(sorted(shard.fingerprints))
    judged = tuple(judged_by(shard.fingerprints[name]) for name in named)
    loaded = cached("evaluators", (shard.settings, named, judged, shard.setting.plugins), lambda: _load(shard))
    scored = score_batch(loaded, shard.batch)
    return {
        "scores": pa.Table.from_pylist([asdict(score) for score in scored.scores]),
        "claims": pa.Table.from_pylist([asdict(claim) for claim in scored.claims]),
        "made": _table([((page_id, 0), part, value) for page_id, part, value in scored.new_parts]),
        "parts": _table([(key, *by_need) for key, parts in scored.parts.items() for by_need in parts.items()]),
    }


def _load(shard: ScoreShard) -> LoadedEvaluators:
    add_scorers(shard.settings.scorers)
    everyone = {**evaluators.all(), **set_evaluators.all()}
    [judged] = {judged_by(fingerprint) for fingerprint in shard.fingerprints.values()}
    chosen = [everyone[name] for name in sorted(shard.fingerprints)]
    loaded = LoadedEvaluators(chosen, shard.settings, judged=judged)
    for name, wanted in shard.fingerprints.items():
        loaded_fingerprint = asdict(loaded.fingerprints[name])
        if differing := [
            key for key, value in asdict(wanted).items() if loaded_fingerprint[key] != value and key != "evaluator_id"
        ]:
            facts = "; ".join(
                f"{key} {loaded_fingerprint[key]} there, {getattr(wanted, key)} here" for key in differing
            )
            raise TerminalError(
                f"the evaluator '{name}' is another one on {here()} (there) than on {shard.setting.machine} (here): "
                f"{facts}; give both machines the same models and versions"
            )
    return loaded


def _anywhere(settings: Settings) -> Settings:
    """Make the paths in the settings absolute, so that they are valid in any working directory."""
    kind, colon, place = settings.entities.partition(":")
    return replace(
        settings,
        entities=kind + colon + everywhere(place),
        embedder=everywhere(settings.embedder),
        likelihood_model=everywhere(settings.likelihood_model),
        scorers=",".join(everywhere(file.strip()) for file in settings.scorers.split(",")),
        pair_scorer=everywhere(settings.pair_scorer),
        evidence=everywhere(settings.evidence),
    )


def _table(rows: Sequence[tuple[Key, str, Any]]) -> pa.Table:
    pages, samples = [key[0] for key, *_ in rows], [key[1] for key, *_ in rows]
    values = [json.dumps(plain(value), ensure_ascii=False) for *_, value in rows]
    kinds = {"page_id": pa.int64(), "sample": pa.int64(), "part": pa.string(), "value": pa.string()}
    columns = [pages, samples, [part for _, part, _ in rows], values]
    return pa.table(dict(zip(kinds, columns, strict=True)), schema=pa.schema(kinds))


def _batch_scores(tables: Tables) -> BatchScores:
    new_parts = [(row["page_id"], row["part"], json.loads(row["value"])) for row in tables["made"].to_pylist()]
    parts: dict[Key, dict[str, Any]] = {}
    for row in tables["parts"].to_pylist():
        parts.setdefault((row["page_id"], row["sample"]), {})[row["part"]] = json.loads(row["value"])
    scores = [Score(**row) for row in tables["scores"].to_pylist()]
    return BatchScores(scores, new_parts, parts, [CheckedClaim(**row) for row in tables["claims"].to_pylist()])
