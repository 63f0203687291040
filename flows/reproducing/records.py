"""A reproduction as rows: a record for each number of the paper, and lines for people."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from flows.planning.rates import rates
from flows.presenting.numbers import digits
from flows.reproducing.matching import FAILS, HOLDS, NOT_RUN, UNKNOWN, UNLIKE, Match, Standing
from flows.reproducing.reproduce import PlannedPaper, ReproducedPaper
from flows.reproducing.scale import words
from newwiki.decoding.grammar import short_form
from newwiki.papers.published import Number
from storage.database import Database

COLUMNS = (
    "paper", "exhibit", "model", "decoder", "against", "labels", "metric", "unit", "published", "spread", "ours", "low",
    "high", "standing", "why", "whose", "here", "source",
)  # fmt: skip
PLAN = ("paper", "task", "fills", "runs", "texts", "tokens_at_most", "hours", "scale")
HEADS = ("exhibit", "of", "metric", "paper", "ours", "95 %", "standing", "ours is of")
STANDINGS: Sequence[Standing] = (HOLDS, FAILS, UNKNOWN, UNLIKE, NOT_RUN)


def record(match: Match) -> tuple[Any, ...]:
    """Return the values for COLUMNS. All numbers are in the paper's unit."""
    number, ours = match.number, match.ours
    about = (
        match.paper,
        match.exhibit.name,
        number.model.name if number.model else "",
        number.decoder,
        number.against,
        json.dumps(dict(number.labels), sort_keys=True, ensure_ascii=False),
        number.metric.title,
        number.metric.unit,
        number.value,
        number.spread,
    )
    if ours is None:
        return (*about, None, None, None, match.standing, match.why, None, None, None)
    return (
        *about, ours.value, ours.low, ours.high, match.standing, match.why, ours.whose, ours.metric, ours.source
    )  # fmt: skip


def lines(matches: Sequence[Match]) -> list[list[Any]]:
    """Return the values for HEADS: a line for each number that has a number of ours."""
    return [
        [
            match.exhibit.name,
            of_words(match.number),
            match.number.metric.title,
            digits(match.number.value),
            digits(match.ours.value),
            interval(match) or "–",
            f"{match.standing}: {match.why}" if match.why else match.standing,
            match.ours.whose,
        ]
        for match in matches
        if match.ours
    ]


def of_words(number: Number) -> str:
    """Return the decoder and the labels of a number."""
    labels = [
        f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}" for name, value in number.labels.items()
    ]
    decoder = [short_form(number.decoder)] if number.decoder else []
    return ", ".join([*decoder, *labels]) or "–"


def interval(match: Match) -> str:
    ours = match.ours
    if ours is None or ours.low is None or ours.high is None:
        return ""
    return f"[{digits(ours.low)}, {digits(ours.high)}]"


def not_run(matches: Iterable[Match]) -> list[tuple[str, int, str]]:
    """Count the paper's numbers that have no number of ours, by exhibit and reason."""
    counted = Counter((match.exhibit.name, match.why) for match in matches if match.standing == NOT_RUN)
    return [(exhibit, count, why) for (exhibit, why), count in counted.items()]


def summary(done: ReproducedPaper) -> list[str]:
    """Return sentences on the reproduction of a paper."""
    counted = Counter(match.standing for match in done.matches)
    paper = done.reproduction.paper
    standings = [f"{counted[standing]} {standing}" for standing in STANDINGS if counted[standing]]
    sentences = [f"{len(done.matches)} numbers of {paper.id}: {', '.join(standings)}"]
    for task, outcome in done.tasks:
        came = f"failed: {outcome.failed}" if outcome.failed else outcome.verdict or f"{task.runs} runs"
        sentences.append(f"{task.name} ({words(task.scaled)}): {came}")
    return sentences


def plan_words(planned: Sequence[PlannedPaper], database: Database) -> list[str]:
    """Return the plan in sentences."""
    rows, notes = plan_rows(planned, database)
    sentences = [
        f"{paper}, {task}: {runs} runs, {texts:,} texts of {tokens} tokens, {hours * 60:.1f} minutes of writing; "
        f"{scaled}"
        for paper, task, _, runs, texts, tokens, hours, scaled in rows
    ]
    return [*sentences, *notes]


def plan_rows(planned: Sequence[PlannedPaper], database: Database) -> tuple[list[tuple[Any, ...]], list[str]]:
    """Return the planned tasks under PLAN, and notes. The hours use the rates of the runs in the database."""
    known = rates(database)
    rows, notes = [], []
    for planned_paper in planned:
        for task in planned_paper.tasks:
            seconds = task.texts * task.tokens / known.tokens_per_second.value
            seconds += task.runs * known.write_run_seconds.value
            rows.append(
                (
                    planned_paper.reproduction.paper.id,
                    task.name,
                    ", ".join(task.exhibits),
                    task.runs,
                    task.texts,
                    task.tokens,
                    seconds / 3600,
                    words(task.scaled),
                )
            )
        chosen = planned_paper.reproduction.models
        reasons = {**chosen.models, **chosen.amateurs}
        notes += [
            f"{planned_paper.reproduction.paper.id}, {name}: not run: {why}"
            for name, why in reasons.items()
            if isinstance(why, str)
        ]
    if rows:
        rate = known.tokens_per_second
        notes.append(f"hours of writing at {rate.value:,.0f} tokens a second, {rate.source}; what is stored takes none")
    return rows, notes
