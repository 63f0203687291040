"""Show the separations and the differences as tables, and the separations as a figure."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import astuple, fields
from typing import TYPE_CHECKING, Any

from flows.experiments.authorship.findings import MOVED, NO_INTERVAL, NONE_SHOWN, TOLD_APART
from flows.experiments.authorship.result_tables import AuthorshipDifference, AuthorshipSeparation
from flows.experiments.authorship.words import LIMITS, moved_words, sentence, separation_words
from flows.experiments.experiment import Figure, Findings, Judged, Shown, Table
from flows.presenting.charts import PageSigns, forest, svg
from flows.presenting.numbers import digits, estimate, fixed, signed
from newwiki.decoding.grammar import short_form
from storage import experiments
from storage.database import Database

if TYPE_CHECKING:
    import altair

_SEPARATIONS = (
    "How often a marked article has fewer bits per byte than another one (AUC; 0.5 is chance), and how often it has "
    "more words, each with its 95 % interval. The verdict is corrected for the number of rows. A tag is an editor's "
    "suspicion; this is no detector of machine-written text."
)
_DIFFERENCES = (
    "The mean of each run with and without the marked articles, their difference (the shift of the mean), and the mean "
    "of the marked articles less that of the others, with 95 % intervals. The verdict is corrected for the number of "
    "rows."
)
_FIGURE = (
    "How far the models' likelihood separates the marked articles: the area under the ROC curve less 0.5, with its "
    "95 % interval. Above 0 a marked article is likelier for the model than another one; 0 is chance."
)


def show(database: Database, experiment_id: str) -> Shown:
    told = experiments.rows(database, AuthorshipSeparation, experiment_id)
    moved = experiments.rows(database, AuthorshipDifference, experiment_id)
    tables = []
    if told:
        heads = ["model", "articles", "marked", "AUC [95 %]", "by words [95 %]", "verdict"]
        tables.append(Table(_SEPARATIONS, heads, [_separation(row) for row in told]))
    heads = [
        "model",
        "decoder",
        "metric",
        "articles",
        "marked",
        "with",
        "without",
        "with − without [95 %]",
        "marked − others [95 %]",
        "verdict",
    ]
    tables.append(Table(_DIFFERENCES, heads, [_difference(row) for row in moved]))
    return Shown(
        [column.name for column in fields(AuthorshipDifference)],
        [astuple(row) for row in moved],
        _findings(told, moved),
        tables,
        lambda signs: _figures(told, signs),
    )


def _findings(told: Sequence[AuthorshipSeparation], moved: Sequence[AuthorshipDifference]) -> Findings:
    holds = [f"{row.model}: {separation_words(row)}" for row in told if row.verdict == TOLD_APART]
    holds += [moved_words(row) for row in moved if row.verdict == MOVED]
    unknown = [f"{row.model}: {row.verdict}; {separation_words(row)}" for row in told if row.verdict != TOLD_APART]
    for verdict in (NONE_SHOWN, NO_INTERVAL):
        rows = [row for row in moved if row.verdict == verdict]
        if rows:
            metrics = ", ".join(dict.fromkeys(row.metric for row in rows))
            unknown.append(f"{len(rows)} means of runs: {verdict} ({metrics})")
    unknown.append(f"how an article was written: {LIMITS}")
    return Findings(answer=sentence(told, moved), holds=holds, unknown=unknown)


def _separation(row: AuthorshipSeparation) -> list[Any]:
    return [
        row.model,
        row.articles,
        row.marked,
        estimate(row.auc, row.low, row.high, lambda number: fixed(number, 3)),
        estimate(row.length_auc, row.length_low, row.length_high, lambda number: fixed(number, 3)),
        Judged(row.verdict, "bad" if row.verdict == TOLD_APART else "open"),
    ]


def _difference(row: AuthorshipDifference) -> list[Any]:
    return [
        row.model,
        short_form(row.decoder),
        row.metric,
        row.articles,
        row.marked,
        digits(row.mean_with),
        digits(row.mean_without, row.mean_with),
        estimate(row.shift, row.shift_low, row.shift_high, signed, row.no_interval),
        estimate(row.difference, row.difference_low, row.difference_high, signed, row.no_interval),
        Judged(row.verdict, "bad" if row.verdict == MOVED else "open"),
    ]


def _figures(told: Sequence[AuthorshipSeparation], page: PageSigns) -> list[Figure]:
    if not told:
        return []
    known = Counter(row.model for row in told)
    values = [
        {
            "model": row.model if known[row.model] == 1 else f"{row.model} {row.run_id}",
            "at": row.auc - 0.5,
            "low": row.low - 0.5,
            "high": row.high - 0.5,
        }
        for row in told
    ]
    listed = "; ".join(f"{value['model']} {value['at']:+.3f}" for value in values)
    return [Figure(_FIGURE, svg(_drawn(values, page), f"AUC less 0.5: {listed}"), first=True)]


def _drawn(values: list[dict[str, Any]], page: PageSigns) -> "altair.LayerChart":
    import altair as alt

    names = [str(value["model"]) for value in values]
    base = alt.Chart(alt.Data(values=values)).encode(
        y=alt.Y("model:N", sort=names, axis=alt.Axis(title=None, labelFontSize=12, labelLimit=180, grid=True)),
        color=alt.Color(
            "model:N", scale=alt.Scale(domain=names, range=[page.of(name).color for name in names]), legend=None
        ),
    )
    return forest(base, "AUC − 0.5").properties(width=270, height=alt.Step(28))
