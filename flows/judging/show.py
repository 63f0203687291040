"""Show the judges' findings as tables for people."""

from collections.abc import Sequence
from dataclasses import astuple, fields

from flows.experiments.experiment import Table
from flows.judging.findings import AgreementRow, Findings, PreferenceRow
from flows.judging.pairing import Pairing
from flows.presenting.numbers import digits, p_value

COLUMNS = [column.name for column in fields(PreferenceRow)]
_KINDS = {
    "people": "people",
    "person": "a person",
    "model": "a model",
    "corrected": "a model, corrected by people",
}


def tables(findings: Findings, pairing: Pairing) -> dict[str, Table]:
    """Return the tables with at least one row, by title."""
    titled = {
        "Preferences": _preferences(findings, pairing),
        "Agreement of people": _agreement(findings),
        "Position bias of models": _bias(findings),
        "Judges beside each other": _links(findings),
    }
    return {title: table for title, table in titled.items() if table.cells}


def records(findings: Findings) -> list[Sequence[object]]:
    """Return the rows of the preference table for programs, under `COLUMNS`."""
    return [astuple(row) for row in findings.preferences]


def whose(pairing: Pairing) -> str:
    return (
        f"A: {pairing.contender.words} ({pairing.contender.run_id}); B: {pairing.other.words} ({pairing.other.run_id})"
    )


def _preferences(findings: Findings, pairing: Pairing) -> Table:
    cells = [
        (
            row.criterion,
            row.judge,
            _KINDS[row.kind] + (f" ({row.judges})" if row.kind == "people" else ""),
            f"{row.pairs:,}",
            _share(row.a_better, row.pairs),
            _share(row.same, row.pairs),
            _share(row.b_better, row.pairs),
            _interval(row.win_rate, row.low, row.high),
            None if row.p_holm is None else p_value(row.p_holm),
            None if row.weight is None else f"{row.judged_by_people:,} by people, λ {digits(row.weight)}",
        )
        for row in findings.preferences
    ]
    heads = ("criterion", "judge", "kind", "pairs", "A better", "same", "B better", "A's win rate", "p", "corrected by")
    columns = len(heads) - all(row.kind != "corrected" for row in findings.preferences)
    return Table(
        f"{whose(pairing)}. A's win rate is the share of pairs in which A is better, ties as half, with its 95 % "
        "interval; p is the sign test's, without ties, corrected for the number of criteria (Holm)",
        heads[:columns],
        [row[:columns] for row in cells],
    )


def _agreement(findings: Findings) -> Table:
    return Table(
        "How far people agree: Krippendorff's alpha (nominal); 1 is always, 0 as often as chance has it. The 95 % "
        "interval is for all pairs like these, judged by the same people",
        ("criterion", "people", "pairs", "alpha"),
        [(row.criterion, row.judges, row.pairs, _alpha(row)) for row in findings.agreements],
    )


def _alpha(row: AgreementRow) -> str:
    if row.alpha is None:
        return str(row.lacking)
    if row.low is None or row.high is None:
        return f"{digits(row.alpha)} ({row.lacking})"
    return _interval(row.alpha, row.low, row.high)


def _bias(findings: Findings) -> Table:
    return Table(
        "How far models lean to the first place: the share of answers that name it, ties as half, less 0.5, with its "
        "95 % interval; consistent is the share of pairs with the same answer in both orders",
        ("criterion", "judge", "pairs", "position bias", "consistent"),
        [
            (row.criterion, row.judge, row.pairs, _interval(row.bias, row.low, row.high), f"{row.consistent:.1%}")
            for row in findings.biases
        ],
    )


def _links(findings: Findings) -> Table:
    return Table(
        "Judges on the same pairs: the share on which they say the same, and how far A's win rate by the second is "
        "above that by the first, with 95 % intervals",
        ("criterion", "judge", "other judge", "pairs", "agreement", "difference"),
        [
            (
                row.criterion,
                row.judge,
                row.other,
                row.pairs,
                _interval(row.agreement, row.agreement_low, row.agreement_high),
                _interval(row.difference, row.low, row.high),
            )
            for row in findings.links
        ],
    )


def _share(count: int | None, pairs: int) -> str | None:
    return None if count is None else f"{count / pairs:.1%}"


def _interval(value: float, low: float, high: float) -> str:
    return f"{digits(value)} [{digits(low)}, {digits(high)}]"
