"""Make texts of known quality from articles: the anchors of a leaderboard, and the ladder of `newwiki experiment
metrics`.

Sources of the idea: Sai et al. 2021, Perturbation CheckLists for evaluating NLG evaluation metrics; Karpinska et al.
2022, DEMETR; He et al. 2023, On the blind spots of model-based evaluation metrics for text generation. All draws depend
only on the seed and the page ids, so that the same snapshot always gives the same texts.
"""

import random
from collections import defaultdict
from collections.abc import Mapping, Sequence

from newwiki.text.sentences import rules_for, sentence_spans
from newwiki.text.words import count_words, first_words, split_words, without_spaces

# Raise it whenever one of these functions gives another text for the same article.
PERTURBATIONS_VERSION = "2"


def sentences_of(text: str, language: str | None) -> list[str]:
    """Return all sentences of a text in this language, with single spaces for white space; the last one may break
    off."""
    return [" ".join(text[start:end].split()) for start, end, _ in sentence_spans(text, rules_for(language))]


def repeated(sentence: str, words: int) -> str:
    """Return the sentence again and again, cut at `words` words. A sentence without words stays as it is."""
    count = max(1, count_words(sentence))
    return first_words(_joined([sentence] * -(-words // count)), words)


def shuffled_words(text: str, seed: int, page_id: int) -> str:
    """Return the words of the text in random order."""
    words = split_words(text)
    random.Random(f"{seed} {page_id} words").shuffle(words)
    return ("" if without_spaces(text) else " ").join(words)


def shuffled_sentences(text: str, language: str | None, seed: int, page_id: int) -> str:
    """Return the sentences of a text in this language in random order."""
    sentences = sentences_of(text, language)
    random.Random(f"{seed} {page_id} sentences").shuffle(sentences)
    return _joined(sentences)


def replaced(sentences: Sequence[str], others: Sequence[str], share: float) -> str:
    """Return the sentences with this share of them, evenly spread and rounded, replaced by sentences of another
    article.

    The sentence at position i is replaced if the share of i + 1 sentences rounds to more than the share of i. Each
    replaced sentence takes the next one of `others`, which start again when they are used up.
    """
    if not others:
        return _joined(sentences)
    counts = [round(share * place + 1e-9) for place in range(len(sentences) + 1)]
    return _joined(
        [
            others[counts[place] % len(others)] if counts[place + 1] > counts[place] else sentence
            for place, sentence in enumerate(sentences)
        ]
    )


def derangement(strata: Mapping[int, str | None], seed: int) -> dict[int, int]:
    """Give each page another page, within its stratum where that has at least two pages; each page is given once.

    `strata` holds the stratum of each page. Pages that are alone in their stratum exchange among each other; one that
    remains joins the largest stratum. Fewer than two pages have no derangement: the result is empty.
    """
    if len(strata) < 2:
        return {}
    order = sorted(strata)
    random.Random(f"{seed} derangement").shuffle(order)
    groups: dict[str | None, list[int]] = defaultdict(list)
    for page_id in order:
        groups[strata[page_id]].append(page_id)
    cycles = [pages for pages in groups.values() if len(pages) > 1]
    alone = [page_id for pages in groups.values() if len(pages) == 1 for page_id in pages]
    if len(alone) == 1 and cycles:
        max(cycles, key=len).append(alone[0])
    elif alone:
        cycles.append(alone)
    return {page_id: pages[(place + 1) % len(pages)] for pages in cycles for place, page_id in enumerate(pages)}


def _joined(sentences: Sequence[str]) -> str:
    text = "".join(sentences)
    return text if without_spaces(text) else " ".join(sentences)
