import pytest
from hypothesis import given
from hypothesis import strategies as st

from newwiki.errors import UsageError
from newwiki.text.language import Language, load_language
from newwiki.text.prompts import DEFAULT_TEMPLATE, fill, split


@pytest.mark.parametrize(
    ("prose", "sentence", "completion"),
    [
        ("One is. Two is.\n\nThree is.", "One is.", "Two is.\n\nThree is."),
        ("One is.\n\nTwo is.", "One is.", "Two is."),
        ("One is", "One is", ""),
        ("One is\n\nTwo is.", "One is", "Two is."),
        ("", "", ""),
        ("هل هي مدينة؟ نعم.", "هل هي مدينة؟", "نعم."),
    ],
)
def test_the_first_sentence_and_all_that_follows(english: Language, prose: str, sentence: str, completion: str) -> None:
    assert split(prose, english) == (sentence, completion)


WORDS = ["One", "is", "two.", "U.S.", "(", ")", "Three!", "שלום"]
PARAGRAPHS = st.lists(st.lists(st.sampled_from(WORDS), min_size=1).map(" ".join)).map("\n\n".join)


@given(PARAGRAPHS)
def test_nothing_is_lost_between_prompt_and_completion(prose: str) -> None:
    sentence, completion = split(prose, load_language("en"))
    assert "".join((sentence + completion).split()) == "".join(prose.split())
    assert prose.startswith(sentence)
    assert prose.endswith(completion)


def test_the_papers_prompt_is_title_empty_line_first_sentence() -> None:
    assert fill(DEFAULT_TEMPLATE, "Lumen", "The Lumen is a river.") == "Lumen\n\nThe Lumen is a river."


def test_braces_in_titles_and_sentences_are_text() -> None:
    assert fill("{title}: {first_sentence}", "{title}", "{0} {") == "{title}: {0} {"
    assert fill("{{x}} {title} {first_sentence}", "T", "S.") == "{x} T S."


@pytest.mark.parametrize(
    "template",
    ["", "{title}", "{first_sentence}", "{title}{title}{first_sentence}", "{}{title}{first_sentence}", "{title", "}",
     "{title}{first_sentence}{completion}", "{title.__class__}{first_sentence}", "{title:{first_sentence}}"],
)  # fmt: skip
def test_a_template_holds_title_and_first_sentence_once_each(template: str) -> None:
    with pytest.raises(UsageError, match="prompt template"):
        fill(template, "T", "S.")


@pytest.mark.parametrize("template", ["{title:d}{first_sentence}", "{title!x}{first_sentence}"])
def test_a_template_that_cannot_be_filled_is_misuse(template: str) -> None:
    with pytest.raises(UsageError, match="prompt template"):
        fill(template, "T", "S.")
