"""A snapshot's readers are spoken to in the language of its wiki."""

import string
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import replace
from importlib.resources import files
from typing import Any

import pytest
import yaml

from newwiki.snapshot import Judged, Snapshot
from storage.card_words import languages, words_for
from storage.datasets_card import card

FUNNEL = [("selected", 1234, "50.0 %", None)]
BY_SA = "https://creativecommons.org/licenses/by-sa/4.0/"
# Of each language a word of its summary, and one of what whoever passes the texts on owes.
SAID = {
    "de": ("angelegt", "Permanentlink"),
    "en": ("created", "permanent link"),
    "es": ("creados", "enlace permanente"),
    "fr": ("créés", "lien permanent"),
    "it": ("create", "link permanente"),
    "ja": ("作成", "固定リンク"),
    "nl": ("aangemaakt", "permanente link"),
    "pl": ("Utworzono", "stały link"),
    "pt": ("criados", "link permanente"),
    "ru": ("созданы", "постоянную ссылку"),
    "zh": ("创建", "固定链接"),
}


@pytest.fixture
def snapshot(published: Callable[..., Snapshot], selected: Callable[..., Judged]) -> Snapshot:
    found = published(selected(7, "Lumen"))
    return replace(found, licence="CC BY-SA 4.0", licence_url=BY_SA, articles=1234, candidates=5678)


def read(code: str) -> dict[str, Any]:
    return tomllib.loads((files("storage") / "data_cards" / f"{code}.toml").read_text("utf-8"))


def sentences(of: dict[str, Any], under: str = "") -> Iterator[tuple[str, str]]:
    for name, one in of.items():
        if isinstance(one, dict):
            yield from sentences(one, f"{under}{name}.")
        else:
            yield f"{under}{name}", one


def blanks(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}


@pytest.mark.parametrize("code", [code for code in SAID if code != "en"])
def test_each_language_says_what_english_says(code: str) -> None:
    english = {name: blanks(one) for name, one in sentences(read("en")) if name != "missing"}
    assert {name: blanks(one) for name, one in sentences(read(code))} == english
    assert all(one for _, one in sentences(read(code)))
    same = {name for name, one in sentences(read(code)) if dict(sentences(read("en")))[name] == one}
    assert same <= {"thousands", "headings.pages", "headings.verdict", "headings.parameters"}


@pytest.mark.parametrize("code", SAID)
def test_a_card_is_in_the_language_of_its_wiki(snapshot: Snapshot, code: str) -> None:
    _, head, text = card(replace(snapshot, language=code), FUNNEL, [], loaded=False).split("---\n", 2)
    assert yaml.safe_load(head)["language"] == [code]
    assert yaml.safe_load(head)["license"] == "cc-by-sa-4.0"
    assert "configs" not in yaml.safe_load(head)
    assert all(word in text for word in SAID[code])
    assert f"[CC BY-SA 4.0]({BY_SA})" in text and "`permalink`" in text
    assert words_for(code).number(1234) in text


def test_there_are_words_for_these_languages() -> None:
    assert languages() == sorted(SAID)


def test_a_language_without_words_is_told_so_in_english(snapshot: Snapshot) -> None:
    text = card(replace(snapshot, language="sv"), FUNNEL, [], loaded=False)
    assert "There are no words for a card in the wiki's language (`sv`) yet, so this one is in English." in text
    assert "There are no words" not in card(replace(snapshot, language=None), FUNNEL, [], loaded=False)


def test_a_variant_is_its_language(snapshot: Snapshot) -> None:
    assert "criados" in card(replace(snapshot, language="pt-BR"), FUNNEL, [], loaded=False)
