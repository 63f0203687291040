"""Find runs by name: the beginning of an id, or the end of MODEL/DECODER, on the newest snapshot that all names share.

A name such as `gpt2/greedy` stands for another run each month. Names that are given together therefore stand for runs
on one snapshot: the newest on which each of them has a run.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from newwiki.decoding.grammar import short_form
from newwiki.errors import UsageError, did_you_mean
from newwiki.protocol import Settings

Note = Callable[[str], None]

LISTED = 12  # maximum number of runs in a message
_EARLIEST = datetime.min.replace(tzinfo=UTC)


def no_note(text: str) -> None:
    """Drop a note."""


@dataclass(frozen=True)
class Contender:
    """A run, or the articles of a snapshot (id `reference:SNAPSHOT`), which no model wrote.

    `wiki` and `window_end` are None for runs without a stored snapshot. A hidden run has a name only by its id.
    """

    run_id: str
    model: str
    decoder: str
    snapshot_id: str
    seed: int | None
    settings_json: str | None = None
    knowledge_cutoff: date | None = None
    weights: str | None = None
    status: str = "complete"
    hidden: bool = False
    started_at: datetime | None = None
    wiki: str | None = None
    window_end: datetime | None = None
    published_at: datetime | None = None

    @property
    def settings(self) -> Settings | None:
        """Return the settings of the run, by the names in `newwiki.protocol`; None for articles."""
        settings: Settings | None = json.loads(self.settings_json) if self.settings_json else None
        return settings

    @property
    def short(self) -> str:
        """Return the decoder without its default parameters."""
        return short_form(self.decoder)

    @property
    def words(self) -> str:
        return f"{self.model}/{self.short}"

    def answers_to(self, name: str) -> bool:
        """Return whether the run's id starts with `name`, or `MODEL/DECODER` ends with `name`."""
        endings = (f"/{self.words}", f"/{self.model}/{self.decoder}")
        return self.run_id.startswith(name) or any(whole.endswith(f"/{name}") for whole in endings)


def find(
    names: Sequence[str], known: Sequence[Contender], note: Note, *, snapshot: str | None = None, newest: bool = True
) -> list[Contender]:
    """Return the run of each name.

    `snapshot` restricts the search to the runs on a snapshot. Otherwise, if a name matches several runs, the names
    stand for runs on the newest snapshot that all of them have in common, and a note says so; without `newest` they
    stand for nothing. Runs that are not complete step back behind complete ones.

    Raises UsageError for a name that matches no run, and for one that still matches several, which are listed with
    their differences.
    """
    matches = {name: _on_snapshot(name, _matches(name, known), snapshot) for name in names}
    if newest and any(len(runs) > 1 for runs in matches.values()):
        matches = {name: _complete_first(runs) for name, runs in matches.items()}
        matches = _on_newest_in_common(matches, note)
    for name, runs in matches.items():
        if len(runs) > 1:
            raise UsageError(_ambiguous(name, runs))
    return [matches[name][0] for name in names]


def _matches(name: str, known: Sequence[Contender]) -> list[Contender]:
    """Return the runs that answer to a name; hidden runs only if no other run does, and only by their ids."""
    if exact := [run for run in known if run.run_id == name]:
        return exact
    shown = [run for run in known if not run.hidden]
    if matches := [run for run in shown if run.answers_to(name)]:
        return matches
    if hidden := [run for run in known if run.hidden and run.answers_to(name)]:
        if all(run.run_id.startswith(name) for run in hidden):
            return hidden
        ids = ", ".join(run.run_id for run in hidden)
        raise UsageError(f"'{name}' is hidden: name it by its id ({ids}), or `newwiki runs show {hidden[0].run_id}`")
    if not shown:
        raise UsageError(f"there is no run '{name}'; there are none yet: make one with `newwiki evaluate`")
    nearest = did_you_mean(name, [text for run in shown for text in (run.run_id, run.words, run.short)])
    raise UsageError(f"there is no run '{name}'{nearest or ';'} there are: {listed(shown)}")


def _on_snapshot(name: str, runs: list[Contender], snapshot: str | None) -> list[Contender]:
    if snapshot is None:
        return runs
    if not (on_snapshot := [run for run in runs if run.snapshot_id == snapshot]):
        others = ", ".join(dict.fromkeys(run.snapshot_id for run in runs))
        raise UsageError(f"'{name}' is no run on {snapshot}, but on {others}: name one of these with --snapshot")
    return on_snapshot


def _complete_first(runs: list[Contender]) -> list[Contender]:
    return [run for run in runs if run.status == "complete"] or runs


def _on_newest_in_common(matches: Mapping[str, list[Contender]], note: Note) -> dict[str, list[Contender]]:
    """Return the matches on the newest snapshot that all names have in common: of each wiki, because months of
    different wikis are no sequence. Without such a snapshot, return all matches."""
    snapshots = {run.snapshot_id: run for runs in matches.values() for run in runs}
    common = [name for name in snapshots if all(name in {run.snapshot_id for run in runs} for runs in matches.values())]
    newest: dict[str, str] = {}
    for name in sorted(common, key=lambda name: _age(snapshots[name])):
        newest[snapshots[name].wiki or name] = name
    if not newest:
        return dict(matches)
    chosen = {name: [run for run in runs if run.snapshot_id in newest.values()] for name, runs in matches.items()}
    if len(newest) == 1 and (others := [name for name in snapshots if name not in newest.values()]):
        [snapshot] = newest.values()
        note(
            f"runs on {snapshot}, the newest snapshot that has all of the named runs; --snapshot names another one: "
            f"{', '.join(sorted(others, key=lambda name: _age(snapshots[name]), reverse=True)[:LISTED])}"
        )
    return chosen


def _age(run: Contender) -> tuple[datetime, datetime]:
    return run.window_end or _EARLIEST, run.published_at or run.started_at or _EARLIEST


def _ambiguous(name: str, runs: Sequence[Contender]) -> str:
    or_snapshot = ", or its snapshot with --snapshot" if len({run.snapshot_id for run in runs}) == len(runs) else ""
    return f"'{name}' may be any of these: {told_apart(runs)}; give the id of one{or_snapshot}"


def told_apart(runs: Sequence[Contender]) -> str:
    """Return the ids of the runs, each with the properties in which these runs differ."""
    properties = [_properties(run) for run in runs]
    names = dict.fromkeys(name for run in properties for name in run)
    differing = [name for name in names if len({run[name] for run in properties if name in run}) > 1]
    if len(differing) > 1 and "started" in differing:  # a time says less than any other difference
        differing.remove("started")
    told = [
        f"{run.run_id} ({', '.join(f'{name} {values[name]}'.lstrip() for name in differing if name in values)})"
        for run, values in zip(runs[:LISTED], properties, strict=False)
    ]
    return ", ".join(told) + (f" and {len(runs) - LISTED} more" if len(runs) > LISTED else "")


def _properties(run: Contender) -> dict[str, str]:
    """Return the properties that tell runs apart, by name. MODEL/DECODER needs no name."""
    settings = run.settings or {}
    started = {"started": f"{run.started_at:%Y-%m-%d %H:%M}"} if run.started_at else {}
    weights = {"weights": run.weights} if run.weights else {}
    stated = {name: str(value) for name, value in settings.items() if name != "run_id" and value is not None}
    return {"": run.words, "snapshot": run.snapshot_id, **stated, **weights, "status": run.status, **started}


def listed(runs: Sequence[Contender]) -> str:
    """Return the ids of runs with MODEL/DECODER and seed."""
    seeds = ["" if run.seed is None else f", seed {run.seed}" for run in runs]
    more = f" and {len(runs) - LISTED} more" if len(runs) > LISTED else ""
    return (
        ", ".join(f"{run.run_id} ({run.words}{seed})" for run, seed in zip(runs[:LISTED], seeds, strict=False)) + more
    )
