"""What templates show by their own wikitext: as MediaWiki shows it, and the same through the API and from a dump."""

import json
import random
import re
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from newwiki.text.language import load_language
from newwiki.text.prose import extract, extract_prose
from tests import processes

from .conftest import StartWiki
from .exports import Edit, History, write_export
from .refreshing import Refreshed, environment, refresh, start
from .rendering import TEXT, rendered_words, words
from .test_two_sources import DEALT_ANEW
from .wiki import Event, Wiki

pytestmark = pytest.mark.slow

CUTOFF = datetime(2024, 6, 15, tzinfo=UTC)
REQUEST = ("--month", "2024-05", "--min-words", "60", "--min-revisions", "3", "--cutoff", "2024-06-15")

# Templates as Wikipedias have them, in the forms that need no Lua
TEMPLATES = {
    "Beds": "{{{1|some}}} beds{{#if:{{{2|}}}|&nbsp;in [[{{{2}}}]]}}<noinclude>{{Documentation}}</noinclude>",
    "Hospital beds": "#REDIRECT [[Template:Beds]]",
    "Betten": "#REDIRECT [[Template:Hospital beds]]",
    "Lang-gallic": "#REDIRECT [[Template:Lang-fr]]",
    "Lang-fr": "[[French language|French]]: ''{{{1}}}''",
    "Side": "{{#switch:{{lc:{{{1|}}}}}|n|north=the north|s=the south|#default=no side|e|east=the east}}",
    "Last is default": "{{#switch:{{{1}}}|1.0=one|two}}",
    "Falls to default": "{{#switch:{{{1}}}|a|#default=other|b=B}}",
    "Safe": "{{ {{{|safesubst:}}}#if:{{{name|}}}|named {{{name}}}|without a name}}",
    "Road": "{{Side|{{{side|n}}}}} of the {{ucfirst:{{{1|}}}}} road",
    "Piped": "[[{{{1}}}{{!}}the {{{1}}}]]",
    "Quoted part": "before<onlyinclude>only {{{1}}}</onlyinclude>after",
    "For pages": "<includeonly>shown {{{x|1}}}</includeonly><noinclude>not shown</noinclude><!-- nor this -->",
    "Sorted": '<span style="display:none">00{{{1}}}</span>{{{1}}}',
    "Filed": "[[Category:Things that are {{{1}}}]]",
    "Notice": '<div class="ambox">This is wrong: {{{1}}}</div>',
    "Table of": "{|\n| {{{1}}}\n|}",
    "Slanted": "''{{{1}}}''<ref>{{{1}}}</ref> and '''{{{2|bold}}}'''",
    "Same": "{{#ifeq:{{{1}}}|{{{2}}}|as great|not as great}}",
    "Article": "{{#ifeq:{{NAMESPACE}}|{{ns:0}}|an article|a page}}",
    "Deep": "{{#if:{{#if:{{{1|}}}|{{Side|{{{1}}}}}}}|to {{Side|{{{1}}}}}|nowhere}}",
    "Twice": "{{{1}}}, {{{1}}}",
    "Named 1": "{{{1}}}|{{{a b}}}",
    "Verbatim": "<nowiki>{{{1}}}</nowiki> signs",
}
CALLS = (
    "{{Beds|12|Rome}}", "{{beds}}", "{{Beds| 12 }}", "{{Hospital beds|7}}", "{{Betten|2=Bonn}}", "{{Side|N}}",
    "{{Side|east}}", "{{Side|x}}", "{{Side}}", "{{Last is default|1}}", "{{Last is default|3}}",
    "{{Falls to default|a}}", "{{Falls to default|b}}", "{{Falls to default|c}}", "{{Safe|name= Bo }}", "{{Safe}}",
    "{{Safe|name=}}", "{{Road|old}}", "{{Road|side=s|new}}", "{{Piped|river}}", "{{Quoted part|this}}",
    "{{For pages}}", "{{For pages|x= 2 }}", "{{Sorted|5}}", "{{Filed|red}}",
    "{{Slanted|[[Bonn|text]]}}", "{{Same|1|1.0}}", "{{Same|a|b}}", "{{Article}}", "{{Deep|n}}", "{{Deep}}",
    "{{Twice|{{Side|s}}}}", "{{Twice|a [[b|c]] d}}", "{{Named 1|x=y|1= z |a b=c}}", "{{Verbatim|1}}",
    "{{Template:Side|N}}", "{{side |n}}", "{{#if:x|yes|no}}", "{{#ifeq:1|2|yes|{{Side|s}}}}",
)  # fmt: skip
NOT_EXPANDABLE = {
    "Counted": "{{#expr:{{{1}}}+1}} things",
    "Endless": "{{Endless|{{{1}}}}}",
    "Ping": "{{Pong}}",
    "Pong": "{{Ping}}",
    "Named by": "{{ {{{1}}} }}",
    "Unbalanced": "it is {{{1}} here",
    "Half known": "a {{Never written}} b",
}
_HIDDEN = re.compile(r'<span style="display:none">[^<]*</span>')
_WORDS = ("river", "stone", "harbour", "lantern", "winter", "orchard", "council", "bridge", "market", "engine", "wood")


def _article(title: str, more: str) -> str:
    drawn = random.Random(title)
    told = " ".join(f"It has a {' '.join(drawn.choices(_WORDS, k=10))} and more." for _ in range(7))
    return f"'''{title}''' is a place in the north of the country. {told} {more}"


ARTICLES = {
    "Arlen Bridge": _article("Arlen Bridge", "It has {{Beds|12|Rome}} now. It lies on {{Road|old}}."),
    "Brunn": _article("Brunn", "It was called {{Lang-gallic|Brunne}} once. It has {{Betten|2}} left."),
    "Castle": _article("Castle", "It has {{Counted|2}} in all. It is so."),
    "Dale": _article("Dale", "It lies in the north."),
    "Edge": _article("Edge", "It lies on {{Later|1}} here. It has {{Written after|1}} there."),
}


@pytest.fixture(scope="module")
def export(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The articles of May 2024 with their templates, one of them edited after the cutoff, and one written then."""
    begun = datetime(2020, 1, 1, tzinfo=UTC)
    after = CUTOFF + timedelta(days=3)
    templates = [
        History(f"Template:{name}", [Edit(begun, text)]) for name, text in (TEMPLATES | NOT_EXPANDABLE).items()
    ]
    templates += [
        History("Template:Later", [Edit(begun, "the old road"), Edit(after, "the new road")]),
        History("Template:Written after", [Edit(after, "a road")]),
    ]
    first = datetime(2024, 5, 3, tzinfo=UTC)
    articles = [
        History(title, [Edit(first + timedelta(days=day), text) for day in range(3)])
        for title, text in ARTICLES.items()
    ]
    return write_export(tmp_path_factory.mktemp("exports") / "templates.xml", [*templates, *articles])


@pytest.fixture(scope="module")
def templated(wiki: StartWiki, export: Path) -> Wiki:
    return wiki(export)


@pytest.fixture(scope="module")
def both(templated: Wiki, export: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Refreshed, Refreshed]:
    folder = tmp_path_factory.mktemp("both")
    templated.reset()
    api = refresh(folder / "api.duckdb", "--api", templated.api_url, *REQUEST)
    (folder / "kinds.json").write_text(json.dumps(templated.kinds()))
    return api, refresh(folder / "dump.duckdb", "--dump", export, *REQUEST)


def test_a_simple_template_shows_what_mediawiki_shows(templated: Wiki) -> None:
    english = load_language("en")
    page = "\n\n".join(f"{place} it {call} was." for place, call in enumerate(CALLS))
    html = _HIDDEN.sub("", templated.rendered("Some page", page))
    shown: dict[int, list[str]] = {}
    for word in rendered_words(html, english):
        if word.kind == TEXT:
            shown.setdefault(word.paragraph, []).append(word.text)
    sources = {name: text for name, text in TEMPLATES.items() if name != "Lang-fr"}
    ours = [words(paragraph) for paragraph in extract_prose(page, english, "Some page", sources).split("\n\n")]
    assert ours == list(shown.values())
    assert len(ours) == len(CALLS)


@pytest.mark.parametrize("name", NOT_EXPANDABLE)
def test_what_needs_more_than_wikitext_stays_a_counted_hole(name: str) -> None:
    found = extract(f"It has {{{{{name}|1}}}} now.", load_language("en"), "", NOT_EXPANDABLE)
    assert found.holes == {name: 1}


def test_api_and_dump_give_the_same_texts_and_templates(both: tuple[Refreshed, Refreshed]) -> None:
    api, dump = both
    texts = {row["title"]: f"{row['first_sentence']} {row['completion']}" for row in api.rows("articles")}
    assert texts.keys() == ARTICLES.keys()
    assert texts["Arlen Bridge"].endswith("It has 12 beds in Rome now. It lies on the north of the Old road.")
    assert texts["Brunn"].endswith("It was called French: Brunne once. It has 2 beds left.")
    assert "It lies on the old road here." in texts["Edge"]
    assert api.rows("articles", DEALT_ANEW) == dump.rows("articles", DEALT_ANEW)
    assert api.rows("candidates", "page_id, rev_id") == dump.rows("candidates", "page_id, rev_id")
    assert api.rows("snapshot_templates", "rev_id") == dump.rows("snapshot_templates", "rev_id")
    assert api.content_sha256 == dump.content_sha256
    titles = {row["title"] for row in api.rows("snapshot_templates")}
    assert titles == {"Beds", "Betten", "Counted", "Hospital beds", "Lang-gallic", "Later", "Road", "Side"}
    assert json.loads(api.rows("snapshots")[0]["parameters"])["templates_sha256"]


def test_templates_cost_a_request_for_fifty(both: tuple[Refreshed, Refreshed], templated: Wiki) -> None:
    """One for those that the articles name, one for the one that was edited later, two for those within them."""
    kinds = json.loads((both[0].path.parent / "kinds.json").read_text())
    assert kinds["templates"] == 4
    assert {row["kind"]: row["requests"] for row in both[0].rows("requests")}["templates"] == 4


def test_an_interrupted_refresh_reads_no_template_and_no_page_twice(
    both: tuple[Refreshed, Refreshed], templated: Wiki, tmp_path: Path
) -> None:
    templated.reset()
    templated.faults("pass titles=", "hold titles=")
    database = tmp_path / "api.duckdb"
    process = start(database, "--api", templated.api_url, *REQUEST)
    deadline = time.monotonic() + 60
    while len(before := _titles(templated)) < 2:
        assert process.exitcode is None and time.monotonic() < deadline, "the refresh did not come to its templates"
        time.sleep(0.01)
    process.kill()
    process.join()
    templated.reset()
    again = refresh(database, "--api", templated.api_url, *REQUEST)
    assert again.content_sha256 == both[0].content_sha256
    assert not before[0] & set().union(*_titles(templated))
    assert not templated.kinds()["text"]


def _titles(wiki: Wiki) -> list[set[str]]:
    """The titles of each request for templates."""
    return [set(each.parameters["titles"].split("|")) for each in wiki.requests() if "titles" in each.parameters]


def _newwiki(folder: Path, *arguments: object) -> CompletedProcess[str]:
    return processes.run(arguments, folder, environment())


@pytest.mark.parametrize("kind", ["api", "dump"])
def test_a_rebuilt_snapshot_has_the_pinned_templates(
    both: tuple[Refreshed, Refreshed], templated: Wiki, tmp_path: Path, kind: str
) -> None:
    original = both[0]
    _newwiki(tmp_path, "snapshots", "export", "latest", "--format", "manifest", "--out", "out", "--db", original.path)
    manifest = tmp_path / "out" / "manifest.json"
    place = templated.api_url if kind == "api" else templated.export(tmp_path / "written.xml")
    ended = _newwiki(tmp_path, "snapshots", "rebuild", manifest, f"--{kind}", place, "--db", "again.duckdb")
    assert ended.returncode == 0, ended.stderr
    again = Refreshed(tmp_path / "again.duckdb")
    assert again.rows("articles") == original.rows("articles")
    assert again.rows("snapshot_templates") == original.rows("snapshot_templates")
    assert again.content_sha256 == original.content_sha256
    verified = _newwiki(tmp_path, "snapshots", "verify", "latest", "--db", "again.duckdb")
    assert verified.returncode == 0, verified.stdout
    _newwiki(tmp_path, "snapshots", "export", "latest", "--format", "manifest", "--out", "new", "--db", "again.duckdb")
    assert (tmp_path / "new" / "manifest.json").read_bytes() == manifest.read_bytes()


def test_a_revisit_keeps_the_templates_of_the_first_edition(
    both: tuple[Refreshed, Refreshed], wiki: StartWiki, export: Path, tmp_path: Path
) -> None:
    """An edit of a template is no change of an article; a changed article reads new templates as they are then."""
    changed = wiki(export)
    later = datetime(2024, 7, 1, tzinfo=UTC)
    changed.happen(
        Event(later, "edit", "Template:Beds", text="changed {{{1}}} beds"),
        Event(later, "edit", "Dale", text=ARTICLES["Dale"] + " It has {{Written after|1}} there."),
    )
    database = tmp_path / "api.duckdb"
    first = refresh(database, "--api", changed.api_url, *REQUEST)
    assert first.content_sha256 == both[0].content_sha256
    ended = _newwiki(
        tmp_path, "snapshots", "revisit", "latest", "--cutoff", "2024-07-15", "--api", changed.api_url, "--db", database
    )
    assert ended.returncode == 0, ended.stderr
    rows = Refreshed(database).rows("articles")
    editions = {row["title"]: row for row in rows if "@" in row["snapshot_id"]}
    firsts = {row["title"]: row for row in rows if "@" not in row["snapshot_id"]}
    differing = {title for title in firsts if editions[title]["completion"] != firsts[title]["completion"]}
    assert differing == {"Dale"}
    assert editions["Dale"]["completion"].endswith("It has a road there.")
