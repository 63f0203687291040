"""What must hold of any bundle, whoever signed it: every run is what its id says, and its texts are what its decoder,
its lengths and its numbers of samples allow. Nothing here needs a model."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from evaluators.scoring import evaluator_id_of
from flows.bundles.contents import text_hashes
from flows.bundles.opened import OpenedBundle
from flows.bundles.run_rows import decoder_of, require_snapshot_parameters, require_sound
from flows.evaluating.read_articles import stored_run_id
from flows.evaluating.run_identity import stored_identity
from flows.scoring.score_run import drawn
from flows.scoring.texts_from_elsewhere import run_id_of
from newwiki.records import Fingerprint, Run
from newwiki.registry import can_name_a_metric, decoders, models
from newwiki.text.words import split_words
from storage.push import SNAPSHOT_TABLES
from storage.snapshots import content_sha256, text_sha256

_REASONS = ("stop", "length", "context", "unknown")
_DIRECTIONS = ("higher", "lower", "none")

Rows = Sequence[Mapping[str, Any]]


def require_consistent(bundle: OpenedBundle) -> list[str]:
    """Gives the ids of the runs whose id could be made again. Raises TerminalError with the first thing that cannot
    be."""
    named = []
    for manifest in bundle.contents.manifests:
        with _refusing(bundle, f"snapshot {manifest.snapshot_id}"):
            _snapshot(bundle, manifest.snapshot_id)
    for listed in bundle.contents.runs:
        with _refusing(bundle, f"run {listed.run_id}"):
            _run(bundle, listed.run_id)
            named += [listed.run_id] if _is_named(bundle, bundle.runs[listed.run_id]) else []
    for part, rows in bundle.of("evaluators", "metrics"):
        with _refusing(bundle, part.path):
            [row] = rows.to_pylist()
            (_evaluator if part.table == "evaluators" else _metric)(row)
    for part, rows in bundle.of("scores", "run_scores", "claims"):
        with _refusing(bundle, f"{part.table} of {part['run_id']} by {part['evaluator_id']}"):
            _scores(bundle, part, rows.to_pylist())
    return named


@contextmanager
def _refusing(bundle: OpenedBundle, where: str) -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise bundle.refuse(f"{where}: {error}") from None


def _snapshot(bundle: OpenedBundle, name: str) -> None:
    [row] = bundle.entries("snapshots", name)
    [listed] = [one for one in bundle.contents.manifests if one.snapshot_id == name]
    require_snapshot_parameters(row["parameters"])
    articles = bundle.articles[name]
    if len(articles) != row["articles"] or not articles:
        raise ValueError(f"{len(articles)} articles are there, {row['articles']} were published")
    for article in articles:
        if text_sha256(article.first_sentence, article.completion) != article.text_sha256:
            raise ValueError(f"the text of '{article.title}' is not what its hash says")
    made = content_sha256(articles, row["parameters"], row["extractor_version"])
    if not made == row["content_sha256"] == listed.content_sha256:
        raise ValueError("it is not what its content hash says")
    pages = {article.page_id for article in articles}
    for table in set(SNAPSHOT_TABLES) - {"candidates"}:
        if strange := {one["page_id"] for one in bundle.entries(table, name) if "page_id" in one} - pages:
            raise ValueError(f"{table} has a row of page {min(strange)}, which is none of its articles")


def _run(bundle: OpenedBundle, run_id: str) -> None:
    run, [row] = bundle.runs[run_id], bundle.entries("runs", bundle.runs[run_id].snapshot_id, run_id)
    [listed] = [one for one in bundle.contents.runs if one.run_id == run_id]
    if row["status"] != "complete" or row["process"] is not None:
        raise ValueError("it is not complete")
    require_sound(run)
    for name in ("snapshot_id", "model", "model_sha256", "decoder"):
        if getattr(listed, name) != getattr(run, name):
            raise ValueError(f"bundle.json says {name} '{getattr(listed, name)}', its row '{getattr(run, name)}'")
    completions = bundle.entries("completions", run.snapshot_id, run_id)
    made = text_hashes((one["page_id"], one["sample"], one["text"]) for one in completions)
    for signed, there in zip(listed.texts, made, strict=False):
        if signed != there:
            raise ValueError(f"the text of page {there[0]}, sample {there[1]} is not the one that was signed")
    if len(listed.texts) != len(made):
        raise ValueError(f"{len(made)} texts are there, {len(listed.texts)} were signed")
    _completions(bundle, run, completions)


def _completions(bundle: OpenedBundle, run: Run, completions: Rows) -> None:
    pages = {article.page_id for article in bundle.asked(run)}
    if len(pages) != run.prompts:
        raise ValueError(f"it is on {run.prompts} articles, and its snapshot has {len(pages)}")
    of_page: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
    for one in completions:
        of_page[one["page_id"]].append(one)
        _completion(run, one)
    if run.samples and set(of_page) != pages and run.backend != "file":
        strange = min(set(of_page) ^ pages)
        raise ValueError(f"page {strange} has texts and is not asked for, or the other way round")
    for page_id, written in of_page.items():
        if run.backend != "file" and sorted(one["sample"] for one in written) != [*range(run.samples)]:
            raise ValueError(f"page {page_id} has not the samples 0 to {run.samples - 1}, each once")
        longest = sorted(written, key=lambda one: (-one["words"], one["sample"]))[: run.keep]
        if {one["sample"] for one in written if one["kept"]} != {one["sample"] for one in longest}:
            raise ValueError(f"the texts of page {page_id} that are kept are not its {run.keep} longest")


def _completion(run: Run, one: Mapping[str, Any]) -> None:
    where = f"page {one['page_id']}, sample {one['sample']}"
    if one["words"] != (words := len(split_words(one["text"]))):
        raise ValueError(f"{where} has {words} words, and it says {one['words']}")
    cut = one["truncated"] == (one["finish_reason"] != "stop")
    if one["finish_reason"] not in _REASONS or not (cut or run.backend == "file"):
        raise ValueError(f"{where}: it ended by '{one['finish_reason'][:60]}', truncated {one['truncated']}")
    if one["sample"] < 0 or one["kept"] is None:
        raise ValueError(f"{where}: its number, or whether it is kept, cannot be")
    tokens, most = one["tokens"], run.max_new_tokens
    if tokens is not None and (tokens < 0 or (most is not None and tokens > most)):
        raise ValueError(f"{where} has {tokens} tokens, and at most {most} were asked for")
    if one["token_ids"] is not None and len(one["token_ids"]) != tokens:
        raise ValueError(f"{where} has {len(one['token_ids'])} token ids and says {tokens} tokens")
    if run.numerics is not None:
        _by_our_engine(run, one, where)


def _by_our_engine(run: Run, one: Mapping[str, Any], where: str) -> None:
    if one["tokens"] is None or (one["finish_reason"] == "length") != (
        one["tokens"] == run.max_new_tokens and one["finish_reason"] != "stop"
    ):
        raise ValueError(f"{where}: {one['tokens']} tokens do not end by '{one['finish_reason']}'")
    if stop := [text for text in json.loads(run.versions).get("stop", []) if text in one["text"]]:
        raise ValueError(f"{where} holds {stop[0][:60]!r}, before which it should have ended")


def _is_named(bundle: OpenedBundle, run: Run) -> bool:
    """Whether the id could be made again; not where the backend or the decoder is none of ours. Raises ValueError where
    it is another."""
    made = _made_again(bundle, run)
    if made is not None and made != run.run_id:
        raise ValueError(f"its id is not the hash of what it says it is, which is {made}")
    return made is not None


def _made_again(bundle: OpenedBundle, run: Run) -> str | None:
    if run.backend == "file":
        texts = {
            (one["page_id"], one["sample"]): one["text"]
            for one in bundle.entries("completions", run.snapshot_id, run.run_id)
        }
        return run_id_of(run.snapshot_id, run.model, run.decoder, texts)
    if run.backend not in models.all() or "backend_code_sha256" in json.loads(run.versions):
        return None
    [row] = bundle.entries("snapshots", run.snapshot_id)
    pages = [article.page_id for article in bundle.asked(run)]
    if run.samples == 0:
        return stored_run_id(run, row["content_sha256"], pages)
    decoder = decoder_of(run)
    if decoder is None:
        return None
    if decoders.get(decoder.name).is_deterministic(decoder) and (run.samples, run.keep) != (1, 1):
        raise ValueError(f"{run.decoder} writes one text a prompt, and {run.samples} are said to be there")
    return stored_identity(run, row["content_sha256"], pages).run_id(run.numerics)


def _evaluator(row: Mapping[str, Any]) -> None:
    described = {name: row[name] for name in row if name not in ("parameters", "dependencies")}
    made = Fingerprint(
        **described, parameters=json.loads(row["parameters"]), dependencies=json.loads(row["dependencies"])
    )
    if evaluator_id_of(made) != row["evaluator_id"]:
        raise ValueError("its id is not the hash of what it says it is")


def _metric(row: Mapping[str, Any]) -> None:
    if not can_name_a_metric(row["metric"]) or len(row["metric"]) > 60:
        raise ValueError("no metric can have this name")
    if row["direction"] not in _DIRECTIONS or row["scope"] not in ("text", "run"):
        raise ValueError("its direction or its scope is none")


def _scores(bundle: OpenedBundle, part: Any, rows: Rows) -> None:
    for one in rows:
        if "value" in one and (one["value"] is None) != (one["status"] != "ok"):
            raise ValueError(f"'{one['metric']}' has the number {one['value']} and the status '{one['status'][:60]}'")
    scopes = {
        bundle.entries("metrics", name)[0]["scope"] for name in {one["metric"] for one in rows if "metric" in one}
    }
    if scopes - {"run" if part.table == "run_scores" else "text"}:
        raise ValueError("it has numbers of texts and of whole runs")
    if part.table == "run_scores":
        return
    there = _texts_of(bundle, part["run_id"], part["snapshot_id"])
    scored = {(one["page_id"], one["sample"]) for one in rows}
    if strange := scored - there:
        raise ValueError(f"there is no text of page {min(strange)[0]}, sample {min(strange)[1]} to be scored")
    if part.table == "claims":
        return
    if len({one["metric"] for one in rows}) * len(scored) != len(rows):
        raise ValueError("not every text has every metric of its evaluator")
    of_run = part["run_id"] in bundle.runs and bundle.runs[part["run_id"]].samples > 0
    if of_run and scored not in (there, set(drawn(sorted(there), len(scored)))):
        raise ValueError(f"it scores {len(scored)} of {len(there)} texts, and not those that a budget chooses")


def _texts_of(bundle: OpenedBundle, run_id: str, snapshot_id: str) -> set[tuple[int, int]]:
    """What can be scored: what a run has kept, or the articles that it has read, or all of the snapshot."""
    run = bundle.runs.get(run_id)
    if run and run.samples:
        completions = bundle.entries("completions", snapshot_id, run_id)
        return {(one["page_id"], one["sample"]) for one in completions if one["kept"]}
    articles = bundle.asked(run) if run else bundle.articles[snapshot_id]
    return {(article.page_id, 0) for article in articles}
