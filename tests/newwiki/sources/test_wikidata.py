"""Claims as Wikidata's API gives them (the shapes of `wbgetentities` with formatversion 2)."""

import json
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
import responses

from newwiki.errors import TransientError
from newwiki.sources.wikidata import Wikidata, coarse_types

URL = "https://wikidata.example/w/api.php"
# Of each item or class its statements: (property, value, rank)
Statements = Mapping[str, list[tuple[str, str | None, str]]]


def statement(prop: str, value: str | None, rank: str) -> dict[str, Any]:
    known = {
        "snaktype": "value",
        "datavalue": {"value": {"entity-type": "item", "id": value}, "type": "wikibase-entityid"},
    }
    return {"mainsnak": {"property": prop, **(known if value else {"snaktype": "somevalue"})}, "rank": rank}


def entity(name: str, entities: Statements) -> dict[str, Any]:
    if name not in entities:
        return {"id": name, "missing": True}
    claims: dict[str, list[Any]] = {}
    for prop, value, rank in entities[name]:
        claims.setdefault(prop, []).append(statement(prop, value, rank))
    return {"type": "item", "id": name, "claims": claims or []}


class Served:
    """A Wikidata of these entities, and what it was asked for, a list of ids each time."""

    def __init__(self, mock: responses.RequestsMock) -> None:
        self.entities: dict[str, list[tuple[str, str | None, str]]] = {}
        self.asked: list[list[str]] = []
        mock.add_callback(responses.GET, URL, self._answer)

    def instance(self, item: str, *classes: str) -> None:
        self.entities[item] = [("P31", name, "normal") for name in classes]

    def subclass(self, below: str, *above: str) -> None:
        self.entities[below] = [("P279", name, "normal") for name in above]

    def _answer(self, request: requests.PreparedRequest) -> tuple[int, dict[str, str], str]:
        asked = {name: values[0] for name, values in parse_qs(urlsplit(str(request.url)).query).items()}
        assert (asked["action"], asked["props"], asked["formatversion"]) == ("wbgetentities", "claims", "2")
        ids = asked["ids"].split("|")
        self.asked.append(ids)
        answer = {"entities": {name: entity(name, self.entities) for name in ids}, "success": 1}
        return 200, {}, json.dumps(answer)


@pytest.fixture
def served() -> Iterator[Served]:
    with responses.RequestsMock(assert_all_requests_are_fired=False) as mock:
        yield Served(mock)


@pytest.fixture
def wikidata() -> Wikidata:
    return Wikidata(URL, "me@wiki.example")


def test_an_item_has_the_classes_that_it_is_an_instance_of(served: Served, wikidata: Wikidata) -> None:
    served.instance("Q42", "Q5")
    served.instance("Q90", "Q1549591", "Q515")
    served.instance("Q7")
    assert wikidata.instance_of(["Q90", "Q42", "Q7", "Q404"]) == {
        "Q42": ("Q5",), "Q90": ("Q515", "Q1549591"), "Q7": (), "Q404": ()
    }  # fmt: skip


def test_a_preferred_statement_wins_and_a_deprecated_or_unknown_one_is_ignored(
    served: Served, wikidata: Wikidata
) -> None:
    served.entities["Q1"] = [("P31", "Q2", "normal"), ("P31", "Q3", "preferred"), ("P31", "Q4", "deprecated")]
    served.entities["Q5"] = [("P31", "Q6", "deprecated"), ("P31", None, "normal"), ("P279", "Q7", "normal")]
    assert wikidata.instance_of(["Q1", "Q5"]) == {"Q1": ("Q3",), "Q5": ()}


def test_fifty_are_asked_for_at_a_time_and_each_once(served: Served, wikidata: Wikidata) -> None:
    items = [f"Q{number}" for number in range(1, 121)]
    wikidata.instance_of(items * 2)
    assert [len(ids) for ids in served.asked] == [50, 50, 20]
    assert [name for ids in served.asked for name in ids] == items


@pytest.mark.parametrize(
    ("classes", "topic"),
    [
        (["Q5"], "Human"),
        (["Q16521"], "Taxon"),
        (["Q11424"], "Media"),
        (["Q40231"], "Event"),
        (["Q532"], "Human Settlement"),
    ],
)
def test_the_papers_types_come_of_classes_in_the_table(
    served: Served, wikidata: Wikidata, classes: list[str], topic: str
) -> None:
    assert wikidata.topics([classes]) == [topic]
    assert served.asked == []


def test_a_class_outside_the_table_is_followed_upwards(served: Served, wikidata: Wikidata) -> None:
    served.subclass("Q9000001", "Q9000002")
    served.subclass("Q9000002", "Q9000003", "Q532")
    assert wikidata.topics([["Q9000001"]]) == ["Human Settlement"]


def test_the_nearest_type_wins_and_ties_follow_the_table(served: Served, wikidata: Wikidata) -> None:
    served.subclass("Q9000001", "Q9000002", "Q11424")
    served.subclass("Q9000002", "Q5")
    served.subclass("Q9000003", "Q532", "Q40231")
    assert wikidata.topics([["Q9000001"], ["Q9000003"], ["Q532", "Q5"]]) == ["Media", "Event", "Human"]


def test_what_lies_too_far_below_or_nowhere_or_in_a_circle_is_other(served: Served, wikidata: Wikidata) -> None:
    for step in range(9000001, 9000010):
        served.subclass(f"Q{step}", f"Q{step + 1}")
    served.subclass("Q9000007", "Q532")
    served.subclass("Q9100001", "Q9100002")
    served.subclass("Q9100002", "Q9100001")
    groups = [["Q9000001"], ["Q9000002"], ["Q9100001"], ["Q9200001"], []]
    assert wikidata.topics(groups) == ["Other", "Human Settlement", "Other", "Other", None]


def test_a_class_is_asked_for_once_however_many_lie_below_it(served: Served, wikidata: Wikidata) -> None:
    for number in range(60):
        served.subclass(f"Q{9000001 + number}", "Q9100001")
    served.subclass("Q9100001", "Q5")
    groups = [[f"Q{9000001 + number}"] for number in range(60)]
    assert wikidata.topics(groups) == wikidata.topics(groups) == ["Human"] * 60
    assert [len(ids) for ids in served.asked] == [50, 10, 1]


def test_a_wikidata_that_does_not_answer_is_named(wikidata: Wikidata, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("newwiki.sources.backoff.time.sleep", lambda seconds: None)
    with responses.RequestsMock() as mock:
        mock.get(URL, status=503)
        with pytest.raises(TransientError, match=r"wikidata\.example"):
            wikidata.instance_of(["Q1"])


def test_a_class_belongs_to_one_type() -> None:
    import tomllib
    from importlib.resources import files

    table = tomllib.loads((files("newwiki.sources") / "topics.toml").read_text("utf-8"))
    assert sum(map(len, table.values())) == len(coarse_types())
    assert list(table)[:2] == ["Human", "Taxon"]
