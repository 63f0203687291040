"""Turn a text into claims: its sentences, with the subject named where they only refer to it."""

import re
from functools import cache
from typing import TYPE_CHECKING

from evaluators.claims.claim import Claim
from newwiki.text.sentences import rules_for, sentence_spans

if TYPE_CHECKING:
    from spacy.language import Language

# Raise it whenever a text may have other claims.
SENTENCE_PROCESSING_VERSION = "2"
SENTENCE_PROCESSING_PACKAGES = ("spacy",)
LONGEST_CLAIM = 50  # tokens
_LONGEST_WORD = 1_000  # characters; a claim with a longer word cannot be checked anyway

_PRONOUN = re.compile(r"(?:(He|She|It|They)|(His|Her|Its|Their))\b")
_DETERMINER_AND_WORD = re.compile(r"The ([^\W\d_]+)")
_POSSESSIVE = re.compile(r"['’]s?(?!\w)")
_DISAMBIGUATION = re.compile(r"(?<=\S) \([^()]*\)$")
_NEXT_WORD = re.compile(r" ([^\W\d_]+)")
_REGULAR_PAST = re.compile(r"[^\W\d_]{2,}ed")
_SURROGATE = re.compile("[\ud800-\udfff]")  # which spaCy cannot store
_NO_NOUN = "first second third last next latter former other others same rest most two three four"
_NO_NOUNS = frozenset(_NO_NOUN.split())
_FOLLOWS_A_NOUN = """
    is are was were be has have had does do did can could may might must shall should will would
    became began bore brought built came chose cost cut drew fell felt fought found gave got grew held kept knew laid
    lay led left lost made met paid put ran read rose said sank saw sent set shut sold spent stood took told went woke
    won wore wrote
    also first later never now often once soon still then
"""
_FOLLOW_NOUNS = frozenset(_FOLLOWS_A_NOUN.split())


def claims_of(text: str, title: str, language: str | None = None) -> list[Claim]:
    """Return the sentences of a text about `title` in order, as they are checked.

    They are split by `newwiki.text.sentences` in the text's language; the last one may be cut off. At the beginning of
    a sentence

    - the title replaces He, She, It and They, and the title with 's replaces His, Her, Its and Their; - it also
    replaces "The" and a noun. The word after "The" counts as a noun if it is in lower case and is followed by a finite
    verb, by an adverb before one, or by a possessive mark: "The botanist described", "The bridge's".

    The title is used without its disambiguation, as in "Mercury (planet)". A sentence of more than 50 tokens (spaCy's
    English tokenizer, on the original sentence) is not checkable.

    Source: Massarelli et al. 2020, How decoding strategies affect the verifiability of generated text, section 5,
    "Sentence Processing". Unlike the paper, this uses no coreference model, which would resolve pronouns anywhere in a
    sentence to whomever the text named last. Here every pronoun at the beginning is the article's subject, so "He
    married …" after a sentence about somebody's father becomes a claim about the subject, "It is said that" also begins
    with the title, and a pronoun within a sentence stays. The paper replaces each noun after "The"; this does so only
    where it recognizes a noun without a model, with the paper's consequence: "The war ended" becomes a claim about the
    subject's end. "The first woman", "The old bridge" and "The capital of" stay, where a tagger could find the noun; a
    proper noun ("The Admiralty") names its own subject. Pronouns and "The" are English: texts in other languages are
    split and counted, and replacements in them happen only by chance.
    """
    subject = _DISAMBIGUATION.sub("", title)
    return [
        Claim(
            sentence=number,
            start=start,
            end=end,
            text=_naming(subject, sentence),
            checkable=not _longer(sentence, LONGEST_CLAIM),
        )
        for number, (start, end, _) in enumerate(sentence_spans(text, rules_for(language)))
        for sentence in [" ".join(text[start:end].split())]
    ]


def _naming(subject: str, sentence: str) -> str:
    """Replace a reference to the subject at the beginning of the sentence by the subject's name."""
    if pronoun := _PRONOUN.match(sentence):
        return subject + ("'s" if pronoun[2] else "") + sentence[pronoun.end() :]
    noun = _DETERMINER_AND_WORD.match(sentence)
    if not noun or not noun[1].islower() or noun[1] in _NO_NOUNS:
        return sentence
    after = sentence[noun.end() :]
    if possessive := _POSSESSIVE.match(after):
        return f"{subject}'s{after[possessive.end() :]}"
    following = _NEXT_WORD.match(after)
    is_verb = following and (following[1] in _FOLLOW_NOUNS or _REGULAR_PAST.fullmatch(following[1]))
    return subject + after if is_verb else sentence


def _longer(sentence: str, tokens: int) -> bool:
    """Tell whether it has more than this many tokens. spaCy's tokenizer splits words and joins none, and its time grows
    with the square of a word's length. So sentences with too many words or overlong words are not tokenized."""
    words = sentence.split()
    if len(words) > tokens or any(len(word) > _LONGEST_WORD for word in words):
        return True
    return len(_english().make_doc(_SURROGATE.sub("\N{REPLACEMENT CHARACTER}", sentence))) > tokens


@cache
def _english() -> "Language":
    import spacy

    return spacy.blank("en")
