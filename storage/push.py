"""Push a database's snapshots, complete runs, finished scorings and judgments into a shared folder."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from newwiki.errors import TerminalError, UsageError
from storage import hashes, knowledge_cutoffs, shared_judgements
from storage.database import Database
from storage.held import held
from storage.prompt_sets import is_prompt_set
from storage.public_rows import public_rows, why_evaluator_stays, why_run_stays
from storage.shared import Note, Parts, SharedPart, is_same, rows_sha256

SNAPSHOT_TABLES = ("snapshot_hashes", *hashes.TABLES)


@dataclass
class Moved:
    """The numbers of transferred snapshots, runs, scorings and judgments, and a line for each refusal."""

    snapshots: int = 0
    runs: int = 0
    scorings: int = 0
    judgements: int = 0
    refused: tuple[str, ...] = ()

    def words(self) -> str:
        return (
            f"{self.snapshots} snapshots, {self.runs} runs, {self.scorings} scorings and {self.judgements} judgements"
        )


@dataclass(frozen=True)
class PushedScoring:
    """A finished scoring.

    `scores` is the number of its rows in `scores`. If the number is 0, the scores are of the whole run, and `texts` is
    the number of texts that were scored.
    """

    run_id: str
    snapshot_id: str
    evaluator_id: str
    finished_at: datetime
    scores: int
    texts: int

    @property
    def table(self) -> str:
        return "scores" if self.scores else "run_scores"


@dataclass(frozen=True)
class Finished:
    """The data to push: snapshots with their content hashes, runs with their snapshots, and scorings."""

    snapshots: dict[str, str]
    runs: dict[str, str]
    scorings: list[PushedScoring]


def push(database: Database, folder: Parts, note: Callable[[str], None]) -> Moved:
    """Write the parts that the folder lacks. After an interruption, the next push resumes.

    At the end, after everything else has been written, raises TerminalError if the folder holds other content under the
    same name.
    """
    hidden = [run_id for (run_id,) in database.rows("share_hidden")]
    if hidden:
        note(f"not pushed, as they are hidden (`newwiki runs show`): {', '.join(hidden)}")
    notes, moved, done = folder.notes(), Moved(), finished(database, note, without=hidden)
    for why in (*_runs_that_stay(database).values(), *(staying := _evaluators_that_stay(database)).values()):
        note(f"not pushed: {why}")
    others = {name for name in done.snapshots if not _snapshot(database, folder, notes, moved, name)}
    other_runs = {
        run_id
        for run_id, name in done.runs.items()
        if name in others or not _run(database, folder, notes, moved, (("snapshot_id", name), ("run_id", run_id)))
    }
    for scoring in done.scorings:
        if scoring.snapshot_id in others or scoring.run_id in other_runs:
            continue
        _scoring(database, folder, notes, moved, *_shared(scoring))
    names = {*done.snapshots} - others
    shared = {f"reference:{name}" for name in names} | {*done.runs} - other_runs
    moved.judgements, refused = shared_judgements.push(database, folder, notes, shared, without=staying)
    moved.refused += tuple(refused)
    if moved.refused:
        raise TerminalError(f"{'; '.join(moved.refused)}; all else is pushed ({moved.words()})")
    return moved


def gather(database: Database, folder: Parts, run_ids: Collection[str], note: Callable[[str], None]) -> None:
    """Write these complete runs into an empty folder, with their snapshots and finished scorings.

    Scorings of the articles by the same evaluators are included. Raises UsageError for a run that cannot leave this
    machine, and notes scores that cannot leave it.
    """
    if stay := [why for run_id, why in _runs_that_stay(database).items() if run_id in run_ids]:
        raise UsageError("; ".join(stay))
    scored = {evaluator_id for run_id, evaluator_id, *_ in database.rows("share_scorings") if run_id in run_ids}
    for why in (why for name, why in _evaluators_that_stay(database).items() if name in scored):
        note(f"scores are left out: {why}")
    done, moved = finished(database, lambda text: None), Moved()
    runs = {run_id: name for run_id, name in done.runs.items() if run_id in run_ids}
    for name in sorted(set(runs.values())):
        _snapshot(database, folder, {}, moved, name)
    for run_id, name in runs.items():
        _run(database, folder, {}, moved, (("snapshot_id", name), ("run_id", run_id)))
    scored_by = {(scoring.snapshot_id, scoring.evaluator_id) for scoring in done.scorings if scoring.run_id in runs}
    for scoring in done.scorings:
        is_of_articles = scoring.run_id == f"reference:{scoring.snapshot_id}"
        if scoring.run_id in runs or (is_of_articles and (scoring.snapshot_id, scoring.evaluator_id) in scored_by):
            _scoring(database, folder, folder.notes(), moved, *_shared(scoring))


def push_snapshot(database: Database, folder: Parts, name: str) -> None:
    """Write a snapshot into an empty folder."""
    _snapshot(database, folder, {}, Moved(), name)


def _shared(scoring: PushedScoring) -> tuple[SharedPart, dict[str, object]]:
    """Return the scoring as a part, and the facts of its note."""
    keys = (("snapshot_id", scoring.snapshot_id), ("run_id", scoring.run_id), ("evaluator_id", scoring.evaluator_id))
    return SharedPart(scoring.table, keys), {"finished_at": scoring.finished_at.isoformat(), "texts": scoring.texts}


def finished(database: Database, note: Callable[[str], None], *, without: Collection[str] = ()) -> Finished:
    """Return the snapshots, complete runs and finished scorings that can be pushed.

    Runs on prompt sets and runs with their own references are left out with a note. The runs `without`, and runs and
    scorings that cannot leave this machine, are left out too.
    """
    with database.read():
        listed = database.records(dict[str, Any], "snapshot_list")
        complete = [row for row in database.rows("share_run_list") if row[0] not in without]
        stay = _runs_that_stay(database).keys() | _evaluators_that_stay(database).keys()
        scored = database.records(dict[str, Any], "share_scorings")
    snapshots = {snapshot["snapshot_id"]: snapshot["content_sha256"] for snapshot in listed}
    if prompted := [run_id for run_id, name, _ in complete if is_prompt_set(name)]:
        note(f"not pushed, as they are on prompts and on no snapshot: {', '.join(prompted)}")
    if alone := [run_id for run_id, name, has_articles in complete if not has_articles and not is_prompt_set(name)]:
        note(f"not pushed, as their references are in their files: {', '.join(alone)}")
    runs = {run_id: name for run_id, name, has_articles in complete if has_articles and run_id not in stay}
    snapshot_of_run = runs | {f"reference:{name}": name for name in snapshots}
    scorings = [
        PushedScoring(snapshot_id=snapshot_of_run[scoring["run_id"]], **scoring)
        for scoring in scored
        if scoring["run_id"] in snapshot_of_run and scoring["evaluator_id"] not in stay
    ]
    return Finished(snapshots, runs, scorings)


def _runs_that_stay(database: Database) -> dict[str, str]:
    """Return the complete runs that cannot leave this machine, with the reasons."""
    rows = database.records(dict[str, Any], "share_run_names")
    return {row["run_id"]: why for row in rows if (why := why_run_stays(row))}


def _evaluators_that_stay(database: Database) -> dict[str, str]:
    """Return the evaluators, including judging models, whose scores cannot leave this machine, with the reasons."""
    rows = database.records(dict[str, Any], "share_evaluators")
    return {row["evaluator_id"]: why for row in rows if (why := why_evaluator_stays(row))}


def of_snapshot(table: str, name: str) -> SharedPart:
    return SharedPart(table, (("snapshot_id", name),))


def claims_of(scoring: SharedPart) -> SharedPart:
    """Return the part with the sentences that a scoring has checked. It is missing if no sentences were checked."""
    return SharedPart("claims", scoring.keys)


def _snapshot(database: Database, folder: Parts, notes: dict[SharedPart, Note], moved: Moved, name: str) -> bool:
    """Write a snapshot if the folder lacks it, and return whether the folder then holds the same snapshot.

    The row of `snapshots` is written last. It tells readers that the other tables are complete.
    """
    articles = held(database, of_snapshot("stored_articles", name))
    if (noted := notes.get(of_snapshot("stored_articles", name))) and of_snapshot("snapshots", name) in notes:
        if is_other := noted.sha256 != rows_sha256(articles):
            moved.refused += (f"'{folder.url}' holds another snapshot '{name}'",)
        return not is_other
    with database.read():
        tables = [(part, held(database, part)) for part in (of_snapshot(table, name) for table in SNAPSHOT_TABLES)]
    for part, rows in tables:
        folder.write(part, rows, {})
    moved.snapshots += 1
    return True


def _run(
    database: Database,
    folder: Parts,
    notes: dict[SharedPart, Note],
    moved: Moved,
    keys: tuple[tuple[str, str], ...],
) -> bool:
    """Write a run if the folder lacks it, and return whether the folder then holds the same run.

    The row of `runs` is written last. It is written again if the stored knowledge cutoff takes precedence over the
    folder's.
    """
    run, written = SharedPart("runs", keys), SharedPart("completions", keys)
    with database.read():
        completions, row = held(database, written), public_rows(held(database, run))
        cutoff = knowledge_cutoffs.of_run(database, run["run_id"])
    if (noted := notes.get(written)) and run in notes:
        if is_other := not is_same(completions, noted, folder):
            moved.refused += (f"'{folder.url}' holds other completions of run {run['run_id']}",)
        elif knowledge_cutoffs.goes_before(cutoff, knowledge_cutoffs.of_facts(notes[run].facts)):
            folder.write(run, row, knowledge_cutoffs.facts(cutoff))
        return not is_other
    folder.write(written, public_rows(completions), {})
    folder.write(run, row, knowledge_cutoffs.facts(cutoff))
    moved.runs += 1
    return True


def _scoring(
    database: Database,
    folder: Parts,
    notes: dict[SharedPart, Note],
    moved: Moved,
    part: SharedPart,
    facts: dict[str, object],
) -> None:
    """Write a scoring, unless the folder has a scoring by the evaluator of at least as many texts.

    The claims are written first, because scores are computed from them.
    """
    evaluator_id = part["evaluator_id"]
    with database.read():
        rows = held(database, part)
        noted = notes.get(part)
        if noted and (noted.rows, noted.facts["texts"]) >= (rows.num_rows, facts["texts"]):
            return
        names = [name for (name,) in database.rows("share_metric_names", evaluator_id)]
        keys = [("evaluators", "evaluator_id", evaluator_id), *(("metrics", "metric", name) for name in names)]
        described = [SharedPart(table, ((key, value),)) for table, key, value in keys]
        missing = {
            described_part: held(database, described_part)
            for described_part in described
            if described_part not in notes
        }
        claims = held(database, claims_of(part))
    for described_part, described_rows in missing.items():
        notes[described_part] = folder.write(described_part, described_rows, {})
    if claims.num_rows:
        folder.write(claims_of(part), claims, {})
    folder.write(part, rows, facts | {"metrics": names})
    moved.scorings += 1
