"""Read the requested corpora: labeled texts from files or from the articles of snapshots."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from flows.experiments.corpora.request import CorporaRequest
from flows.training import training_set
from flows.training.training_set import TrainingArticle, TrainingSet, WholeText
from newwiki.errors import UsageError, did_you_mean
from newwiki.text.prompts import fill
from newwiki.training.corpus_files import read_corpora
from newwiki.training.record import Trained, set_sha256
from storage import snapshots
from storage.database import Database

_OF_FILES = "corpus"  # stands for the wiki in training records
_LOOK_UP = {
    "topic": "`newwiki snapshots topics {}` looks topics up",
    "infobox": "articles without one have no label",
}


@dataclass(frozen=True)
class Corpus:
    """The distinct texts of a label, and the number of duplicates left out. `template` says how a text is formatted."""

    label: str
    texts: TrainingSet
    repeated: int
    template: str

    @property
    def sha256(self) -> str:
        return set_sha256(self.texts.trained)

    @property
    def hashes(self) -> set[str]:
        """The hashes of the texts."""
        return {text.text_sha256 for text in self.texts.trained}


def corpora_of(database: Database, request: CorporaRequest, template: str) -> list[Corpus]:
    """Return the corpora in the order of --label, or sorted by label.

    Raises UsageError if a label is unknown or if fewer than two labels remain.
    """
    corpora = _file_corpora(request) if request.corpus_file else _article_corpora(database, request, template)
    labels = request.label or sorted(corpora)
    for label in labels:
        if label not in corpora:
            nearest = did_you_mean(label, corpora) or f"; there are: {', '.join(sorted(corpora)) or 'none'}"
            raise UsageError(f"there is no corpus '{label}'{nearest}")
    if len(set(labels)) < 2:
        where = ", ".join(map(str, request.corpus_file)) or ", ".join(request.train_on)
        lacks = _LOOK_UP[request.by].format(request.train_on[0]) if request.train_on else "write another label"
        raise UsageError(f"'{where}' has {len(corpora)} labels, and it takes two to compare them; {lacks}")
    return [corpora[label] for label in dict.fromkeys(labels)]


def in_every(corpora: Sequence[Corpus]) -> int:
    """Return the number of texts that all corpora contain."""
    return len(set.intersection(*(corpus.hashes for corpus in corpora)))


def _file_corpora(request: CorporaRequest) -> Mapping[str, Corpus]:
    return {
        label: _corpus(label, map(_whole, texts), [], "{text}")
        for label, texts in read_corpora(request.corpus_file).items()
    }


def _whole(text: str) -> WholeText:
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    return WholeText(Trained(_OF_FILES, int(sha256[:15], 16), "", sha256), text)


def _article_corpora(database: Database, request: CorporaRequest, template: str) -> Mapping[str, Corpus]:
    """Return corpora of articles; the model learns each article in its evaluation format, including the prompt."""
    articles: dict[str, list[TrainingArticle]] = {}
    for name in request.train_on:
        snapshot = snapshots.resolve(database, name)
        labels = dict(database.rows(f"labels_by_{request.by}", snapshot.snapshot_id))
        for article in snapshots.articles(database, snapshot.snapshot_id):
            if label := labels.get(article.page_id):
                articles.setdefault(label, []).append(TrainingArticle(snapshot.wiki, article))
    origin = [
        {"snapshot_id": source.snapshot_id, "content_sha256": source.content_sha256}
        for source in (snapshots.resolve(database, name) for name in request.train_on)
    ]
    return {
        label: _corpus(label, [_read(article, template) for article in sorted(label_articles, key=_page)], origin,
                       _learnt(template), label_articles)
        for label, label_articles in articles.items()
    }  # fmt: skip


def _learnt(template: str) -> str:
    return f"{template} {{completion}}"


def _page(article: TrainingArticle) -> tuple[str, int]:
    return article.wiki, article.article.page_id


def _read(training_article: TrainingArticle, template: str) -> WholeText:
    article = training_article.article
    prompt = fill(template, article.title, article.first_sentence)
    return WholeText(training_article.trained, f"{prompt} {article.completion}")


def _corpus(
    label: str,
    texts: Iterable[WholeText],
    origin: Sequence[dict[str, str]],
    template: str,
    articles: Sequence[TrainingArticle] = (),
) -> Corpus:
    every = list(texts)
    once = {(text.trained.wiki, text.trained.page_id): text for text in reversed(every)}
    chosen = TrainingSet([once[key] for key in sorted(once)], origin, training_set.latest(articles))
    return Corpus(label, chosen, len(every) - len(once), template)
