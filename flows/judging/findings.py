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
from flows.judging.judged_values import Judge, JudgedValues, Values
from flows.judging.pairing import Pairing
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
    answers = [answer for answer in judgements.every(database, *pairing.ids) if answer.page_id in pages]
    names = judgements.names_of_models(database)
    rubric, turned = pairing.rubric.sha256, pairing.is_turned
    judged_values = JudgedValues(
        [answer for answer in answers if answer.rubric_sha256 == rubric], names, rubric, turned=turned
    )
    by_any = JudgedValues(answers, names, rubric, turned=turned)
    criteria = pairing.rubric.names
    return Findings(
        judged([row for criterion in criteria for row in _preferences(judged_values, criterion)]),
        [row for criterion in criteria for row in _agreement(judged_values, criterion)],
        [row for criterion in criteria for row in _biases(judged_values, criterion)],
        [row for criterion in criteria for row in _links(judged_values, by_any, criterion)],
        _notes(judged_values, criteria),
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


def _preferences(judged_values: JudgedValues, criterion: str) -> list[PreferenceRow]:
    people = {page: fmean(values) for page, values in judged_values.of_people(criterion).items()}
    persons, models = judged_values.judges(criterion, "person"), judged_values.judges(criterion, "model")
    rows = [preference_row(criterion, "people", "people", len(persons), people)]
    if len(persons) > 1:
        rows += [
            preference_row(criterion, person.words, "person", 1, judged_values.values(person, criterion))
            for person in persons
        ]
    for model in models:
        values = judged_values.values(model, criterion)
        rows.append(
            preference_row(criterion, model.words, "model", 1, values, judged_values.unreadable(model, criterion))
        )
        rows.append(_corrected_row(criterion, model, values, people))
    return [row for row in rows if row]


def preference_row(
    criterion: str, judge: str, kind: Kind, judges: int, values: Values, unreadable: int | None = None
) -> PreferenceRow | None:
    """Return the preferences of one judge by one criterion without Holm's correction, or None without pairs."""
    if not values:
        return None
    preferred = preference([*values.values()])
    return PreferenceRow(
        criterion=criterion,
        judge=judge,
        kind=kind,
        judges=judges,
        pairs=preferred.pairs,
        a_better=preferred.first,
        same=preferred.same,
        b_better=preferred.second,
        win_rate=preferred.win_rate,
        low=preferred.interval.low,
        high=preferred.interval.high,
        p=preferred.p,
        unreadable=unreadable,
    )


def _corrected_row(criterion: str, model: Judge, values: Values, people: Values) -> PreferenceRow | None:
    both = [page for page in values if page in people]
    correction = corrected(
        [people[page] for page in both],
        [values[page] for page in both],
        [value for page, value in values.items() if page not in people],
    )
    if correction is None:
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
        win_rate=correction.win_rate,
        low=correction.interval.low,
        high=correction.interval.high,
        p=None,
        judged_by_people=correction.judged,
        weight=correction.weight,
    )


def _agreement(judged_values: JudgedValues, criterion: str) -> list[AgreementRow]:
    judges = len(judged_values.judges(criterion, "person"))
    if judges < 2:
        return []
    agreement = alpha([*judged_values.of_people(criterion).values()])
    low, high = (agreement.interval.low, agreement.interval.high) if agreement.interval else (None, None)
    return [
        AgreementRow(
            criterion=criterion,
            judges=judges,
            pairs=agreement.units,
            alpha=agreement.alpha,
            low=low,
            high=high,
            lacking=agreement.lacking,
        )
    ]


def _biases(judged_values: JudgedValues, criterion: str) -> list[BiasRow]:
    rows = []
    for model in judged_values.judges(criterion, "model"):
        if orders := judged_values.in_both_orders(model, criterion):
            bias = position_bias([first for first, _ in orders], [second for _, second in orders])
            rows.append(
                BiasRow(
                    criterion=criterion,
                    judge=model.words,
                    pairs=bias.pairs,
                    bias=bias.bias,
                    low=bias.interval.low,
                    high=bias.interval.high,
                    consistent=bias.consistent,
                )
            )
    return rows


def _links(judged_values: JudgedValues, by_any: JudgedValues, criterion: str) -> list[LinkRow]:
    """Link the people with each model, and each model with the models that started later. Rubrics may differ."""
    people = {page: fmean(values) for page, values in judged_values.of_people(criterion).items()}
    models = [(model.words, by_any.values(model, criterion)) for model in by_any.judges(criterion, "model")]
    judges, rows = [("people", people), *models], []
    for place, (words, values) in enumerate(judges):
        for other, others in judges[place + 1 :]:
            if both := [page for page in values if page in others]:
                linked = link([values[page] for page in both], [others[page] for page in both])
                rows.append(
                    LinkRow(
                        criterion=criterion,
                        judge=words,
                        other=other,
                        pairs=linked.pairs,
                        agreement=linked.agreement,
                        agreement_low=linked.agreement_interval.low,
                        agreement_high=linked.agreement_interval.high,
                        difference=linked.difference,
                        low=linked.difference_interval.low,
                        high=linked.difference_interval.high,
                    )
                )
    return rows


def _notes(judged_values: JudgedValues, criteria: Sequence[str]) -> list[str]:
    """Return one note per model with the pairs and criteria that are left out."""
    unreadable, uncorrected = defaultdict[str, list[str]](list), defaultdict[str, list[str]](list)
    for criterion in criteria:
        people = judged_values.of_people(criterion)
        for model in judged_values.judges(criterion, "model"):
            values = judged_values.values(model, criterion)
            if unreadable_answers := judged_values.unreadable(model, criterion):
                unreadable[model.words].append(f"{criterion} {unreadable_answers:,}")
            both = sum(page in people for page in values)
            if people and (both < statistics.FEWEST or both == len(values)):
                uncorrected[model.words].append(f"{criterion} both {both:,} of {len(values):,}")
    foreign = sorted(
        {judge.words for criterion in criteria for judge in judged_values.judges(criterion) if judge.origin}
    )
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
