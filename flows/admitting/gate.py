"""The gate: the checks of a snapshot, run or scoring from another person, whatever its source.

A shared folder, a signed bundle and another database pass the same checks. No check needs a model.
"""

import json
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, fields
from datetime import datetime

from evaluators.scoring import evaluator_id_of
from flows.admitting.answers import require_answers
from flows.bundles.run_rows import decoder_of, require_snapshot_parameters, require_sound
from flows.evaluating.read_articles import stored_run_id
from flows.evaluating.run_identity import stored_identity
from flows.scoring.text_budget import is_chosen
from flows.scoring.texts_from_elsewhere import run_id_of
from newwiki.knowledge_cutoff import ORIGINS
from newwiki.names import require_name
from newwiki.records import LARGEST_SCORE, Fingerprint, Metric, Run
from newwiki.registry import (
    can_name_a_metric,
    decoders,
    evaluators,
    models,
    reading_evaluators,
    set_evaluators,
)
from newwiki.snapshot import Article, Snapshot
from newwiki.text.words import split_words
from newwiki.visible import in_message
from storage.admitted import Admitted, Row, Source, require_past
from storage.push import SNAPSHOT_TABLES
from storage.shared import ReadableParts, SharedPart
from storage.snapshots import content_sha256, text_sha256

# The fields of a metric that two sources must agree on; the wording of a definition may have changed.
OF_METRIC = ("unit", "minimum", "maximum", "direction", "scope")
_SCOPES = {"scores": "text", "run_scores": "run"}
_REASONS = ("stop", "length", "context", "unknown")
_DIRECTIONS = ("higher", "lower", "none")
_LONGEST_METRIC = 60
_LONGEST_STATUS = 1_000
# Rounding can move a value slightly beyond its bounds.
_ROUNDING = 1e-6
_ARTICLE = [field.name for field in fields(Article)]
_RUN = [field.name for field in fields(Run)]


def admit(parts: ReadableParts, source: Source, signer: str = "") -> Admitted:
    """Return the parts for `storage.pull`, which calls this gate during the import."""
    return Admitted(parts, _Gate(), source, signer)


class _Gate:
    """The implementation of `storage.admitted.Gate`."""

    def snapshot(self, tables: Mapping[str, Sequence[Row]]) -> None:
        require_snapshot(tables)

    def run(self, row: Row, completions: Sequence[Row], snapshot: Snapshot, articles: Sequence[Article]) -> bool:
        return require_run(row, completions, asdict(snapshot), articles)

    def evaluator(self, row: Row) -> None:
        require_evaluator(row)

    def metric(self, row: Row, here: Collection[Row]) -> Row:
        require_metric(row)
        return require_same_metric(row, here)

    def scoring(
        self, part: SharedPart, rows: Sequence[Row], metrics: Collection[Row], texts: Collection[tuple[int, int]]
    ) -> None:
        require_scores(part, rows, {metric["metric"]: metric for metric in metrics}, set(texts))


def articles_of(rows: Sequence[Row]) -> list[Article]:
    """Return the articles of a snapshot, the longest first, in the order of `storage.snapshots.articles`."""
    articles = [Article(**{name: row[name] for name in _ARTICLE}) for row in rows]
    return sorted(articles, key=lambda article: (-article.words, article.page_id))


def run_of(row: Row) -> Run:
    return Run(**{name: row[name] for name in _RUN})


def require_snapshot(tables: Mapping[str, Sequence[Row]]) -> None:
    """Raise ValueError unless the snapshot's hashes match its articles and its parts agree with each other."""
    [row] = tables["snapshots"]
    require_name(row["snapshot_id"], "the snapshot's name")
    require_name(row["wiki"], "the wiki's name")
    require_snapshot_parameters(row["parameters"])
    require_past(row["published_at"], "it was published, it says, and")
    if row["published_at"] < _earliest(row):
        raise ValueError(f"it was published at {row['published_at'].isoformat()}, before its window ended")
    articles = articles_of(tables["stored_articles"])
    if len(articles) != row["articles"] or not articles:
        raise ValueError(f"{len(articles)} articles are there, {row['articles']} were published")
    for article in articles:
        if text_sha256(article.first_sentence, article.completion) != article.text_sha256:
            raise ValueError(f"the text of {in_message(article.title)} does not match its hash")
    if content_sha256(articles, row["parameters"], row["extractor_version"]) != row["content_sha256"]:
        raise ValueError("it is not what its content hash says")
    _require_addresses(row["licence_url"], *(article["permalink"] for article in tables["stored_articles"]))
    pages = {article.page_id for article in articles}
    for table in sorted(set(SNAPSHOT_TABLES) - {"candidates"}):
        if strange := {row["page_id"] for row in tables.get(table, ()) if "page_id" in row} - pages:
            raise ValueError(f"{table} has a row of page {min(strange)}, which is none of its articles")


def require_run(row: Row, completions: Sequence[Row], snapshot: Row, articles: Sequence[Article]) -> bool:
    """Check a run, and return whether its id could be computed again. This requires a known backend and decoder.

    Raises ValueError if the computed id differs, or if the texts contradict the decoder, the lengths or the number of
    samples.
    """
    run = run_of(row)
    if row["status"] != "complete" or row["process"] is not None:
        raise ValueError("it is not complete")
    for name in ("run_id", "model", "backend", "dtype"):
        require_name(getattr(run, name), f"its {name}")
    if not run.samples or run.backend == "file":
        require_name(run.decoder, "its decoder")
    _require_times(row, snapshot)
    if (run.knowledge_cutoff is None) != (run.knowledge_cutoff_from not in ORIGINS):
        raise ValueError(
            f"its knowledge cutoff {run.knowledge_cutoff} is said by {in_message(run.knowledge_cutoff_from)}"
        )
    require_sound(run)
    prompted = list(articles[: run.prompts])
    _completions(run, completions, {article.page_id for article in prompted})
    require_answers(run, completions, snapshot)
    if strange := {completion["page_id"] for completion in completions} - {article.page_id for article in articles}:
        raise ValueError(f"it has texts of page {min(strange)}, which is none of its snapshot's articles")
    computed_id = _made_again(run, completions, snapshot["content_sha256"], prompted)
    if computed_id is not None and computed_id != run.run_id:
        raise ValueError(f"its id is not the hash of what it says it is, which is {computed_id}")
    return computed_id is not None


def require_evaluator(row: Row) -> None:
    """Raise ValueError unless the evaluator's id is the hash of its other fields."""
    described = {name: row[name] for name in row if name not in ("parameters", "dependencies")}
    parameters, dependencies = json.loads(row["parameters"]), json.loads(row["dependencies"])
    if not isinstance(parameters, dict) or not isinstance(dependencies, dict):
        raise ValueError("its parameters or its dependencies are no JSON object")
    evaluator = Fingerprint(**described, parameters=parameters, dependencies=dependencies)
    if evaluator_id_of(evaluator) != row["evaluator_id"]:
        raise ValueError("its id is not the hash of what it says it is")
    for name in ("name", "version"):
        require_name(row[name], f"its {name}")


def require_metric(row: Row) -> None:
    """Raise ValueError for an invalid metric name, direction or scope, or for a minimum not below the maximum."""
    if not can_name_a_metric(row["metric"]) or len(row["metric"]) > _LONGEST_METRIC:
        raise ValueError("no metric can have this name")
    if row["direction"] not in _DIRECTIONS or row["scope"] not in ("text", "run"):
        raise ValueError("its direction or its scope is none")
    if None not in (row["minimum"], row["maximum"]) and not row["minimum"] < row["maximum"]:
        raise ValueError(f"its values lie between {row['minimum']} and {row['maximum']}, it says")


def require_same_metric(row: Row, here: Collection[Row]) -> Row:
    """Return the row to store: the installed metric's, the database's, or the given row for an unknown metric.

    Raises ValueError for a metric with a different definition, or with a name that differs only in capitalization.
    """
    known: dict[str, Row | Metric] = {row["metric"].casefold(): row for row in here}
    known |= {metric.name.casefold(): metric for metric in known_metrics()}
    same = known.get(row["metric"].casefold())
    if isinstance(same, Metric):
        same = _metric_row(same)
    if same is None:
        return row
    if same["metric"] != row["metric"]:
        raise ValueError(f"the metric {row['metric']} is another one: '{same['metric']}' differs in its capitals alone")
    if different := [name for name in OF_METRIC if same[name] != row[name]]:
        name = different[0]
        ours, theirs = in_message(same[name]), in_message(row[name])
        raise ValueError(f"the metric {row['metric']} is another one: {name} is {ours} and {theirs}")
    return same


def _metric_row(metric: Metric) -> Row:
    named = asdict(metric)
    return {"metric": named.pop("name"), **named}


def known_metrics() -> Sequence[Metric]:
    """Return the metrics of all installed evaluators."""
    pieces = (*evaluators.all().values(), *set_evaluators.all().values(), *reading_evaluators.all().values())
    return [metric for evaluator in pieces for metric in evaluator.metrics]


def require_scores(
    part: SharedPart, rows: Sequence[Row], metrics: Mapping[str, Row], texts: set[tuple[int, int]]
) -> None:
    """Check the scores of a run by an evaluator, or the claims behind them.

    `metrics` holds the rows of the metrics by name, and `texts` the run's texts by page id and sample. Raises
    ValueError for a number outside its metric's range, for texts of another run, and for texts that no budget would
    choose.
    """
    for row in rows:
        if "value" in row:
            _score(row, metrics[row["metric"]])
    if {metrics[row["metric"]]["scope"] for row in rows if "metric" in row} - {_SCOPES.get(part.table)}:
        raise ValueError("it has numbers of texts and of whole runs")
    if part.table == "run_scores":
        if most := [row["texts"] for row in rows if row["texts"] is None or not 0 <= row["texts"] <= len(texts)]:
            raise ValueError(f"it is of {most[0]} texts, and the run has {len(texts)}")
        return
    scored = {(row["page_id"], row["sample"]) for row in rows}
    if strange := scored - texts:
        raise ValueError(f"there is no text of page {min(strange)[0]}, sample {min(strange)[1]} to be scored")
    if part.table == "claims":
        for row in rows:
            _claim(row)
        return
    if len({row["metric"] for row in rows}) * len(scored) != len(rows):
        raise ValueError("not every text has every metric of its evaluator")
    if not part["run_id"].startswith("reference:") and not is_chosen(scored, texts):
        raise ValueError(f"it scores {len(scored)} of {len(texts)} texts, and not those that a budget chooses")


def _score(score: Row, metric: Row) -> None:
    name, value = score["metric"], score["value"]
    if (value is None) != (score["status"] != "ok"):
        raise ValueError(f"'{name}' has the number {value} and the status {in_message(score['status'])}")
    if value is None:
        require_name(score["status"], f"the reason why '{name}' has no number", longest=_LONGEST_STATUS)
        return
    low, high = metric["minimum"], metric["maximum"]
    low, high = -LARGEST_SCORE if low is None else low, LARGEST_SCORE if high is None else high
    if value < low - _slack(low) or value > high + _slack(high):
        raise ValueError(f"'{name}' has the number {value}, which is not between {low} and {high}")
    if not 0 <= (score.get("spread") or 0) <= LARGEST_SCORE:
        raise ValueError(f"'{name}' has the spread {score['spread']}")


def _slack(bound: float) -> float:
    return _ROUNDING * max(1.0, abs(bound))


def _claim(claim: Row) -> None:
    shares = [claim[name] for name in ("supported", "refuted", "not_enough_info") if claim[name] is not None]
    if not all(-_ROUNDING <= share <= 1 + _ROUNDING for share in shares):
        raise ValueError(f"the verdict on sentence {claim['sentence']} of page {claim['page_id']} has shares {shares}")
    if claim["sentence"] < 0 or not 0 <= claim["start_char"] <= claim["end_char"]:
        raise ValueError(f"sentence {claim['sentence']} of page {claim['page_id']} stands nowhere in its text")


def _earliest(snapshot: Row) -> datetime:
    """Return the earliest moment at which the articles could be known."""
    moment: datetime = min(snapshot["window_end"], snapshot["cutoff"])
    return moment


def _require_times(row: Row, snapshot: Row) -> None:
    started, ended = row["started_at"], row["finished_at"]
    for name in ("started_at", "finished_at", "heard_at"):
        require_past(row[name], f"its {name}")
    if ended is not None and ended < _earliest(snapshot):
        raise ValueError(f"it was finished at {ended.isoformat()}, before the window of its snapshot ended")
    if ended is not None and started is not None and ended < started:
        raise ValueError(f"it was finished at {ended.isoformat()}, before it began at {started.isoformat()}")


def _require_addresses(*addresses: str) -> None:
    for address in addresses:
        if address and not address.startswith(("https://", "http://")):
            raise ValueError(f"{in_message(address)} is no address of a web page")


def _completions(run: Run, completions: Sequence[Row], pages: set[int]) -> None:
    if len(pages) != run.prompts:
        raise ValueError(f"it is on {run.prompts} articles, and its snapshot has {len(pages)}")
    by_page: dict[int, list[Row]] = defaultdict(list)
    for completion in completions:
        by_page[completion["page_id"]].append(completion)
        _completion(run, completion)
    if not run.samples and by_page:
        raise ValueError("it has read articles, and has texts")
    if run.samples and set(by_page) != pages and run.backend != "file":
        strange = min(set(by_page) ^ pages)
        raise ValueError(f"page {strange} has texts and is not asked for, or the other way round")
    for page_id, written in by_page.items():
        if run.backend != "file" and sorted(completion["sample"] for completion in written) != [*range(run.samples)]:
            raise ValueError(f"page {page_id} has not the samples 0 to {run.samples - 1}, each once")
        answers = [completion for completion in written if completion["no_answer"] is None]
        longest = sorted(answers, key=lambda completion: (-completion["words"], completion["sample"]))[: run.keep]
        if {completion["sample"] for completion in written if completion["kept"]} != {
            completion["sample"] for completion in longest
        }:
            raise ValueError(f"the texts of page {page_id} that are kept are not its {run.keep} longest")


def _completion(run: Run, completion: Row) -> None:
    where = f"page {completion['page_id']}, sample {completion['sample']}"
    scored = completion["text"] if completion["prose"] is None else completion["prose"]
    if completion["words"] != (words := len(split_words(scored))):
        raise ValueError(f"{where} has {words} words, and it says {completion['words']}")
    cut = completion["truncated"] == (completion["finish_reason"] != "stop")
    if completion["finish_reason"] not in _REASONS or not (cut or run.backend == "file"):
        raise ValueError(
            f"{where}: it ended by {in_message(completion['finish_reason'])}, truncated {completion['truncated']}"
        )
    if completion["sample"] < 0 or completion["kept"] is None:
        raise ValueError(f"{where}: its number, or whether it is kept, cannot be")
    tokens, most = completion["tokens"], _most_tokens(run)
    if tokens is not None and (tokens < 0 or (most is not None and tokens > most)):
        raise ValueError(f"{where} has {tokens} tokens, and at most {most} were asked for")
    if completion["token_ids"] is not None and len(completion["token_ids"]) != tokens:
        raise ValueError(f"{where} has {len(completion['token_ids'])} token ids and says {tokens} tokens")
    if (completion["prompt_tokens"] or 0) < 0:
        raise ValueError(f"{where} had {completion['prompt_tokens']} tokens before it")
    if not 0 <= (completion["cached_tokens"] or 0) <= (completion["prompt_tokens"] or 0):
        raise ValueError(f"{where} had {completion['cached_tokens']} cached of {completion['prompt_tokens']} tokens")
    if completion["served_by"] is not None:
        require_name(completion["served_by"], f"{where}: the name of what served it")
    if run.numerics is not None:
        _by_our_engine(run, completion, where)


def _most_tokens(run: Run) -> int | None:
    """Return the most tokens of an answer; a server has one limit for the thinking and the answer."""
    versions = json.loads(run.versions)
    if run.max_new_tokens is None or run.backend != "openai" or versions.get("thinking") != "on":
        return run.max_new_tokens
    return run.max_new_tokens + int(versions.get("max_thinking_tokens", 0))


def _by_our_engine(run: Run, completion: Row, where: str) -> None:
    if completion["tokens"] is None or (
        completion["no_answer"] is None
        and (completion["finish_reason"] == "length")
        != (completion["tokens"] == run.max_new_tokens and completion["finish_reason"] != "stop")
    ):
        raise ValueError(
            f"{where}: {completion['tokens']} tokens do not end by {in_message(completion['finish_reason'])}"
        )
    if stop := [text for text in json.loads(run.versions).get("stop", []) if text in completion["text"]]:
        raise ValueError(f"{where} holds {in_message(stop[0])}, before which it should have ended")


def _made_again(run: Run, completions: Sequence[Row], content: str, prompted: Sequence[Article]) -> str | None:
    if run.backend == "file":
        texts = {(completion["page_id"], completion["sample"]): completion["text"] for completion in completions}
        return run_id_of(run.snapshot_id, run.model, run.decoder, texts)
    if run.backend not in models.all() or "backend_code_sha256" in json.loads(run.versions):
        return None
    pages = [article.page_id for article in prompted]
    if run.samples == 0:
        return stored_run_id(run, content, pages)
    decoder = decoder_of(run)
    if decoder is None:
        return None
    if decoders.get(decoder.name).is_deterministic(decoder) and (run.samples, run.keep) != (1, 1):
        raise ValueError(f"{run.decoder} writes one text a prompt, and {run.samples} are said to be there")
    return stored_identity(run, content, pages).run_id(run.numerics)
