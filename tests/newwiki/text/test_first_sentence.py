import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from newwiki.text.first_sentence import first_sentence, list_share, why_no_sentence
from newwiki.text.language import Language, load_language

PIECES = [
    "He",
    "sang",
    "U.S.",
    "Dr.",
    "3.5",
    "(",
    ")",
    "[",
    "]",
    '"',
    "”",
    ".",
    "!",
    "?",
    "…",
    "。",
    "؟",
    " ",
    "\n",
    "🙂",
]


@pytest.mark.parametrize(
    ("first", "rest"),
    [
        ("The river runs to the sea.", " It is long."),
        ("Is it long?", " Yes."),
        ("Go!", " He went."),
        ("It went on…", " Then it ended."),
        ("Wait?!", " No."),
        ("It cost 3.5 million at 5.30.", " It paid."),
        ("The site is wiki.example and the file a.txt.", " It is small."),
        ("He was born on 1 Jan. 1900 to Mr. and Mrs. Smith.", " She sang."),
        ("Dr. Smith met Prof. Jones, Rev. Brown and St. John.", " They left."),
        ("Acme Inc. and Foo Ltd. v. Bar Co. is a case.", " It ended."),
        ("See fig. 3, vol. 2, no. 5, pp. 3 and c. 1900.", " It ends."),
        ("J. R. R. Tolkien wrote it.", " He was English."),
        ("Harry S. Truman led.", " He won."),
        ("É. Zola wrote it.", " He was French."),
        ("The U.S. Army came.", " It saw."),
        ("He lived in the U.S.", " The army came."),
        ("St. Petersburg F.C. Zenit is a club.", " It plays."),
        ("He left at 5 p.m.", " They stayed."),
        ("He (born 1. Jan. He lived.) sang.", " He left."),
        ("Lumen [Eng. Light! Bright.] is a river.", " It is long."),
        ('He said "Go."', " Then he left."),
        ('He said "Go away!" and left.', " She stayed."),
        ("“Go.”", " He went."),
        ("He wrote Mamma Mia! in 1999.", " It was played."),
        ("He (at last.) left.", " She stayed."),
        ("He left.)", " She stayed."),
        ("He (never closed it.", " He went on."),
        ("这是一条河。", "它很长。"),
        ("إنها مدينة؟", " نعم."),
        ("הנהר ארוך.", " הוא יפה."),
        ("यह नदी है।", " यह लंबी है।"),
        ("He 🙂 sang.", " 🙂"),
    ],
)
def test_the_first_sentence_ends_where_a_reader_ends_it(english: Language, first: str, rest: str) -> None:
    assert first_sentence(first + rest, english) == first


@pytest.mark.parametrize(
    "text", ["", " ", "word", ".", "no end mark", "It ends with etc.", "J. R. R.", "e.g. this and that", "("]
)
def test_a_paragraph_without_an_end_is_one_sentence(english: Language, text: str) -> None:
    assert first_sentence(text, english) == text


def test_the_last_mark_of_a_paragraph_ends_it(english: Language) -> None:
    assert first_sentence("He worked for Acme Inc.", english) == "He worked for Acme Inc."


def test_a_sentence_goes_on_where_a_small_letter_follows(english: Language) -> None:
    assert first_sentence("Yahoo! is a firm. It sells.", english) == "Yahoo! is a firm."
    assert first_sentence('"Why?" he asked. She left.', english) == '"Why?" he asked.'


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_the_first_sentence_begins_the_paragraph_and_is_empty_only_with_it(paragraph: str) -> None:
    sentence = first_sentence(paragraph, load_language("en"))
    assert paragraph.startswith(sentence)
    assert bool(sentence) == bool(paragraph)


def test_a_long_paragraph_is_read_to_its_first_end(english: Language) -> None:
    opening = "He met them vs. others and e.g. those " * 5000
    assert first_sentence(opening + "there. Then he left. " * 5000, english) == opening + "there."


def test_real_articles_begin_with_a_sentence(english: Language, beside: Callable[[str], Path]) -> None:
    """An article's first sentence has a verb's length and an end: fewer than one in fifty has not."""
    articles = json.loads(beside("articles/wikipedia_english_20240915to20240930.json").read_text())
    leads = [next((line for line in article.splitlines() if len(line.split()) > 15), "") for article in articles]
    sentences = [first_sentence(lead, english) for lead in leads if lead]
    odd = [sentence for sentence in sentences if len(sentence.split()) < 4 or sentence[-1] not in ".!?\"”')]:"]
    assert len(sentences) > 900
    assert len(odd) < len(sentences) / 50, odd


@pytest.mark.parametrize(
    ("first", "rest"),
    [
        ("The firm a.k.a. Acme Ltd. of St. John's ran.", " It ended."),
        ("Engine No. 4 came c. 1400 vs. No. 5, e.g. Lumen.", " It ran."),
        ("It runs on .NET and on Windows.", " It is old."),
        ("He met Louis XIV.", " They spoke."),
        ("The 1990–91 Swiss 1. Liga was the 59th season.", " It began."),
        ("Union 1861 e. V. is a club in the city.", " It plays."),
        ("Drs. H. Wahid HK, M.M., M.Si was a politician.", " He led."),
        ("He (called A. A. Milne Jr.) chose plan B.", " The plan failed."),
        ("He worked for Acme Inc.", " The firm was old."),
        ("Yahoo! Inc. was a firm.", " It sold."),
    ],
)
def test_abbreviations_initials_and_names_do_not_end_it(english: Language, first: str, rest: str) -> None:
    assert first_sentence(first + rest, english) == first


@pytest.mark.parametrize(
    ("code", "first", "rest"),
    [
        ("de", "Er wurde am 3. Mai 1900 als Sohn von Dr. h. c. Braun geboren.", " Er starb früh."),
        ("de", "Wilhelm II. war von 1888 bis 1918 Kaiser, z. B. in Berlin.", " Er floh."),
        ("fr", "M. Dupont naît v. 50 av. J.-C. à Rome.", " Il meurt jeune."),
    ],
)
def test_german_and_french_sentences_end_as_theirs(code: str, first: str, rest: str) -> None:
    assert first_sentence(first + rest, load_language(code)) == first


@pytest.mark.parametrize(
    ("sentence", "reason"),
    [
        ("The Lumen is a long river.", None),
        ("The Lumen is long.", "the first sentence has 4 of 6 words"),
        ("View of the old town from the west.", "the first sentence has no verb"),
    ],
)
def test_a_first_sentence_has_six_words_and_a_verb(english: Language, sentence: str, reason: str | None) -> None:
    assert why_no_sentence(sentence, english) == reason


def test_no_good_first_sentence_of_a_real_article_is_refused(english: Language, beside: Callable[[str], Path]) -> None:
    """Of 1,000 new articles at most 25 are refused: captions, hatnotes and sentences under six words."""
    articles = json.loads(beside("articles/wikipedia_english_20240915to20240930.json").read_text())
    leads = [next((line for line in article.splitlines() if len(line.split()) > 15), "") for article in articles]
    sentences = [first_sentence(lead, english) for lead in leads if lead]
    refused = [s for s in sentences if why_no_sentence(s, english)]
    assert len(refused) <= 25, refused
    assert [s for s in refused if len(s.split()) >= 6 and {"is", "was", "are", "were"} & set(s.split())] == []


@pytest.mark.parametrize(
    ("title", "sentence", "reason"),
    [
        ("Lumen", "the Lumen is a long river there.", "begins with a small letter"),
        ("The Lumen", "the old bed is of a long river.", "begins with a small letter"),
        ("Lumen", "and it is a long river there.", "begins with a small letter"),
        ("Lumen", "(born 1900) was a long river there.", "begins with a small letter"),
        ("Lumen", "élan is what a long river has.", "begins with a small letter"),
        ("Lumen", ", a river, is one of the longest.", "begins with ','"),
        ("Lumen", "; it is one of the longest rivers.", "begins with ';'"),
        ("Lumen", ") is one of the longest rivers there.", "begins with ')'"),
        ("Lumen", "– is one of the longest rivers there.", "begins with '–'"),
        ("Lumen", ". It is one of the longest rivers.", "begins with '.'"),
        ("Lumen", "Song of the Lumen” is a song of 1900.", "begins within a quotation"),
        ("Lumen", 'Lumen of the North," he said, and it was so.', "begins within a quotation"),
        ("Lumen", "” is a song that she sang in 1900.", "begins within a quotation"),
        ("IPhone", "iPhone is a telephone made by a firm.", None),
        ("IPhone", "the iPhone is a telephone made by a firm.", "begins with a small letter"),
        ("EBay", "eBay Inc. is a firm that sells things.", None),
        ("Ebay", "ebay is a firm that sells things.", None),
        ("K.d. lang", "k.d. lang is a singer from the north.", None),
        ("Bell hooks", "bell hooks was a writer from the south.", None),
        ("X86 architecture", "x86 was made by a firm in 1978.", None),
        ("De Lumen (painter)", "“de Lumen” was a painter of the north.", None),
        ("The The", "the The is a band of the north.", None),
        ("'s-Hertogenbosch", "'s-Hertogenbosch is a city in the south.", None),
        ("Vaccine", "mRNA vaccines are made of a messenger's code.", None),
        ("!!!", "!!! is a band from the north of it.", None),
        (".NET", ".NET is a framework made by a firm.", None),
        ("And Justice", "...And Justice is a record made in 1988.", None),
        ("Single", '12" is the size of a record there.', None),
        ("Lumen", "“Lumen” is a song that she sang.", None),
        ("Lumen", '"Lumen" is a song that she sang.', None),
        ("Lumen", "„Lumen“ is a song, »Lumen« is one too.", None),
        ("Lumen", "« Lumen » is a song that she sang.", None),
        ("Al Berg", 'Al "The Hill" Berg (5\' 11") was a man.', None),
        ("Lumen", "[The] Lumen is a long river there.", None),
        ("Georgia", "საქართველო is a state in the Caucasus there.", None),
        ("Lumen", "نهر is a word that they use there.", None),
        ("Lumen", "河流 is a word that they use there.", None),
        ("Lumen", "¿Lumen? is a song that she sang.", None),
        ("Lumen", "1900 was the year of the river there.", None),
    ],
)
def test_a_first_sentence_begins_like_a_sentence(
    english: Language, title: str, sentence: str, reason: str | None
) -> None:
    assert why_no_sentence(sentence, english, title) == (reason and f"the first sentence {reason}")


def test_no_real_article_begins_otherwise(english: Language, beside: Callable[[str], Path]) -> None:
    articles = json.loads(beside("articles/wikipedia_english_20240601to20240615.json").read_text())
    leads = [next((line for line in article.splitlines() if len(line.split()) > 15), "") for article in articles]
    reasons = [why_no_sentence(first_sentence(lead, english), english) for lead in leads if lead]
    assert len(reasons) > 900
    assert [reason for reason in reasons if reason and "begins" in reason] == []


@pytest.mark.parametrize(
    "unit",
    [
        "Mr. ", "A. ", "U.S. ", "e.g. ", "No. 5 ", "3. ", "A! ", "(a. ", "[a. ", "Mr. (", '"a. ', "“Mr. ", ").", ". ",
        "... ", ".", "!", '."', ".” ", "。", "。a", "a. b", "Mr.\n", "Yahoo! Inc. ", "x", " ",
    ],
    ids=repr,
)  # fmt: skip
def test_a_sentence_of_any_length_is_found_in_time_that_grows_as_it_does(english: Language, unit: str) -> None:
    """A second or so; where each end looks at the whole paragraph, half a minute."""
    paragraph = unit * (400_000 // len(unit))
    start = time.process_time()
    sentence = first_sentence(paragraph, english)
    assert paragraph.startswith(sentence)
    why_no_sentence(sentence, english, "Mr. Lumen")
    list_share(paragraph)
    assert time.process_time() - start < 10
