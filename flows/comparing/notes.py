"""Notes on runs: other seeds, models with the same weights, texts of several models, missing answers, copying, and
texts that only repeat their prompt."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from flows.comparing.after_cutoff import is_reference
from newwiki.decoding.grammar import short_form
from newwiki.fields import fields_of
from newwiki.request import EvaluationRequest
from newwiki.visible import visible
from storage.database import Database

[DEFAULT_SEED] = (option.default for option in fields_of(EvaluationRequest) if option.name == "seed")
_NAMED = 6  # maximum number of runs in a note


def with_seed(decoder: str, seed: int | None) -> str:
    """Return the decoder, followed by the seed if it is not the default, such as `greedy, seed 7`."""
    return decoder if seed in (None, DEFAULT_SEED) else f"{decoder}, seed {seed}"


def seed_notes(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return a note on runs with a seed other than the default, and one for each request with several seeds.

    The best of several seeds is biased upward. The rows are runs with `model`, `model_sha256`, `decoder`,
    `snapshot_id`, `protocol` and `seed`.
    """
    names: dict[tuple[str, ...], str] = {}
    seeds: dict[tuple[str, ...], set[int]] = {}
    for row in rows:
        if row["seed"] is not None:
            key = tuple(str(row[name]) for name in ("model_sha256", "decoder", "snapshot_id", "protocol"))
            names.setdefault(key, f"{row['model']}/{short_form(row['decoder'])} on {row['snapshot_id']}")
            seeds.setdefault(key, set()).add(row["seed"])
    others = [
        f"{names[key]} (seed {min(used_seeds)})"
        for key, used_seeds in seeds.items()
        if len(used_seeds) == 1 and used_seeds != {DEFAULT_SEED}
    ]
    more = f" and {len(others) - _NAMED:,} more" if len(others) > _NAMED else ""
    notes = [f"not under the default seed {DEFAULT_SEED}: {', '.join(others[:_NAMED])}{more}"] if others else []
    return notes + [
        f"{names[key]} has {len(used_seeds)} seeds: {', '.join(map(str, sorted(used_seeds)))}; the best of several "
        "seeds is higher than a fair number"
        for key, used_seeds in seeds.items()
        if len(used_seeds) > 1
    ]


def same_weights(database: Database) -> list[str]:
    """Return a sentence for each hash of weights that complete runs have under several model names."""
    return [
        f"{' and '.join(names)} have the same weights ({sha256[:12]}), so they are one model"
        for sha256, names in database.rows("shared_weights")
    ]


def stopped_runs(database: Database, snapshot_id: str | None) -> list[str]:
    """Return a note on the runs of a snapshot, or of all, that have only some of their prompts and are not shown."""
    stopped = database.rows("stopped_runs", snapshot_id)
    named = "; ".join(f"run {run_id} of {visible(model)} ({words})" for run_id, model, words in stopped[:_NAMED])
    more = f" and {len(stopped) - _NAMED:,} more" if len(stopped) > _NAMED else ""
    return [f"not shown, as they are incomplete: {named}{more}; `newwiki evaluate` completes them"] if stopped else []


def of_several_models(database: Database, run_ids: Collection[str] | None = None) -> list[str]:
    """Return a sentence for each of these runs (None: all) whose texts several models have served."""
    return [
        f"the texts of run {run_id} are of several models, by their names at the server: {visible(names)}; evaluate "
        "each model under its full name"
        for run_id, names in database.rows("runs_of_several_models")
        if run_ids is None or run_id in run_ids
    ]


# The share of truncated texts of a run from which a note says so
_TRUNCATED = 0.05


def incomplete_texts(database: Database, run_ids: Collection[str]) -> list[str]:
    """Return notes on the completions of these runs that have no answer, and on scored texts that were truncated.

    Each run has a note, and at most six have one: those with the largest shares. Runs with nothing but truncated texts
    share a note.
    """
    records = database.records(dict[str, Any], "incomplete_texts", list(run_ids), _TRUNCATED)
    names = _names(records)
    unanswered = sorted(
        (record for record in records if record["no_answers"]),
        key=lambda record: -record["no_answers"] / record["completions"],
    )
    shares = {record["run_id"]: (record["truncated_texts"] or 0) / (record["kept_texts"] or 1) for record in records}
    whole = [names[run_id] for run_id, share in shares.items() if share == 1]
    truncated = sorted((run_id for run_id in shares if _TRUNCATED < shares[run_id] < 1), key=lambda name: -shares[name])
    notes = [
        f"{names[record['run_id']]}: {record['no_answers']:,} of {record['completions']:,} completions have no answer "
        f"({_reasons(record['reasons'])}), and are not scored"
        for record in unanswered[:_NAMED]
    ]
    if len(unanswered) > _NAMED:
        notes.append(f"{len(unanswered) - _NAMED:,} more runs have completions without an answer")
    if whole:
        notes.append(f"all scored texts hit the token limit: {_listed(whole, _NAMED)}")
    notes += [
        f"{min(round(100 * shares[run_id]), 99)} % of the scored texts of {names[run_id]} hit the token limit"
        for run_id in truncated[:_NAMED]
    ]
    if len(truncated) > _NAMED:
        notes.append(
            f"more than {100 * _TRUNCATED:.0f} % of the scored texts of {len(truncated) - _NAMED:,} more runs hit the "
            "token limit"
        )
    return notes


def _names(records: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return the names of runs by id. Runs that would have the same name are named with their id."""
    names = {
        record["run_id"]: f"{record['model']}/{with_seed(short_form(record['decoder']), record['seed'])} on "
        f"{record['snapshot_id']}"
        for record in records
    }
    counts = Counter(names.values())
    return {run_id: name if counts[name] == 1 else f"{name} (run {run_id})" for run_id, name in names.items()}


def _reasons(numbers: Mapping[str, int]) -> str:
    """Return text such as `thinking was not closed 9, refused 3`."""
    ordered = sorted(numbers.items(), key=lambda item: (-item[1], item[0]))
    return ", ".join(f"{visible(reason)} {number:,}" for reason, number in ordered)


METRIC = "copied_5grams"
# The mean share of a text's word 5-grams that occur in its article and not in its prompt. Honest runs have less than
# 0.01 (docs/compare.md), and the articles themselves have 1.
THRESHOLD = 0.2


def unmeasured(database: Database) -> list[str]:
    """Return the external runs on stored articles without a measurement of copying in this database."""
    run_ids = [run_id for (run_id,) in database.rows("foreign_texts")]
    records = database.records(dict[str, Any], "copied_shares", METRIC, run_ids)
    return [record["run_id"] for record in records if record["share"] is None]


def copying(database: Database, rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return a note for each run whose texts copy their references, and a note on external runs without a measurement.

    A share that another person claims does not count as a measurement.
    """
    rows_by_run = {row["run_id"]: row for row in rows if not is_reference(row)}
    records = database.records(dict[str, Any], "copied_shares", METRIC, list(rows_by_run))
    notes = [
        f"{_name(rows_by_run[record['run_id']])} copies its references: {100 * record['share']:.0f} % of its 5-grams"
        for record in records
        if record["share"] is not None and record["share"] > THRESHOLD
    ]
    if unknown := [record["run_id"] for record in records if record["share"] is None]:
        notes.append(
            f"not measured whether these runs from elsewhere copy their references: {_listed(unknown)}; "
            f"`newwiki score --missing --metrics {METRIC}` measures it"
        )
    return notes


# A text only says its prompt again if at least this share of its words is copied (`prompt_copied`); a note names each
# run with more than this share of such texts.
ONLY_COPIED = 0.8
_REPEATERS = 0.2


def prompt_repeaters(database: Database, rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return a note for each run in which more than a fifth of the texts only say the prompt again, at most six.

    The rows are runs with `run_id`, `model` and `snapshot_id`. Runs without scores of `prompt_copied` have no note.
    """
    rows_by_run = {row["run_id"]: row for row in rows if not is_reference(row)}
    records = database.records(
        dict[str, Any], "prompt_repeaters", list(rows_by_run), "prompt_copied", ONLY_COPIED, _REPEATERS
    )
    worst = sorted(records, key=lambda record: -record["repeating"] / record["texts"])
    notes = [
        f"{_name(rows_by_run[record['run_id']])} only repeats its prompt or itself in "
        f"{100 * record['repeating'] / record['texts']:.0f} % of its texts, so metrics such as sbert are too high; "
        "see prompt_copied and sbert_new"
        for record in worst[:_NAMED]
    ]
    if len(worst) > _NAMED:
        notes.append(f"{len(worst) - _NAMED:,} more runs only repeat their prompt or themselves in many texts")
    return notes


def _name(row: Mapping[str, Any]) -> str:
    return f"run {row['run_id']} of {row['model']} on {row['snapshot_id']}"


def _listed(run_ids: Sequence[str], at_most: int = 3) -> str:
    more = len(run_ids) - at_most
    return ", ".join(run_ids[:at_most]) + (f" and {more:,} more" if more > 0 else "")
