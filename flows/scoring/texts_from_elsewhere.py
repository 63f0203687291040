"""Import external texts as a run, which is scored like any other run."""

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from newwiki.errors import TerminalError, UsageError, did_you_mean
from newwiki.generations import Generation, read_generations
from newwiki.knowledge_cutoff import KnowledgeCutoff
from newwiki.models.thinking import Split, split_unknown
from newwiki.names import require_name
from newwiki.protocol import protocol_json
from newwiki.records import Completion, Run
from newwiki.snapshot import Article
from newwiki.text.prompts import DEFAULT_TEMPLATE
from newwiki.text.words import split_words
from storage import runs, snapshots
from storage.database import Database

_UNKNOWN = "unknown"
_NO_TIME = datetime(1970, 1, 1, tzinfo=UTC)


def take_in(
    database: Database,
    file: Path,
    *,
    snapshot: str,
    model: str | None,
    decoder: str | None,
    cutoff: KnowledgeCutoff | None = None,
) -> tuple[Run, list[Article]]:
    """Store the texts of a file as a run, and return the run and its articles.

    The same file always gives the same run. If every line has a reference, the texts are compared with these
    references, unless all of them are the snapshot's own articles. Raises UsageError for an invalid line, before
    anything is stored.
    """
    generations = read_generations(file)
    if all(entry.reference is not None for entry in generations):
        name, by_line = _published_after_all(database, snapshot, generations) or _own(generations)
    else:
        name, by_line = _published(database, snapshot, generations, file)
    answers = {key: split_unknown(text) for key, text in _numbered(generations, by_line, file).items()}
    run = _run(
        file,
        name,
        {key: answer.answer for key, answer in answers.items()},
        require_name(model or file.stem, "the model name"),
        require_name(decoder or _UNKNOWN, "the decoder's label"),
    )
    if cutoff:
        run = replace(run, knowledge_cutoff=cutoff.day, knowledge_cutoff_from=cutoff.origin)
    if runs.status(database, run.run_id) != "complete":
        with database.write():
            runs.start(database, run)
            runs.add_completions(database, run.run_id, [_completion(key, answer) for key, answer in answers.items()])
            runs.complete(database, run.run_id, run.keep)
    return run, list({article.page_id: article for article in by_line.values()}.values())


def _published_after_all(
    database: Database, snapshot: str, generations: Sequence[Generation]
) -> tuple[str, dict[int, Article]] | None:
    """Return the result of `_published` if the reference of every line is the text of a snapshot article.

    Returns None otherwise, or if the database does not contain the snapshot.
    """
    try:
        name, by_id, by_title = _articles(database, snapshot)
    except TerminalError:
        return None
    named = {entry.line: _named(entry, by_id, by_title) for entry in generations if entry.names_an_article}
    same = [
        article is not None and (entry.reference or "").strip() == article.completion.strip()
        for entry in generations
        for article in [named.get(entry.line)]
    ]
    return (name, {line: article for line, article in named.items() if article}) if all(same) else None


def _articles(database: Database, snapshot: str) -> tuple[str, dict[int, Article], dict[str, Article]]:
    with database.read():
        name = snapshots.resolve(database, snapshot).snapshot_id
        articles = snapshots.articles(database, name)
    return name, {article.page_id: article for article in articles}, {article.title: article for article in articles}


def _named(entry: Generation, by_id: Mapping[int, Article], by_title: Mapping[str, Article]) -> Article | None:
    """Return the article that a line names by id, title or both, or None if no article matches."""
    article = by_id.get(entry.page_id) if entry.page_id is not None else by_title.get(entry.title or "")
    return article if article is not None and entry.title in (None, article.title) else None


def _published(
    database: Database, snapshot: str, generations: Sequence[Generation], file: Path
) -> tuple[str, dict[int, Article]]:
    """Return the snapshot's id, and the named article by line. Its text is the reference.

    Raises UsageError if a line brings its own reference or names an unknown article.
    """
    name, by_id, by_title = _articles(database, snapshot)
    by_line = {}
    for entry in generations:
        if not entry.names_an_article or entry.reference is not None:
            raise UsageError(
                f"'{file}', line {entry.line}: it brings its own reference, and another line brings none; split the "
                "file"
            )
        article = _named(entry, by_id, by_title)
        if article is None:
            named = f"page {entry.page_id}" if entry.page_id is not None else f"'{entry.title}'"
            raise UsageError(
                f"'{file}', line {entry.line}: {named}{_entitled(entry, by_id)} is no article of the snapshot {name}"
                f"{did_you_mean(entry.title or '', by_title)}; name another with --snapshot"
            )
        by_line[entry.line] = article
    return name, by_line


def _entitled(entry: Generation, by_id: Mapping[int, Article]) -> str:
    return f" with the title '{entry.title}'" if entry.page_id in by_id else ""


def _own(generations: Sequence[Generation]) -> tuple[str, dict[int, Article]]:
    """Return an id for these prompts and references, and an article for each line.

    The page id is a hash of the prompt's content, so that the same prompt in another file gets the same id.
    """
    by_line = {entry.line: _article(entry) for entry in generations}
    return f"file:{_hash(sorted({article.page_id for article in by_line.values()}))[:12]}", by_line


def _article(entry: Generation) -> Article:
    prompt, reference = entry.prompt, entry.reference or ""
    title, _, sentence = (entry.title or "", "", "") if prompt is None else prompt.rpartition("\n\n")
    sha256 = _hash([entry.page_id, entry.title, prompt, reference] if entry.names_an_article else [prompt, reference])
    return Article(
        page_id=int(sha256[:15], 16),
        rev_id=0,
        title=title,
        created_at=_NO_TIME,
        revised_at=_NO_TIME,
        revisions=0,
        words=len(split_words(reference)),
        first_sentence=sentence,
        completion=reference,
        text_sha256=sha256,
    )


def _numbered(
    generations: Sequence[Generation], by_line: Mapping[int, Article], file: Path
) -> dict[tuple[int, int], str]:
    """Return the texts by page id and sample. A text without a sample number gets the next number of its page.

    Raises UsageError if two texts of a prompt have the same sample number.
    """
    numbered: dict[tuple[int, int], str] = {}
    following: dict[int, int] = defaultdict(int)
    for entry in generations:
        page_id = by_line[entry.line].page_id
        sample = following[page_id] if entry.sample is None else entry.sample
        if (page_id, sample) in numbered:
            raise UsageError(f"'{file}', line {entry.line}: there is already a text of sample {sample} of this prompt")
        numbered[page_id, sample] = entry.text
        following[page_id] = max(following[page_id], sample + 1)
    return numbered


def _run(file: Path, snapshot_id: str, numbered: Mapping[tuple[int, int], str], model: str, decoder: str) -> Run:
    content = _content(numbered)
    texts_by_page: dict[int, int] = defaultdict(int)
    for page_id, _ in numbered:
        texts_by_page[page_id] += 1
    samples = max(texts_by_page.values())
    return Run(
        run_id=run_id_of(snapshot_id, model, decoder, numbered),
        snapshot_id=snapshot_id,
        model=model,
        model_sha256=_UNKNOWN,
        backend="file",
        decoder=decoder,
        decoder_parameters="{}",
        prompt_template=DEFAULT_TEMPLATE,
        prompts=len(texts_by_page),
        seed=None,
        samples=samples,
        keep=samples,
        max_new_tokens=None,
        dtype=_UNKNOWN,
        versions=json.dumps({"file": file.name, "texts_sha256": content}, sort_keys=True),
        protocol=protocol_json(max_new_tokens=None, samples=samples, keep=samples, template=None, stop=None, chat=None),
    )


def run_id_of(snapshot_id: str, model: str, decoder: str, texts: Mapping[tuple[int, int], str]) -> str:
    """Return the run id of these texts, which are given by page id and sample."""
    return _hash([snapshot_id, model, decoder, _content(texts)])[:16]


def _content(texts: Mapping[tuple[int, int], str]) -> str:
    return _hash([[*key, text] for key, text in sorted(texts.items())])


def _completion(key: tuple[int, int], answer: Split) -> Completion:
    """Build the completion of a text, which may begin with thinking in the marks of a known family."""
    thinking, text, no_answer = answer
    words = len(split_words(text))
    return Completion(*key, text, None, words, "unknown", truncated=False, thinking=thinking, no_answer=no_answer)


def _hash(described: object) -> str:
    return hashlib.sha256(json.dumps(described, ensure_ascii=False).encode()).hexdigest()
