"""The leaderboard, laid out for people."""

from collections.abc import Collection
from typing import Any

from flows import tables
from flows.comparing.board import ABOUT, SEEN, Board, numbers_of
from flows.comparing.ranked import leaderboard
from flows.tables import digits
from newwiki.decoding.grammar import short_form
from newwiki.protocol import value_in_words
from newwiki.request import LeaderboardRequest
from storage.database import Database

_ACROSS = 6  # as many runs fit beside each other; more of them stand below each other
_TITLE = "mean ± standard deviation over texts [95 % interval of the mean, by prompt]"


def show(
    database: Database, request: LeaderboardRequest, form: str, prefer: Collection[str] | None = None
) -> tuple[str, ...]:
    """Writes the leaderboard to stdout; `prefer` is that of `flows.comparing.board.board`.

    Gives what a reader must know beside it.
    """
    shown = leaderboard(database, request, prefer)
    if form != "table":
        tables.show(shown.heads, [[record[name] for name in shown.heads] for record in shown.records], form)
        return (*shown.notes, *filter(None, [shown.caption]))
    if not shown.records:
        return ("no run is scored yet; score one with `newwiki evaluate MODEL --decoder greedy`",)
    _show_table(shown)
    return shown.notes


def _show_table(shown: Board) -> None:
    """One cell a metric: mean ± standard deviation, 95 % interval of the mean in brackets, and on how many texts it
    stands where these are not all."""
    title = "\n".join(filter(None, [_TITLE, shown.caption]))
    apart_in = [name for name in shown.about if name not in ABOUT]
    about = [name for name in shown.about if name not in SEEN or _is_known(shown, name)]
    records = [
        record
        | {"decoder": short_form(record["decoder"]), "seen_share": _share(record.get("seen_share"))}
        | {name: _setting(record, name) for name in apart_in if name != "group"}
        for record in shown.records
    ]
    names = [column.name for column in shown.columns]
    cells = [[_cell(record, name) for name in names] for record in records]
    if len(records) <= _ACROSS:
        heads = ["", *["\n".join([record["model"], *record["decoder"].split(",")]) for record in records]]
        above = [
            [name, *["" if record[name] is None else str(record[name]) for record in records]] for name in about[2:]
        ]
        down = [[name, *[row[place] for row in cells]] for place, name in enumerate(names)]
        tables.show(heads, above + down, "table", title)
    else:
        before = [[record[name] for name in about] for record in records]
        tables.show([*about, *names], [a + c for a, c in zip(before, cells, strict=True)], "table", title)


def _cell(record: dict[str, Any], metric: str) -> str:
    of = numbers_of(record, metric)
    lacking, low, high = of["no_interval"], of["low"], of["high"]
    apart = f" ({of['status']})" if of["status"] not in (None, "ok") else ""
    if of["mean"] is None:
        return f"–{apart}"
    spread = f" ± {digits(of['sd'])}" if of["sd"] is not None else ""
    interval = f" [{lacking or f'{digits(low)}, {digits(high)}'}]" if lacking or low is not None else ""
    return f"{digits(of['mean'])}{spread}{interval}{apart}"


def _is_known(shown: Board, name: str) -> bool:
    return any(record[name] is not None for record in shown.records)


def _share(share: float | None) -> str | None:
    return None if share is None else f"{share:.1%}".replace("%", " %")


def _setting(record: dict[str, Any], name: str) -> str:
    """Nothing for the articles, which were not asked, and where a setting has no part in a run."""
    return "" if record[name] is None else value_in_words(record[name])
