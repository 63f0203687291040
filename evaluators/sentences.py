"""Split a text into sentences, and count the distinct ones.

Scores split any text, generated or not and however broken, by the rules of `newwiki.text.sentences` for the text's
language. Two modules have other tasks: `newwiki.decoding.sentence_end` judges a text whose next word is not known yet,
with the same table of abbreviations; `counts` counts sentences as the readability formulas do, without locating them.
"""

from evaluators.analysis import Analysis
from newwiki.records import Metric, Unscorable
from newwiki.registry import evaluator
from newwiki.text.sentences import SENTENCES_VERSION, rules_for, sentence_ends, sentence_spans


@evaluator(
    metrics=[
        Metric(
            "distinct_sentences",
            unit="sentences",
            minimum=1.0,
            maximum=None,
            direction="higher",
            definition="sentences, those that are the same but for white space counted once",
            source="Massarelli et al. 2020, table 4",
        )
    ],
    version="1",
    parameters={"sentences": SENTENCES_VERSION},
)
def distinct_sentences(analysis: Analysis, reference: Analysis) -> int | Unscorable:
    """Return the number of distinct sentences, 1 and up, higher is less repetitive.

    Source: Massarelli et al. 2020, How decoding strategies affect the verifiability of generated text, table 4. The
    paper splits with spaCy and does not define when two sentences are the same or how a cut-off end is treated: here
    case and punctuation count, white space does not, and a last sentence without its end counts. Pitfalls: it grows
    with length (the paper's texts have about five sentences); a text without any sentence end has no score.
    """
    if analysis.wordless:
        return Unscorable("no words")
    return len(set(split_sentences(analysis.text, analysis.language))) or Unscorable("no sentence end")


def split_sentences(text: str, language: str | None) -> list[str]:
    """Return the sentences in order, with single spaces for white space; none if the text has no sentence end at all.

    `language` is the code of the text's language; the sentences are those of `newwiki.text.sentences`. Linear in the
    length of the text.
    """
    spans = list(sentence_spans(text, rules_for(language)))
    return [" ".join(text[start:end].split()) for start, end, _ in spans] if any(ended for *_, ended in spans) else []


def first_sentence_of(text: str, language: str | None) -> tuple[str, bool]:
    """Return the beginning of a text up to its first sentence end or the end of its line, by the rules of
    `split_sentences`, with single spaces for white space; and whether there is such an end."""
    line, broken, _ = text.lstrip().partition("\n")
    end = next(sentence_ends(line, rules_for(language)), None)
    return " ".join(line[:end].split()), end is not None or bool(broken)
