"""Texts that were written elsewhere become a run, which is scored like any other."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from newwiki.errors import UsageError, did_you_mean
from newwiki.generations import Generation, read_generations
from newwiki.records import Article, Completion, Run
from newwiki.text.prompts import DEFAULT_TEMPLATE
from storage import runs, snapshots
from storage.database import Database

_UNKNOWN = "unknown"
_NO_TIME = datetime(1970, 1, 1, tzinfo=UTC)


def take_in(
    database: Database, file: Path, *, snapshot: str, model: str | None, decoder: str | None
) -> tuple[Run, list[Article]]:
    """The run that the file's texts are, stored, and the articles that they were written for.

    The same file gives the same run. Raises UsageError for a line that does not fit, before anything is stored.
    """
    generations = read_generations(file)
    alone = {generation.stands_alone for generation in generations}
    if alone == {True, False}:
        raise UsageError(f"'{file}': some lines name an article and some bring their own reference; split the file")
    if alone == {True}:
        name, by_line = _own(generations)
    else:
        name, by_line = _published(database, snapshot, generations, file)
    numbered = _numbered(generations, by_line, file)
    run = _run(file, name, numbered, model or file.stem, decoder or _UNKNOWN)
    if runs.status(database, run.run_id) != "complete":
        runs.start(database, run)
        runs.add_completions(database, run.run_id, [_completion(key, text) for key, text in numbered.items()])
        runs.complete(database, run.run_id, run.keep)
    return run, list({article.page_id: article for article in by_line.values()}.values())


def _published(
    database: Database, snapshot: str, generations: Sequence[Generation], file: Path
) -> tuple[str, dict[int, Article]]:
    """The snapshot's id, and by line the article that it names."""
    name = snapshots.resolve(database, snapshot).snapshot_id
    articles = snapshots.articles(database, name)
    by_id = {article.page_id: article for article in articles}
    by_title = {article.title: article for article in articles}
    found = {}
    for one in generations:
        article = by_id.get(one.page_id) if one.page_id is not None else by_title.get(one.title or "")
        if article is None or (one.title is not None and one.title != article.title):
            named = f"page {one.page_id}" if one.page_id is not None else f"'{one.title}'"
            raise UsageError(
                f"'{file}', line {one.line}: {named}{_entitled(one, article)} is no article of the snapshot {name}"
                f"{did_you_mean(one.title or '', by_title)}; name another with --snapshot"
            )
        found[one.line] = article
    return name, found


def _entitled(one: Generation, article: Article | None) -> str:
    return f" with the title '{one.title}'" if article is not None and one.page_id is not None else ""


def _own(generations: Sequence[Generation]) -> tuple[str, dict[int, Article]]:
    """A name for these prompts and references, and by line an article that is made of them."""
    pairs = {(one.prompt or "", one.reference or "") for one in generations}
    pages = {pair: page_id for page_id, pair in enumerate(sorted(pairs), 1)}
    name = f"file:{_hash(sorted(pairs))[:12]}"
    return name, {one.line: _article(pages, one.prompt or "", one.reference or "") for one in generations}


def _article(pages: Mapping[tuple[str, str], int], prompt: str, reference: str) -> Article:
    title, _, sentence = prompt.rpartition("\n\n")
    words = len(reference.split())
    return Article(
        pages[prompt, reference],
        0,
        title,
        _NO_TIME,
        _NO_TIME,
        0,
        words,
        sentence,
        reference,
        _hash([prompt, reference]),
    )


def _numbered(
    generations: Sequence[Generation], by_line: Mapping[int, Article], file: Path
) -> dict[tuple[int, int], str]:
    """The texts by page id and sample: those without a number get the next one of their page."""
    numbered: dict[tuple[int, int], str] = {}
    following: dict[int, int] = defaultdict(int)
    for one in generations:
        page_id = by_line[one.line].page_id
        sample = following[page_id] if one.sample is None else one.sample
        if (page_id, sample) in numbered:
            raise UsageError(f"'{file}', line {one.line}: there is already a text of sample {sample} of this prompt")
        numbered[page_id, sample] = one.text
        following[page_id] = max(following[page_id], sample + 1)
    return numbered


def _run(file: Path, snapshot_id: str, numbered: Mapping[tuple[int, int], str], model: str, decoder: str) -> Run:
    content = _hash([[*key, text] for key, text in sorted(numbered.items())])
    of_each: dict[int, int] = defaultdict(int)
    for page_id, _ in numbered:
        of_each[page_id] += 1
    samples = max(of_each.values())
    return Run(
        _hash([snapshot_id, model, decoder, content])[:16],
        snapshot_id,
        model,
        _UNKNOWN,
        "file",
        decoder,
        "{}",
        DEFAULT_TEMPLATE,
        len(of_each),
        None,
        samples,
        samples,
        None,
        _UNKNOWN,
        json.dumps({"file": file.name, "texts_sha256": content}, sort_keys=True),
    )


def _completion(key: tuple[int, int], text: str) -> Completion:
    return Completion(*key, text, None, len(text.split()), "unknown", truncated=False)


def _hash(described: object) -> str:
    return hashlib.sha256(json.dumps(described, ensure_ascii=False).encode()).hexdigest()
