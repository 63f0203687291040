"""Count the words and sentences of a text by the rules of the readability formulas."""

from evaluators.analysis import Analysis
from evaluators.readability import at_least_one_sentence
from evaluators.scales import amount
from newwiki.records import Unscorable
from newwiki.registry import evaluator
from newwiki.text.words import count_words, without_spaces

_NO_SPACES = Unscorable("written without spaces between words")


@evaluator(
    metrics=[
        amount(
            "words",
            "words",
            "runs between white space that are left when punctuation marks and symbols are taken out; in scripts "
            "without spaces between words, letters",
            "textstat 0.7.4, lexicon_count; W of the readability formulas",
            direction="none",
        )
    ],
    version="2",
)
def words(analysis: Analysis, reference: Analysis) -> float | Unscorable:
    """Return the number of words, 0 and up; an empty text has 0 words, which is not a missing value.

    Source: textstat 0.7.4, `lexicon_count`. Pitfalls: fewer than the white-space runs by which the longest completions
    are chosen and n-grams are counted, because a dash alone or an emoji is not a word here; most texts are as long as
    `max_new_tokens` and the model's stopping make them.
    """
    return count_words(analysis.text) if without_spaces(analysis.text) else analysis.readability.words


@evaluator(
    metrics=[
        amount(
            "sentences",
            "sentences",
            "stretches between full stops, question and exclamation marks of more than two words, at least "
            "one where there are words and an end mark",
            "textstat 0.7.4, sentence_count; S of the readability formulas",
            direction="none",
        )
    ],
    version="1",
)
def sentences(analysis: Analysis, reference: Analysis) -> float | Unscorable:
    """Return the number of sentences as in the readability formulas, 0 for a text without words, else 1 and up.

    Source: textstat 0.7.4, `sentence_count`. Pitfalls: "U.S." and "3.5" end a stretch, and stretches of two words or
    fewer do not count, so it differs from the sentences of `distinct_sentences`.
    """
    if analysis.wordless:
        return 0
    if without_spaces(analysis.text):
        return _NO_SPACES
    if not analysis.readability.ended:
        return Unscorable("no sentence end")
    return at_least_one_sentence(analysis.readability)
