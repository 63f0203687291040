"""Reproduce tables of means: models write articles with the rows' decoders, and each column is a metric."""

from collections.abc import Mapping, Sequence
from typing import Any

from flows.reproducing import scale
from flows.reproducing.chosen_models import ChosenModel, NotLoaded
from flows.reproducing.matching import Ours, canonical
from flows.reproducing.scale import Scaled
from flows.reproducing.step import NO_COMMAND, Outcome, Reader, Reproduction, Step, Task
from newwiki.decoding.grammar import parse
from newwiki.papers.published import Exhibit, Number, Paper, Row
from newwiki.registry import decoders
from newwiki.request import EvaluationRequest
from newwiki.snapshot import Snapshot

_COMMANDS = {
    "newwiki evaluate", "newwiki experiment models", "newwiki experiment leakage", "newwiki experiment decoder-grid",
}  # fmt: skip
# Prompts, samples, kept and tokens: New-Wiki Eval, section Experiments; Massarelli et al. 2020, sections 4 and 5, which
# do not state the number of texts for each prompt
_PROTOCOL = {"003": (2000, 20, 10, 512), "004": (1000, 3, 3, 256)}
_NO_OLD = "there is no snapshot of old articles: newwiki refresh --kind old --before 2020-01-01, or name one by --old"


def protocol(reproduction: Reproduction, snapshot: Snapshot | None = None) -> dict[str, Scaled]:
    """Return the scaled protocol by field of a request, with no more prompts than the snapshot has."""
    prompts, samples, keep, tokens = _PROTOCOL[reproduction.paper.id]
    share = reproduction.scale
    return {
        "prompts": scale.prompts(prompts, share, snapshot.articles if snapshot else None),
        "samples": scale.samples(samples, share),
        "keep": scale.kept(keep, share),
        "max_new_tokens": scale.tokens(tokens, share),
    }


def asked(numbers: Mapping[str, Scaled]) -> dict[str, Any]:
    """Return the scaled numbers as arguments of a request."""
    return {name: scaled.here for name, scaled in numbers.items()}


def decoders_of(reproduction: Reproduction, rows: Sequence[Row]) -> tuple[str, ...]:
    """Return the distinct decoders of the rows, without those that need a model that is not loaded."""
    distinct: dict[str, str] = {}
    for row in rows:
        try:
            named = reproduction.models.decoder(row.decoder)
        except NotLoaded:
            continue
        if named:
            distinct.setdefault(canonical(named), named)
    return tuple(distinct.values())


def texts_of(specifications: Sequence[str], numbers: Mapping[str, Scaled]) -> int:
    """Return the number of texts that these decoders write. Deterministic decoders write one text per prompt."""
    chosen = [decoder for text in specifications for decoder in parse(text)]
    each = [
        1 if decoders.get(decoder.name).is_deterministic(decoder) else numbers["samples"].here for decoder in chosen
    ]
    return sum(each) * numbers["prompts"].here


def evaluation_tasks(reproduction: Reproduction, exhibits: Sequence[Exhibit]) -> list[Task]:
    """Return one task for each model and snapshot, with the decoders of all rows."""
    metrics = metrics_of(reproduction, exhibits)
    tasks = []
    for model in reproduction.models.loaded if metrics else ():
        for articles, snapshot in (("new", reproduction.new), ("old", reproduction.old)):
            own_exhibits = [exhibit for exhibit in exhibits if _rows(exhibit, model.of, articles)]
            rows = [row for exhibit in own_exhibits for row in _rows(exhibit, model.of, articles)]
            named = decoders_of(reproduction, rows)
            if snapshot is None or not named:
                continue
            numbers = protocol(reproduction, snapshot)
            request = EvaluationRequest(
                **{
                    **reproduction.request.how,
                    "models": (model.name,),
                    "backend": model.backend,
                    "decoder": named,
                    "snapshot": snapshot.snapshot_id,
                    "metrics": ",".join(metrics),
                    **asked(numbers),
                }
            )
            tasks.append(
                Task(
                    name=_name(model, articles),
                    request=request,
                    exhibits=[exhibit.name for exhibit in own_exhibits],
                    runs=len(named),
                    texts=texts_of(named, numbers),
                    tokens=numbers["max_new_tokens"].here,
                    scaled=list(numbers.values()),
                )
            )
    return tasks


def evaluation_reader(reproduction: Reproduction, outcomes: Mapping[str, Outcome]) -> Reader:
    database = reproduction.database
    runs = [run for outcome in outcomes.values() for run in outcome.runs]
    scored_by = frozenset(name for outcome in outcomes.values() for name in outcome.scored_by)
    articles = {
        f"reference:{snapshot.snapshot_id}": snapshot.articles
        for snapshot in (reproduction.new, reproduction.old)
        if snapshot is not None
    }
    ids = [*(run.run_id for run in runs), *articles]
    texts = [*(run.prompts * run.keep for run in runs), *articles.values()]
    summaries = {
        (record["run_id"], record["metric"]): record
        for record in database.records(dict[str, Any], "board_summaries", ids, texts)
        if record["evaluator_id"] in scored_by
    }
    by_setting = {(run.model, run.decoder, run.snapshot_id): run.run_id for run in runs}

    def number_of(exhibit: Exhibit, number: Number) -> Ours | str | None:
        metric, why = reproduction.nearest(number.metric)
        if number.model and number.model.articles:
            whose, run_id = "Wikipedia", f"reference:{reproduction.new.snapshot_id}"
            if not runs:
                return why or "no model is loaded beside which the articles would be measured"
        else:
            model = reproduction.model(number)
            if isinstance(model, str):
                return model
            if why:
                return why
            place = str(number.labels.get("articles", "new"))
            snapshot = reproduction.old if place == "old" else reproduction.new
            if snapshot is None:
                return _NO_OLD
            if not number.decoder:
                return "the paper does not tell the decoder"
            task = outcomes.get(_name(model, place))
            if task is None or task.failed:
                return task.failed if task else NO_COMMAND
            try:
                decoder = canonical(reproduction.models.decoder(number.decoder))
            except NotLoaded as missing:
                return str(missing)
            whose, run_id = model.words, by_setting[model.name, decoder, snapshot.snapshot_id]
        return why or _ours(summaries.get((run_id, metric)), metric, whose, run_id)

    return number_of


def _ours(summary: Mapping[str, Any] | None, metric: str, whose: str, run_id: str) -> Ours | str:
    """Convert the summary of a run to a number, or to the reason for its absence."""
    if summary is None or summary["mean"] is None:
        status = f": {summary['status']}" if summary else ""
        return f"{metric} has no number of these texts{status}"
    return Ours(
        value=summary["mean"],
        low=summary["low"],
        high=summary["high"],
        lacking=summary["no_interval"],
        whose=whose,
        metric=metric,
        source=run_id,
    )


def _fills(paper: Paper, exhibit: Exhibit) -> bool:
    return paper.id in _PROTOCOL and not _COMMANDS.isdisjoint(exhibit.commands)


def metrics_of(reproduction: Reproduction, exhibits: Sequence[Exhibit]) -> list[str]:
    titles = dict.fromkeys(title for exhibit in exhibits for title in exhibit.columns)
    nearest = [reproduction.nearest(reproduction.paper.metric(title))[0] for title in titles]
    return [name for name in dict.fromkeys(nearest) if name]


def _rows(exhibit: Exhibit, model: str, articles: str) -> list[Row]:
    return [row for row in exhibit.rows if row.model == model and row.labels.get("articles", "new") == articles]


def _name(model: ChosenModel, articles: str) -> str:
    return f"{model.words} on {articles} articles"


STEP = Step(fills=_fills, tasks=evaluation_tasks, reader=evaluation_reader)
