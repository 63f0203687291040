"""Scores that a crew makes: a batch of texts is judged wherever it arrives, by the evaluators that were asked for."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import pyarrow as pa

from evaluators.scorer import add_scorers
from flows.steps.crew import Crew, Setting, cut, pages_of
from flows.steps.judging import Case, Judgement, Key, judge
from flows.steps.jury import Jury
from flows.steps.worker import everywhere, here, kept, settle
from newwiki.errors import TerminalError
from newwiki.records import Fingerprint, Score
from newwiki.registry import evaluators, set_evaluators
from newwiki.settings import Settings
from storage.references import plain

Tables = Mapping[str, pa.Table]


@dataclass(frozen=True)
class ScoreShard:
    """A batch of texts, and the evaluators as whoever asked has them: a worker's must be the same."""

    case: Case
    fingerprints: Mapping[str, Fingerprint]
    settings: Settings
    setting: Setting


class SpreadCourt:
    """Cases are judged by a crew."""

    def __init__(self, crew: Crew) -> None:
        self._crew = crew

    def cut(self, keys: Sequence[Key], size: int) -> Iterable[Sequence[Key]]:
        """Whole pages, so that no article is read by two workers."""
        return cut(keys, lambda key: key[0], self._crew.workers, size)

    def judge(self, jury: Jury, cases: Iterable[Case]) -> Iterator[tuple[Case, Judgement]]:
        """Raises ShardsFailed in the end."""
        settings = _anywhere(jury.settings)
        shards = [ScoreShard(case, jury.fingerprints, settings, self._crew.setting) for case in cases]
        for shard, tables in self._crew.run(judge_shard, shards, lambda shard: pages_of(shard.case.pages)):
            yield shard.case, _judgement(tables)


def judge_shard(shard: ScoreShard) -> Tables:
    """`scores` with the columns of `Score`; `made` and `parts` with what models made of articles and of texts, as JSON.

    Raises TerminalError where an evaluator is not the same on this machine.
    """
    settle(shard.setting)
    named = tuple(sorted(shard.fingerprints))
    jury = kept("jury", (shard.settings, named, shard.setting.plugins), lambda: _load(shard))
    judgement = judge(jury, shard.case)
    return {
        "scores": pa.Table.from_pylist([asdict(one) for one in judgement.scores]),
        "made": _table([((page_id, 0), part, value) for page_id, part, value in judgement.made]),
        "parts": _table([(key, *of_one) for key, parts in judgement.parts.items() for of_one in parts.items()]),
    }


def _load(shard: ScoreShard) -> Jury:
    add_scorers(shard.settings.scorers)
    everyone = {**evaluators.all(), **set_evaluators.all()}
    jury = Jury([everyone[name] for name in sorted(shard.fingerprints)], shard.settings)
    for name, wanted in shard.fingerprints.items():
        found = asdict(jury.fingerprints[name])
        if differing := [key for key, value in asdict(wanted).items() if found[key] != value and key != "evaluator_id"]:
            facts = "; ".join(f"{key} {found[key]} there, {getattr(wanted, key)} here" for key in differing)
            raise TerminalError(
                f"the evaluator '{name}' is another one on {here()} (there) than on {shard.setting.machine} (here): "
                f"{facts}; give both machines the same models and versions"
            )
    return jury


def _anywhere(settings: Settings) -> Settings:
    """With paths that hold in any folder."""
    kind, colon, place = settings.entities.partition(":")
    return replace(
        settings,
        entities=kind + colon + everywhere(place),
        embedder=everywhere(settings.embedder),
        likelihood_model=everywhere(settings.likelihood_model),
        scorers=",".join(everywhere(file.strip()) for file in settings.scorers.split(",")),
    )


def _table(rows: Sequence[tuple[Key, str, Any]]) -> pa.Table:
    pages, samples = [key[0] for key, *_ in rows], [key[1] for key, *_ in rows]
    values = [json.dumps(plain(value), ensure_ascii=False) for *_, value in rows]
    kinds = {"page_id": pa.int64(), "sample": pa.int64(), "part": pa.string(), "value": pa.string()}
    columns = [pages, samples, [part for _, part, _ in rows], values]
    return pa.table(dict(zip(kinds, columns, strict=True)), schema=pa.schema(kinds))


def _judgement(tables: Tables) -> Judgement:
    made = [(row["page_id"], row["part"], json.loads(row["value"])) for row in tables["made"].to_pylist()]
    parts: dict[Key, dict[str, Any]] = {}
    for row in tables["parts"].to_pylist():
        parts.setdefault((row["page_id"], row["sample"]), {})[row["part"]] = json.loads(row["value"])
    return Judgement([Score(**row) for row in tables["scores"].to_pylist()], made, parts)
