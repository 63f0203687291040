"""Measure the length of a text's sentences, in the tokens of a tokenizer that counts punctuation marks."""

from functools import cache
from typing import TYPE_CHECKING

from evaluators.analysis import Analysis
from evaluators.scales import amount
from evaluators.sentences import split_sentences
from evaluators.spacy_pipeline import documents
from newwiki.records import Unscorable
from newwiki.registry import evaluator
from newwiki.text.sentences import SENTENCES_VERSION

if TYPE_CHECKING:
    from spacy.language import Language


@evaluator(
    metrics=[
        amount(
            "tokens_per_sentence",
            "tokens a sentence",
            "tokens of spaCy's English tokenizer, punctuation marks among them, over sentences",
            "Massarelli et al. 2020, table 4 (#tokens)",
            direction="none",
        )
    ],
    version="1",
    packages=["spacy"],
    parameters={"sentences": SENTENCES_VERSION},
)
def tokens_per_sentence(analysis: Analysis, reference: Analysis) -> float | Unscorable:
    """Return the mean number of tokens in a text's sentences, 1 and up (19 to 29 in the paper).

    Source: Massarelli et al. 2020, How decoding strategies affect the verifiability of generated text, table 4. Tokens
    are spaCy's, as in the paper; sentences are `split_sentences`, where the paper has spaCy's parser, and a text counts
    once. Pitfalls: a last sentence that `max_new_tokens` cuts off counts as it is and makes the mean shorter; the
    tokenizer is English for every language.
    """
    if analysis.wordless:
        return Unscorable("no words")
    sentences = split_sentences(analysis.text, analysis.language)
    if not sentences:
        return Unscorable("no sentence end")
    with documents(_english(), sentences) as tokenized:
        return sum(map(len, tokenized)) / len(sentences)


@cache
def _english() -> "Language":
    import spacy

    return spacy.blank("en")
