"""Templates are requested in batches that fit into an address, and taken as of the cutoff."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from newwiki.errors import TransientError
from newwiki.snapshot import TemplateSource
from newwiki.sources.template_texts import read_templates

CUTOFF = datetime(2026, 10, 1, tzinfo=UTC)


def page(title: str, *revisions: tuple[int, str, str | None]) -> dict[str, Any]:
    return {
        "title": title,
        "pageid": len(title),
        "revisions": [
            {"revid": rev_id, "timestamp": f"{day}T00:00:00Z", "slots": {"main": _slot(text)}}
            for rev_id, day, text in revisions
        ],
    }


def _slot(text: str | None) -> dict[str, Any]:
    return {"texthidden": True} if text is None else {"content": text}


class Asked:
    """The part of `Api` that is used, with answers made before; each is a list of rounds."""

    batch = 50
    url = "https://wiki.example/w/api.php"

    def __init__(self, *answers: list[dict[str, Any]]) -> None:
        self._answers = list(answers)
        self.asked: list[dict[str, Any]] = []

    def query(self, kind: str, /, **parameters: Any) -> Iterator[dict[str, Any]]:
        assert kind == "templates"
        self.asked.append(parameters)
        yield from self._answers.pop(0)


def read(wiki: Any, *titles: str) -> list[TemplateSource]:
    return [template for batch in read_templates(wiki, titles, CUTOFF) for template in batch]


def test_a_template_is_taken_as_it_was_at_the_cutoff() -> None:
    wiki = Asked(
        [
            {
                "normalized": [{"from": "Template:A", "to": "Vorlage:A"}],
                "pages": [
                    page("Vorlage:A", (7, "2026-09-30", "old")),
                    page("Template:Later", (9, "2026-10-02", "new")),
                    page("Template:Hidden", (5, "2026-01-01", None)),
                    {"title": "Template:Gone", "missing": True},
                    {"title": "Template:Not a title", "invalid": True},
                ],
            }
        ],
        [{"pages": [page("Template:Later", (8, "2026-10-01", "then"))]}],
    )
    assert read(wiki, "A", "Later", "Hidden", "Gone", "Not a title") == [
        TemplateSource("A", 7, "old"),
        TemplateSource("Later", 8, "then"),
        TemplateSource("Hidden"),
        TemplateSource("Gone"),
        TemplateSource("Not a title"),
    ]
    assert wiki.asked[1]["rvstart"] == "2026-10-01T00:00:00Z"


def test_a_template_that_began_after_the_cutoff_was_not_there() -> None:
    wiki = Asked([{"pages": [page("Template:A", (9, "2026-10-02", "new"))]}], [{"pages": [{"title": "Template:A"}]}])
    assert read(wiki, "A") == [TemplateSource("A")]


def test_an_answer_in_rounds_is_put_together() -> None:
    first = {"pages": [page("Template:A", (1, "2026-01-01", "a")), {"title": "Template:B"}]}
    second = {"pages": [{"title": "Template:A"}, page("Template:B", (2, "2026-01-01", "b"))]}
    assert read(Asked([first, second]), "A", "B") == [TemplateSource("A", 1, "a"), TemplateSource("B", 2, "b")]


def test_a_template_that_the_wiki_leaves_out_is_an_error() -> None:
    with pytest.raises(TransientError, match="left out the template 'B'; try again"):
        read(Asked([{"pages": [page("Template:A", (1, "2026-01-01", "a")), {"title": "Template:B"}]}]), "A", "B")


@pytest.mark.parametrize(("title", "requests"), [("A template", 3), ("Шаблон с длинным именем", 5)])
def test_an_address_holds_fifty_titles_or_fewer_long_ones(title: str, requests: int) -> None:
    titles = [f"{title} {number}" for number in range(120)]
    answer = [{"pages": [{"title": f"Template:{each}", "missing": True} for each in titles]}]
    wiki = Asked(*[answer] * requests)
    assert read(wiki, *titles) == [TemplateSource(each) for each in titles]
    assert len(wiki.asked) == requests
