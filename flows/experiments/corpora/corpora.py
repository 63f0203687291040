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
        return {one.text_sha256 for one in self.texts.trained}


def corpora_of(database: Database, request: CorporaRequest, template: str) -> list[Corpus]:
    """Return the corpora in the order of --label, or sorted by label.

    Raises UsageError if a label is unknown or if fewer than two labels remain.
    """
    found = _of_files(request) if request.corpus_file else _of_articles(database, request, template)
    labels = request.label or sorted(found)
    for label in labels:
        if label not in found:
            nearest = did_you_mean(label, found) or f"; there are: {', '.join(sorted(found)) or 'none'}"
            raise UsageError(f"there is no corpus '{label}'{nearest}")
    if len(set(labels)) < 2:
        where = ", ".join(map(str, request.corpus_file)) or ", ".join(request.train_on)
        lacks = _LOOK_UP[request.by].format(request.train_on[0]) if request.train_on else "write another label"
        raise UsageError(f"'{where}' has {len(found)} labels, and it takes two to compare them; {lacks}")
    return [found[label] for label in dict.fromkeys(labels)]


def in_every(corpora: Sequence[Corpus]) -> int:
    """Return the number of texts that all corpora contain."""
    return len(set.intersection(*(one.hashes for one in corpora)))


def _of_files(request: CorporaRequest) -> Mapping[str, Corpus]:
    return {
        label: _corpus(label, map(_whole, texts), [], "{text}")
        for label, texts in read_corpora(request.corpus_file).items()
    }


def _whole(text: str) -> WholeText:
    sha256 = hashlib.sha256(text.encode()).hexdigest()
    return WholeText(Trained(_OF_FILES, int(sha256[:15], 16), "", sha256), text)


def _of_articles(database: Database, request: CorporaRequest, template: str) -> Mapping[str, Corpus]:
    """Return corpora of articles; the model learns each article in its evaluation format, including the prompt."""
    articles: dict[str, list[TrainingArticle]] = {}
    for name in request.train_on:
        snapshot = snapshots.resolve(database, name)
        labels = dict(database.rows(f"labels_by_{request.by}", snapshot.snapshot_id))
        for article in snapshots.articles(database, snapshot.snapshot_id):
            if label := labels.get(article.page_id):
                articles.setdefault(label, []).append(TrainingArticle(snapshot.wiki, article))
    origin = [
        {"snapshot_id": one.snapshot_id, "content_sha256": one.content_sha256}
        for one in (snapshots.resolve(database, name) for name in request.train_on)
    ]
    return {
        label: _corpus(label, [_read(one, template) for one in sorted(of_label, key=_page)], origin, _learnt(template),
                       of_label)
        for label, of_label in articles.items()
    }  # fmt: skip


def _learnt(template: str) -> str:
    return f"{template} {{completion}}"


def _page(one: TrainingArticle) -> tuple[str, int]:
    return one.wiki, one.article.page_id


def _read(one: TrainingArticle, template: str) -> WholeText:
    article = one.article
    prompt = fill(template, article.title, article.first_sentence)
    return WholeText(one.trained, f"{prompt} {article.completion}")


def _corpus(
    label: str,
    texts: Iterable[WholeText],
    origin: Sequence[dict[str, str]],
    template: str,
    articles: Sequence[TrainingArticle] = (),
) -> Corpus:
    every = list(texts)
    once = {(one.trained.wiki, one.trained.page_id): one for one in reversed(every)}
    chosen = TrainingSet([once[key] for key in sorted(once)], origin, training_set.latest(articles))
    return Corpus(label, chosen, len(every) - len(once), template)
