"""The ladder: the texts of known quality that are made of each article."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from evaluators import perturbations
from evaluators.changed_facts import CHANGED_FACTS_VERSION, names_exchanged, negated, numbers_changed
from evaluators.perturbations import PERTURBATIONS_VERSION, sentences_of
from newwiki.snapshot import Article
from newwiki.text.words import first_words, split_words

VERSIONS = {"perturbations": PERTURBATIONS_VERSION, "changed_facts": CHANGED_FACTS_VERSION, "ladder": "1"}

SENTENCES = 8
"""The number of sentences from the beginning of an article, without its first, of which its texts are made."""
WORDS = 120
"""The largest number of words of a text. All texts of one article are cut at the same number, because many metrics
change with the length: this one, or that of the shortest text if it is shorter. Other lengths have only the texts of
`LENGTHS`, the first sentence, the text with headings, and by a few words the text whose names are exchanged."""
LENGTHS = (40, 80, 160, 320)
"""The numbers of words of the texts that differ in their length alone."""
HEADING_EVERY = 3
"""The number of sentences between two headings."""

ARTICLE, HALF, OTHER = "article", "replaced_50", "other"
FIRST_SENTENCE, REPEATED = "first_sentence", "first_sentence_repeated"
REPLACED = {"replaced_25": 0.25, HALF: 0.5, "replaced_75": 0.75, OTHER: 1.0}
REPLACEMENT = (ARTICLE, *REPLACED)
OF_LENGTH = {f"words_{length}": length for length in LENGTHS}
RUNGS: Mapping[str, str] = {
    ARTICLE: "the article's beginning",
    "replaced_25": "25 % of its sentences from another article",
    HALF: "50 % of its sentences from another article",
    "replaced_75": "75 % of its sentences from another article",
    OTHER: "another article's beginning",
    FIRST_SENTENCE: "the first sentence, which is in the prompt",
    REPEATED: "the first sentence repeated",
    "words_shuffled": "the beginning with its words shuffled",
    "sentences_shuffled": "the beginning with its sentences shuffled",
    "names_exchanged": "the beginning with its names exchanged",
    "numbers_changed": "the beginning with its numbers and dates changed",
    "negated": "the beginning with its verbs negated",
    "later_part": "a later part of the article",
    "headings": "the beginning with Markdown headings",
    **{name: f"the article's first {length} words" for name, length in OF_LENGTH.items()},
}
"""The texts by name, in words."""


@dataclass(frozen=True)
class Wording:
    """What the ladder has to know about the language of the texts; all are empty for an unknown language."""

    language: str | None
    months: Sequence[str]
    negations: Mapping[str, str]


def rungs(article: Article, other: Article, wording: Wording, seed: int) -> dict[str, str | None]:
    """Return the texts of an article in the order of `RUNGS`; None for a text that cannot be made of it.

    `other` is the article that another article's sentences are from.
    """
    page_id = article.page_id
    sentences, others = (sentences_of(one.completion, wording.language) for one in (article, other))
    mixed = {
        name: perturbations.replaced(sentences[:SENTENCES], others[:SENTENCES], share)
        for name, share in {ARTICLE: 0.0, **REPLACED}.items()
    }
    words = min(WORDS, *(len(split_words(text)) for text in mixed.values()))
    cut = {name: first_words(text, words) for name, text in mixed.items()}
    beginning = cut[ARTICLE]
    shuffled = perturbations.shuffled_sentences(beginning, wording.language, seed, page_id)
    middle = len(sentences) // 2
    later = perturbations.replaced(sentences[middle : middle + SENTENCES], (), 0.0) if middle >= SENTENCES else ""
    made: dict[str, str | None] = {
        **cut,
        FIRST_SENTENCE: first_words(article.first_sentence, words),
        REPEATED: perturbations.repeated(article.first_sentence, words),
        "words_shuffled": perturbations.shuffled_words(beginning, seed, page_id),
        "sentences_shuffled": None if shuffled == beginning else shuffled,
        "names_exchanged": names_exchanged(beginning, wording.language, wording.months, seed, page_id),
        "numbers_changed": numbers_changed(beginning, wording.months, seed, page_id),
        "negated": first_words(negated(beginning, wording.negations) or "", words),
        "later_part": first_words(later, words) if len(split_words(later)) >= words else None,
        "headings": _with_headings(article.title, beginning, wording.language),
        **dict(_of_length(article.completion)),
    }
    return {name: made[name] or None for name in RUNGS}


def _of_length(text: str) -> Iterator[tuple[str, str | None]]:
    words = len(split_words(text))
    for name, length in OF_LENGTH.items():
        yield name, first_words(text, length) if words >= length else None


def _with_headings(title: str, text: str, language: str | None) -> str:
    """Return the text below its title, with the title as a heading before every third sentence as well."""
    sentences = sentences_of(text, language)
    parts = [
        perturbations.replaced(sentences[start : start + HEADING_EVERY], (), 0.0)
        for start in range(0, len(sentences), HEADING_EVERY)
    ]
    return f"# {title}\n\n" + "\n\n".join(
        part if place == 0 else f"## {title}\n\n{part}" for place, part in enumerate(parts)
    )
