"""Summarize the stored judgments of two runs by criterion and judge."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Literal

import numpy as np

from evaluators import statistics
from evaluators.judging.krippendorff import alpha
from evaluators.judging.prediction_powered import corrected
from evaluators.judging.preference import link, position_bias, preference
from flows.judging.pairing import Pairing
from flows.judging.said import Judge, Said, Values
from flows.verdict_kinds import gives_verdicts
from storage import judgements
from storage.database import Database

Kind = Literal["people", "person", "model", "corrected"]


@gives_verdicts(
    "preferences",
    "prompts",
    over="pairs of texts, a pair a prompt",
    counted="pairs",
    given="judges, runs and rubric",
    family="the criteria of one judge",
)
@dataclass(frozen=True, kw_only=True)
class PreferenceRow:
    """A judge's preferences by one criterion.

    `a_better`, `same` and `b_better` count pairs. `win_rate` is the share of pairs in which A is better, with ties as
    half, and has a 95 % interval. `p` comes from the sign test without ties, and `p_holm` has Holm's correction for the
    criteria of this judge. `unreadable` counts unreadable answers of a model. A `corrected` row has no counts and no p;
    `judged_by_people` counts the pairs that people judged as well, and `weight` is λ.
    """

    criterion: str
    judge: str
    kind: Kind
    judges: int
    pairs: int
    a_better: int | None
    same: int | None
    b_better: int | None
    win_rate: float
    low: float
    high: float
    p: float | None
    unreadable: int | None = None
    judged_by_people: int | None = None
    weight: float | None = None
    p_holm: float | None = None


@dataclass(frozen=True, kw_only=True)
class AgreementRow:
    """The agreement of people: Krippendorff's alpha over the pairs with two or more judges, with its 95 % interval.

    `lacking` gives the reason for a missing alpha or interval.
    """

    criterion: str
    judges: int
    pairs: int
    alpha: float | None
    low: float | None
    high: float | None
    lacking: str | None


@dataclass(frozen=True, kw_only=True)
class BiasRow:
    """The position bias of a model, and the share of pairs with consistent answers in both orders."""

    criterion: str
    judge: str
    pairs: int
    bias: float
    low: float
    high: float
    consistent: float


@dataclass(frozen=True, kw_only=True)
class LinkRow:
    """Two judges on the same pairs: their agreement, and the second judge's win rate of A minus the first judge's.

    The first judge is `people`, which combines all people, or the model that started earlier.
    """

    criterion: str
    judge: str
    other: str
    pairs: int
    agreement: float
    agreement_low: float
    agreement_high: float
    difference: float
    low: float
    high: float


@dataclass(frozen=True)
class Findings:
    preferences: Sequence[PreferenceRow]
    agreements: Sequence[AgreementRow]
    biases: Sequence[BiasRow]
    links: Sequence[LinkRow]
    notes: Sequence[str]


def find(database: Database, pairing: Pairing) -> Findings:
    """Summarize the judgments of these pairs by this rubric, and link judges of all rubrics."""
    pages = {pair.page_id for pair in pairing.pairs}
    found = [one for one in judgements.every(database, *pairing.ids) if one.page_id in pages]
    names = judgements.names_of_models(database)
    rubric, turned = pairing.rubric.sha256, pairing.is_turned
    said = Said([one for one in found if one.rubric_sha256 == rubric], names, rubric, turned=turned)
    by_any = Said(found, names, rubric, turned=turned)
    criteria = pairing.rubric.names
    return Findings(
        judged([row for criterion in criteria for row in _preferences(said, criterion)]),
        [row for criterion in criteria for row in _agreement(said, criterion)],
        [row for criterion in criteria for row in _biases(said, criterion)],
        [row for criterion in criteria for row in _links(said, by_any, criterion)],
        _notes(said, criteria),
    )


def judged(rows: Sequence[PreferenceRow]) -> list[PreferenceRow]:
    """Return the rows with `p_holm`.

    The criteria of one judge form a family, because readers look for any that differs.
    """
    families = defaultdict[tuple[str, Kind], list[int]](list)
    for place, row in enumerate(rows):
        families[row.judge, row.kind].append(place)
    corrected_p = np.full(len(rows), np.nan)
    for places in families.values():
        corrected_p[places] = statistics.holm([rows[place].p for place in places])
    return [replace(row, p_holm=statistics.number_or_none(p)) for row, p in zip(rows, corrected_p, strict=True)]


def _preferences(said: Said, criterion: str) -> list[PreferenceRow]:
    people = {page: fmean(values) for page, values in said.of_people(criterion).items()}
    persons, models = said.judges(criterion, "person"), said.judges(criterion, "model")
    rows = [preference_row(criterion, "people", "people", len(persons), people)]
    if len(persons) > 1:
        rows += [preference_row(criterion, one.words, "person", 1, said.values(one, criterion)) for one in persons]
    for model in models:
        values = said.values(model, criterion)
        rows.append(preference_row(criterion, model.words, "model", 1, values, said.unreadable(model, criterion)))
        rows.append(_corrected_row(criterion, model, values, people))
    return [row for row in rows if row]


def preference_row(
    criterion: str, judge: str, kind: Kind, judges: int, values: Values, unreadable: int | None = None
) -> PreferenceRow | None:
    """Return the preferences of one judge by one criterion without Holm's correction, or None without pairs."""
    if not values:
        return None
    found = preference([*values.values()])
    return PreferenceRow(
        criterion=criterion,
        judge=judge,
        kind=kind,
        judges=judges,
        pairs=found.pairs,
        a_better=found.first,
        same=found.same,
        b_better=found.second,
        win_rate=found.win_rate,
        low=found.interval.low,
        high=found.interval.high,
        p=found.p,
        unreadable=unreadable,
    )


def _corrected_row(criterion: str, model: Judge, values: Values, people: Values) -> PreferenceRow | None:
    both = [page for page in values if page in people]
    found = corrected(
        [people[page] for page in both],
        [values[page] for page in both],
        [value for page, value in values.items() if page not in people],
    )
    if found is None:
        return None
    return PreferenceRow(
        criterion=criterion,
        judge=model.words,
        kind="corrected",
        judges=1,
        pairs=len(values),
        a_better=None,
        same=None,
        b_better=None,
        win_rate=found.win_rate,
        low=found.interval.low,
        high=found.interval.high,
        p=None,
        judged_by_people=found.judged,
        weight=found.weight,
    )


def _agreement(said: Said, criterion: str) -> list[AgreementRow]:
    judges = len(said.judges(criterion, "person"))
    if judges < 2:
        return []
    found = alpha([*said.of_people(criterion).values()])
    low, high = (found.interval.low, found.interval.high) if found.interval else (None, None)
    return [
        AgreementRow(
            criterion=criterion,
            judges=judges,
            pairs=found.units,
            alpha=found.alpha,
            low=low,
            high=high,
            lacking=found.lacking,
        )
    ]


def _biases(said: Said, criterion: str) -> list[BiasRow]:
    rows = []
    for model in said.judges(criterion, "model"):
        if orders := said.in_both_orders(model, criterion):
            found = position_bias([first for first, _ in orders], [second for _, second in orders])
            rows.append(
                BiasRow(
                    criterion=criterion,
                    judge=model.words,
                    pairs=found.pairs,
                    bias=found.bias,
                    low=found.interval.low,
                    high=found.interval.high,
                    consistent=found.consistent,
                )
            )
    return rows


def _links(said: Said, by_any: Said, criterion: str) -> list[LinkRow]:
    """Link the people with each model, and each model with the models that started later. Rubrics may differ."""
    people = {page: fmean(values) for page, values in said.of_people(criterion).items()}
    models = [(model.words, by_any.values(model, criterion)) for model in by_any.judges(criterion, "model")]
    judges, rows = [("people", people), *models], []
    for place, (words, values) in enumerate(judges):
        for other, others in judges[place + 1 :]:
            if both := [page for page in values if page in others]:
                found = link([values[page] for page in both], [others[page] for page in both])
                rows.append(
                    LinkRow(
                        criterion=criterion,
                        judge=words,
                        other=other,
                        pairs=found.pairs,
                        agreement=found.agreement,
                        agreement_low=found.agreement_interval.low,
                        agreement_high=found.agreement_interval.high,
                        difference=found.difference,
                        low=found.difference_interval.low,
                        high=found.difference_interval.high,
                    )
                )
    return rows


def _notes(said: Said, criteria: Sequence[str]) -> list[str]:
    """Return one note per model with the pairs and criteria that are left out."""
    unreadable, uncorrected = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    for criterion in criteria:
        people = said.of_people(criterion)
        for model in said.judges(criterion, "model"):
            values = said.values(model, criterion)
            if many := said.unreadable(model, criterion):
                unreadable[model.words].append(f"{criterion} {many:,}")
            both = sum(page in people for page in values)
            if people and (both < statistics.FEWEST or both == len(values)):
                uncorrected[model.words].append(f"{criterion} both {both:,} of {len(values):,}")
    foreign = sorted({judge.words for criterion in criteria for judge in said.judges(criterion) if judge.origin})
    return [
        *(
            [f"answers of judges from other databases, counted as judges of their own: {', '.join(foreign)}"]
            if foreign
            else []
        ),
        *(
            f"answers of {model} that cannot be read, whose pairs are left out: {', '.join(parts)}"
            for model, parts in unreadable.items()
        ),
        *(
            f"win rates by {model} are not corrected by people, as it takes {statistics.FEWEST} pairs or more that "
            f"both have judged, and one more that only the model has: {', '.join(parts)}"
            for model, parts in uncorrected.items()
        ),
    ]
