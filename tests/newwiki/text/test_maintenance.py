"""Maintenance templates of a page, and what comments of the deletion log say."""

import hashlib
import json
import time

import pytest

from newwiki.selection import RULES
from newwiki.text.deletion_log import Reason, read_reason
from newwiki.text.language import Language, load_language
from newwiki.text.maintenance import Tag, read_tags, rejecting

LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "pl", "ru", "ja", "zh")
KINDS = {"machine_generated", "copyright", "deletion", "hoax", "under_construction"}


def kinds(wikitext: str, code: str = "en") -> list[str]:
    return [tag.kind for tag in read_tags(wikitext, load_language(code))]


def test_a_tag_is_stored_as_it_is_written(english: Language) -> None:
    text = "{{ai-generated\n|date=June 2026|certain=yes}}\n'''Lumen''' is a river.{{citation needed}}"
    assert read_tags(text, english) == (
        Tag("machine_generated", "Ai-generated", "{{ai-generated\n|date=June 2026|certain=yes}}"),
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", []),
        ("{{AI-generated}}", ["machine_generated"]),
        ("{{AI_generated|date=May 2026}}", ["machine_generated"]),
        ("{{ Llm }}", ["machine_generated"]),
        ("{{db-g15}}", ["machine_generated", "deletion"]),
        ("{{Prod llm/dated|timestamp=1}}", ["machine_generated", "deletion"]),
        ("{{Db-g12|url=https://a.example}}", ["copyright", "deletion"]),
        ("{{db-multi|G11|A7}}", ["deletion"]),
        ("{{Article for deletion/dated|page=A}}", ["deletion"]),
        ("{{Proposed deletion/dated|concern=a {{tl|b}}}}", ["deletion"]),
        ("{{copyvio|https://a.example}}", ["copyright"]),
        ("{{Hoax|date=May 2026}}{{in use}}", ["hoax", "under_construction"]),
        ("{{Multiple issues|\n{{AI-generated|date=May 2026}}\n{{hoax}}}}", ["machine_generated", "hoax"]),
        ("{{AI-generated<!-- so it seems -->|date=May 2026}}", ["machine_generated"]),
        ("<!-- {{hoax}} --> <nowiki>{{copyvio}}</nowiki> <pre>{{db}}</pre>", []),
        ("{{AI-generated", []),
        ("{{Infobox prod}} [[AI-generated]] {{copyvio-revdel}} {{AI-retrieved source}}", []),
        ("{{{AI-generated|}}}", []),
    ],
)
def test_templates_are_known_by_their_names(text: str, found: list[str]) -> None:
    assert kinds(text) == found


@pytest.mark.parametrize(
    ("code", "text", "found"),
    [
        ("de", "{{Löschantragstext|tag=1|monat=Mai|jahr=2026}}", ["deletion"]),
        ("de", "{{Löschen|1=Kein Artikel.}}{{URV}}{{In Bearbeitung}}", ["deletion", "copyright", "under_construction"]),
        ("fr", "{{Suppression Immédiate|motif}}{{En travaux}}", ["deletion", "under_construction"]),
        ("fr", "{{Copie à vérifier}}{{Canular}}", ["copyright", "hoax"]),
        ("es", "{{destruir|G3}}{{Plagio|url}}{{En obras}}", ["deletion", "copyright", "under_construction"]),
        ("it", "{{Cancella subito|9}}{{WIP open}}{{Controlcopy}}", ["deletion", "under_construction", "copyright"]),
        ("pt", "{{ESR|motivo}}{{Em construção}}", ["deletion", "under_construction"]),
        ("nl", "{{nuweg|reden}}{{meebezig}}{{auteur}}", ["deletion", "under_construction", "copyright"]),
        ("pl", "{{ek|powód}}{{W edycji}}{{NPA}}", ["deletion", "under_construction", "copyright"]),
        ("ru", "{{К удалению|2026-05-01}}{{Пишу}}", ["deletion", "under_construction"]),
        ("ru", "{{Уд-копивио}}", ["copyright", "deletion"]),
        ("ja", "{{即時削除|全般4}}{{工事中}}", ["deletion", "under_construction"]),
        ("ja", "{{AI生成|date=2026年8月}}", ["machine_generated"]),
        ("zh", "{{d|G3}}{{Copyvio|url}}{{工事中}}", ["deletion", "copyright", "under_construction"]),
    ],
)  # fmt: skip
def test_each_wikipedia_has_its_own_names(code: str, text: str, found: list[str]) -> None:
    assert kinds(text, code) == found


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_lists_are_in_lower_case_without_underscores_and_name_no_ordinary_template(code: str) -> None:
    language = load_language(code)
    assert set(language.article_tags) == KINDS
    names = [name for names in language.article_tags.values() for name in names]
    assert all(name == name.lower() and "_" not in name and name.strip(" *") for name in names)
    used = [*language.templates, *(name.replace("*", "x") for name in language.citation_templates)]
    assert not [name for name in used if read_tags(f"{{{{{name}}}}}", language)]


def test_a_page_of_both_kinds_is_rejected_for_copyright(english: Language) -> None:
    tag = rejecting(read_tags("{{db-a7}} {{copyvio}} {{hoax}}", english))
    assert tag and (tag.kind, tag.written) == ("copyright", "{{copyvio}}")
    assert rejecting(read_tags("{{AI-generated}} {{hoax}} {{in use}}", english)) is None


@pytest.mark.parametrize("piece", ["{{", "{{db", "{{db|", "{{a ", "{{\n", "}}", "{{AI-generated}}", "<nowiki>{{"])
def test_reading_is_linear(english: Language, piece: str) -> None:
    started = time.perf_counter()
    read_tags(piece * (400_000 // len(piece)), english)
    assert time.perf_counter() - started < 2


# The names that decide which pages a snapshot has. If they change, raise RULES and write the new hash here.
REJECTING = "b5050cde46a3577d"


def test_other_names_that_reject_pages_are_another_version_of_the_rules() -> None:
    names = [
        [code, kind, sorted(load_language(code).article_tags[kind])]
        for code in sorted(LANGUAGES)
        for kind in ("copyright", "deletion")
    ]
    digest = hashlib.sha256(json.dumps(names).encode()).hexdigest()[:16]
    assert (RULES, digest) == (3, REJECTING)


@pytest.mark.parametrize(
    ("code", "comment", "reason"),
    [
        ("en", "", Reason(None, None, ())),
        ("en", "[[WP:CSD#G15|G15]]: [[WP:LLM|LLM]]-generated page without human review",
         Reason("speedy", "G15", ("machine_generated",))),
        ("en", "G15", Reason("speedy", "G15", ("machine_generated",))),
        ("en", "[[WP:G5]]: Mass deletion of pages", Reason("speedy", "G5", ())),
        ("en", "[[WP:CSD#G12|G12]]: Unambiguous [[WP:CV|copyright infringement]] of a.example",
         Reason("speedy", "G12", ("copyright",))),
        ("en", "[[WP:CSD#A7|A7]]: Article about a band", Reason("speedy", "A7", ())),
        ("en", "[[Wikipedia:Articles for deletion/The A7 road]]", Reason("discussion", None, ())),
        ("en", "Expired [[WP:PROD|PROD]], concern was: unsourced", Reason("proposed", None, ())),
        ("en", "content was: 'the A7 is a road'", Reason(None, None, ())),
        ("en", "[[WP:CSD#G3|G3]]: Blatant [[WP:Do not create hoaxes|hoax]]", Reason("speedy", "G3", ("hoax",))),
        ("de", "KI-generierter Artikel", Reason(None, None, ("machine_generated",))),
        ("de", "[[WP:SLA|SLA]]: Kein Artikel", Reason("speedy", None, ())),
        ("de", "Entscheidung der Löschdiskussion", Reason("discussion", None, ())),
        ("fr", "Suite au débat d'admissibilité", Reason("discussion", None, ())),
        ("es", "G3: bulo", Reason("speedy", "G3", ("hoax",))),
        ("it", "[[WP:IMMEDIATA|C4]]: contenuto promozionale", Reason("speedy", "C4", ())),
        ("pt", "[[WP:ER#20|20]]: violação de direitos autorais", Reason("speedy", "20", ("copyright",))),
        ("nl", "Te beoordelen pagina's", Reason("discussion", None, ())),
        ("pl", "[[WP:EK|EK]]: NPA", Reason("speedy", None, ("copyright",))),
        ("ru", "[[ВП:КБУ#О9]]", Reason("speedy", "О9", ())),
        ("ru", "[[Википедия:К удалению/1 мая 2026]]", Reason("discussion", None, ())),
        ("ja", "[[WP:CSD#全般4|全般4]] 宣伝", Reason("speedy", "全般4", ())),
        ("ja", "[[Wikipedia:削除依頼/ルーメン川]] により削除", Reason("discussion", None, ())),
        ("zh", "[[WP:CSD#G3|G3]]: 惡作劇", Reason("speedy", "G3", ("hoax",))),
    ],
)  # fmt: skip
def test_a_comment_says_how_and_why_a_page_was_deleted(code: str, comment: str, reason: Reason) -> None:
    assert read_reason(comment, load_language(code)) == reason
