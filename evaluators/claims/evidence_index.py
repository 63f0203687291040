"""Use the sentences of many pages as evidence: first those of pages that a claim names, then all others, by BM25."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from evaluators.claims import bm25, titles
from evaluators.claims.bm25 import TOP
from evaluators.claims.claim import Passage
from evaluators.claims.index_files import Manifest, read_manifest, require_hashes
from evaluators.claims.mapped_files import Texts, mapped, places_of

# Raise it whenever the same index and claim may get other passages.
RETRIEVAL_VERSION = "1"


class EvidenceIndex:
    """Evidence (`evaluators.claims.claim.Evidence`) from the folder that `newwiki evidence build` writes.

    The passages of a claim are found in two stages, as in the system behind section 5, "Fact Checker", of Massarelli et
    al. 2020 (Hanselowski et al. 2018, UKP-Athene, section 3: documents by titles, then their sentences):

    1. The pages are those with the text's title (or, if there is none, those with the same name), and those whose names
       occur in the claim (`evaluators.claims.titles.named_in`). A name is the title's words, without case and without a
       parenthesis at the end. From their sentences come those that share a word with the claim, by BM25 over the whole
       index.
    2. If those are fewer than `TOP`, the sentences of all other pages follow, by the same BM25.

    Equal scores are ordered by the page's title and the position in the page. UKP-Athene queries Wikipedia's search for
    noun phrases, and ranks sentences with a trained network; here nothing is trained and nothing is queried.
    """

    packages: tuple[str, ...] = ("bm25s",)

    def __init__(self, folder: Path, manifest: Manifest) -> None:
        import bm25s

        self.manifest = manifest
        self.parameters: Mapping[str, object] = {
            "evidence": "index",
            "content_sha256": manifest.content_sha256,
            "retrieval": RETRIEVAL_VERSION,
            **manifest.parameters,
        }
        self._titles, self._sentences = Texts(folder, "titles"), Texts(folder, "sentences")
        self._page_ends, self._places = mapped(folder / "page.ends"), mapped(folder / "sentence.places")
        self._words, self._word_keys = Texts(folder, "words"), mapped(folder / "words.keys")
        self._name_keys, self._name_pages = mapped(folder / "names.keys"), mapped(folder / "names.pages")
        self._starts = mapped(folder / "postings.starts")
        self._posted, self._weights = mapped(folder / "postings.sentences"), mapped(folder / "postings.weights")
        self._ranker = bm25s.BM25(k1=bm25.K1, b=bm25.B, method="lucene", backend="numpy")
        self._ranker.nonoccurrence_array = None
        self._ranker.scores = {
            "data": self._weights,
            "indices": self._posted,
            "indptr": self._starts,
            "num_docs": len(self._sentences),
        }

    @classmethod
    def open(cls, folder: Path) -> EvidenceIndex:
        """Open the index in a folder; its files are hashed and mapped into memory. Raises UsageError if it is not an
        index or has another version, TerminalError if it is damaged."""
        manifest = read_manifest(folder)
        require_hashes(folder, manifest)
        return cls(folder, manifest)

    def passages(self, claims: Sequence[str], title: str) -> list[list[Passage]]:
        """Return for each claim of a text about `title` up to `TOP` passages, the likeliest first."""
        return self.passages_of_texts([(claims, title)])[0]

    def passages_of_texts(self, texts: Sequence[tuple[Sequence[str], str]]) -> list[list[list[Passage]]]:
        """Do the same for the claims and titles of many texts, whose words and names are looked up together."""
        words = {claim: bm25.words(claim) for claims, _ in texts for claim in claims}
        ids = self._word_ids({word for claim in words.values() for word in claim})
        spans = {span for claim in words.values() for span in titles.spans(claim)}
        pages = self._pages_by_name(spans | {titles.name_of(title) for _, title in texts})

        def passages(claim: str, own: Sequence[int]) -> list[Passage]:
            claim_words = words[claim]
            named = titles.named_in(
                claim_words, pages, lambda page: titles.stands_as_written(self._titles[page], claim)
            )
            found = self._found([ids[word] for word in claim_words if word in ids], {*own, *named})
            return [self._passage(place) for place in found]

        return [[passages(claim, self._own(title, pages)) for claim in claims] for claims, title in texts]

    def _own(self, title: str, pages: Mapping[str, Sequence[int]]) -> Sequence[int]:
        """Return the page with exactly this title, or if there is none those with the same name."""
        named = pages.get(titles.name_of(title), ())
        return [page for page in named if self._titles[page] == " ".join(title.split())] or named

    def _found(self, ids: Sequence[int], pages: Iterable[int]) -> list[int]:
        sentences = self._sentences_of(sorted(pages))
        near = [int(sentences[place]) for place in bm25.best(self._scores_of(ids, sentences), TOP)]
        if len(near) == TOP or not ids:
            return near
        scores = self._ranker.get_scores_from_ids(ids)
        scores[sentences] = 0
        return near + bm25.best(scores, TOP - len(near))

    def _sentences_of(self, pages: Sequence[int]) -> NDArray[np.int32]:
        """Return the positions of the pages' sentences, in order."""
        starts = [self._page_ends[page - 1] if page else 0 for page in pages]
        parts = [np.arange(start, self._page_ends[page]) for start, page in zip(starts, pages, strict=True)]
        # In the type of the postings, which would otherwise be copied to be searched
        return np.concatenate([np.empty(0, np.int32), *parts]).astype(np.int32)

    def _scores_of(self, ids: Sequence[int], sentences: NDArray[np.int32]) -> bm25.Weights:
        """Return the scores of some sentences alone, bit-identical to those among all: the same sums in the same
        order."""
        scores = np.zeros(len(sentences), np.float32)
        for word in ids:
            posted = self._posted[self._starts[word] : self._starts[word + 1]]
            places = np.minimum(np.searchsorted(posted, sentences), len(posted) - 1)
            matching = posted[places] == sentences
            scores[matching] += self._weights[self._starts[word] + places[matching]]
        return scores

    def _word_ids(self, words: Iterable[str]) -> dict[str, int]:
        matches = places_of(words, self._word_keys)
        return {word: place for word, places in matches.items() for place in places if self._words[place] == word}

    def _pages_by_name(self, names: Iterable[str]) -> dict[str, list[int]]:
        by_name: dict[str, list[int]] = {}
        for name, places in places_of(names, self._name_keys).items():
            pages = [int(self._name_pages[place]) for place in places]
            if same := [page for page in pages if titles.name_of(self._titles[page]) == name]:
                by_name[name] = same
        return by_name

    def _passage(self, place: int) -> Passage:
        page = int(np.searchsorted(self._page_ends, place, "right"))
        return Passage(title=self._titles[page], sentence=int(self._places[place]), text=self._sentences[place])
