"""`rules-v1`: named entities by regular expressions, as a spaCy pipeline for machines without a trained one.

A stand-in that is asked for by name. It finds what spaCy's English pipelines call entities (names, nationalities,
dates, times, amounts, ordinals and numbers) by spelling alone and tells no kinds apart, so its numbers are near a
pipeline's and never mixed with them. Its version is the hash of this file.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc, Span

COMPONENT = "newwiki_entity_rules"
_LABEL = "ENTITY"


def load_rules() -> Language:
    """spaCy's English tokenizer, and the rules as a component that sets the entities of its documents."""
    import spacy
    from spacy.language import Language

    Language.component(COMPONENT, assigns=["doc.ents"], retokenizes=True, func=set_entities)
    nlp = spacy.blank("en")
    nlp.vocab.strings.add(_LABEL)
    nlp.add_pipe(COMPONENT)
    return nlp


def rules_sha256() -> str:
    """What tells one state of the rules from another."""
    return hashlib.sha256(Path(__file__).read_bytes()).hexdigest()


def set_entities(doc: Doc) -> Doc:
    """The document with its entities; tokens that one begins or ends within are cut there."""
    places = list(find_entities(doc.text))
    entities = _spans(doc, places)
    if None in entities:
        doc = _cut(doc, places)
        entities = _spans(doc, places)
    doc.set_ents(entities)
    return doc


def find_entities(text: str) -> Iterator[tuple[int, int]]:
    """Where each entity begins and ends, in characters and in order."""
    small_words = None
    for match in _ENTITY.finditer(text):
        found = match.group()
        if match.lastgroup == "name" and " " not in found and _starts_sentence(text, match.start()):
            # Here every word has a capital, so one that the text also writes without it is no name.
            small_words = small_words or {*_SMALL_WORD.findall(text), *_NOT_ALONE.split()}
            if found.lower() in small_words or _COMMON_ENDING.search(found):
                continue
        yield match.span()


def _starts_sentence(text: str, position: int) -> bool:
    return position == 0 or _SENTENCE_END.search(text[max(0, position - 4) : position]) is not None


def _spans(doc: Doc, places: Iterable[tuple[int, int]]) -> list[Span | None]:
    return [doc.char_span(start, end, label=_LABEL) for start, end in places]


def _cut(doc: Doc, places: Iterable[tuple[int, int]]) -> Doc:
    """The same text in tokens that none of the places begins or ends within. (A retokenizer moves all that follows a
    cut, so its time grows with the square of a long text.)"""
    from spacy.tokens import Doc

    edges = iter([*sorted({edge for place in places for edge in place}), sys.maxsize])
    edge = next(edges)
    words, spaces = [], []
    for token in doc:
        start, end = token.idx, token.idx + len(token)
        while edge < end:
            if edge > start:
                words.append(token.text[start - token.idx : edge - token.idx])
                spaces.append(False)
                start = edge
            edge = next(edges)
        words.append(token.text[start - token.idx :])
        spaces.append(bool(token.whitespace_))
    return Doc(doc.vocab, words=words, spaces=spaces)


_UPPER = "A-ZÀ-ÖØ-Þ" + "".join(
    character for character in map(chr, range(0x100, 0x530)) if character.isalpha() and character.isupper()
)
_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept|Sep|Oct|Nov|Dec)\.?)"
)
_PART = r"(?:(?:[Ee]arly|[Mm]id|[Ll]ate)[\ -])"
_WEEKDAY = r"(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?"
_SMALL = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
    r"|(?:twen|thir|for|fif|six|seven|eigh|nine)ty(?:-(?:one|two|three|four|five|six|seven|eight|nine))?)"
)
_SCALE = r"(?:hundred|thousand|million|billion|trillion)"
_DIGITS = r"\d+(?:[.,]\d+)*"
_AMOUNT = rf"(?:(?:{_DIGITS}|{_SMALL})(?:\ {_SCALE})*)"
_RANGE = rf"{_AMOUNT}(?:(?:[-–]|\ to\ ){_AMOUNT})?"
_YEAR = r"(?:1\d|20)\d\d"
_PERIOD = r"(?:seconds?|minutes?|hours?|nights?|days?|weeks?|months?|years?|decades?|centuries|century)"
_UNIT = (
    r"(?:(?:square|cubic|nautical)\ )?(?:kilomet(?:re|er)s?|centimet(?:re|er)s?|millimet(?:re|er)s?|met(?:re|er)s?"
    r"|miles?|feet|foot|yards?|inch(?:es)?|acres?|hectares?|kilograms?|tonnes?|tons?|pounds?|lit(?:re|er)s?|gallons?"
    r"|degrees?|km/h|mph|km2|km²|km|kg|cm|mm|mi|ft|ha|lb|m²|m)"
)
_CURRENCY = r"(?:dollars?|euros?|pounds\ sterling|yen|rupees?|francs?|USD|EUR|GBP)"

# A word with a capital: McDonald, Saint-Gilles, O'Brien, d'Ivoire, iPhone, U.S., J., AT&T.
_CAPITAL = (
    rf"(?:(?:[{_UPPER}]\.)+(?:[{_UPPER}]\b)?|(?:Dr|Mr|Mrs|Ms|St|Mt|Lt|Col|Gen|Sgt|Capt|Rev|Prof|Sr|Jr|Inc|Ltd|Co|No)\."
    rf"|(?:(?:[ldLDO]|al|el|Al|El)['’-])?[a-z]?[{_UPPER}]\w*(?:[-–'’&](?!s\b)\w+)*)"
)
_JOINT = r"(?:of\ the|of|de\ la|de\ los|de|del|della|di|da|dos|du|la|le|van\ der|van\ den|van|von|der|bin|ibn|&)"
_NAME = rf"{_CAPITAL}(?:(?:,\ (?=Jr|Inc|Ltd)|\ {_JOINT}\ |\ ){_CAPITAL})*(?:\ \d{{1,3}}(?![\d.,:%–-]*\d|\ {_UNIT}\b))?"

# Words that no name begins with, though they are capitalised where a sentence begins.
_FUNCTION_WORDS = """
    a about above according across additionally after afterwards against all also although among an and another
    any are around as at be because been before being below beside besides between beyond both but by can
    concerning could currently despite did do does due during each either eventually even every everyone except
    few finally following for formerly from further furthermore had has have having he hence her here hers him
    his how however i if in including indeed initially inside instead into is it its itself just later likewise
    many meanwhile more moreover most much must my nearly neither never nevertheless no nobody none nonetheless
    nor not nothing notable now of off often on once only onto or originally other others our out outside over
    overall perhaps previously prior rather recently regarding same several shall she should similarly since so
    some someone something sometimes soon still such than that the their them themselves then there thereafter
    therefore these they this those though through throughout thus to today together too toward towards under
    unlike until upon us using various very was we well were what whatever when whenever where whereas wherever
    whether which while who whom whose why will with within without would yet you your
"""
_NOT_FUNCTION = rf"(?!(?:{'|'.join(word.capitalize() for word in _FUNCTION_WORDS.split())})\b(?!\.\ ?[{_UPPER}]))"

# Words that begin names ("New York") but are none where they stand alone at the start of a sentence.
_NOT_ALONE = """
    again back based best career certain critics down earlier early first former given high history last late
    latest less located long near new next old one own part people player players plot results second see team
    three two up used
"""

_ENTITY = re.compile(
    rf"""
    (?<![\w$€£¥₹]) (?:
    (?P<plain>
        (?:US|AU|A|C|NZ|HK)?[$€£¥₹₩] \ ? {_DIGITS} (?:[-–]{_DIGITS})? (?:(?:\ |-)(?:{_SCALE}|bn)|[mk]\b|bn\b)?
      | {_AMOUNT}\ {_CURRENCY}\b
      | {_RANGE} (?:\ ?%|\ per\ ?cent\b)
      | (?:{_WEEKDAY},?\ )? \d{{1,2}}(?:st|nd|rd|th)? (?:[-–]\d{{1,2}})? \ (?:of\ )?{_MONTH} \b (?:,?\ {_YEAR}\b)?
      | (?:{_WEEKDAY},?\ )? {_MONTH}\ \d{{1,2}}(?:st|nd|rd|th)?\b (?:[-–]\d{{1,2}}\b)? (?:,?\ {_YEAR}\b)?
      | {_PART}? (?:{_MONTH}|[Ss]pring|[Ss]ummer|[Aa]utumn|[Ww]inter) (?:\ of)? ,?\ {_YEAR}\b
      | (?:{_WEEKDAY}|January|February|March|April|May|June|July|August|September|October|November|December)\b
        (?!\ [{_UPPER}])
      | {_PART}? (?:{_YEAR}s\b | (?:\d\d?(?:st|nd|rd|th)|[a-z]{{3,7}}teenth|twentieth)\ century\b)
      | {_YEAR} (?:[-–](?:\d\d){{1,2}})? \b (?![.,]\d|\ {_UNIT}\b|\ [{_UPPER}])
      | \d{{1,2}}:\d\d(?::\d\d)? (?:\ ?[aApP]\.?[mM]\b\.?)?
      | {_RANGE}[-\ ]{_PERIOD}(?:\ old|-old)?\b
      | {_RANGE}[-\ ]{_UNIT}\b
      | (?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|\d+(?:st|nd|rd|th))\b (?!-)
      | (?:(?i:{_SMALL})(?:\ {_SCALE})*\b (?!-))
    )
    | (?P<name> (?:{_YEAR}(?:[-–]\d{{2,4}})?\ )? {_NOT_FUNCTION} {_NAME} )
    | (?P<number> {_RANGE} \b )
    )
    """,
    re.VERBOSE,
)

_SENTENCE_END = re.compile(r"[\n.!?•][\s\"'“”‘’()\[\]-]*$")
_SMALL_WORD = re.compile(r"\b[a-z]+\b")
_COMMON_ENDING = re.compile(r"(?:ly|ing|ed|tion|tions|ment|ments|ness|ity)$")
