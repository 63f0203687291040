"""The papers' tables and figures are all listed, each with what answers it, and their numbers agree with the prose."""

from collections import Counter
from statistics import mean

import click
import pytest
from pydantic import ValidationError

from flows.cli import cli
from flows.pieces import metrics
from newwiki.decoding.grammar import parse
from newwiki.errors import UsageError
from newwiki.paper_metrics import PAPER
from newwiki.papers.published import Exhibit, Paper, Row, named, papers

# Counted by hand in the papers: numbered tables, numbered figures, tables of an appendix that have no number.
COUNTED = {
    "000-1": (5, 3, 0),
    "000-2": (3, 2, 0),
    "000-3": (0, 5, 0),
    "001": (3, 10, 1),
    "002": (11, 4, 0),
    "003": (4, 5, 1),
    "004": (5, 5, 0),
}
EXHIBITS = [
    pytest.param(paper, one, id=f"{paper.id} {one.name}") for paper in papers().values() for one in paper.exhibits
]


def values(row: Row) -> list[float]:
    """The numbers of a row without their spreads; nothing where the paper has none."""
    return [cell[0] if isinstance(cell, tuple) else cell for cell in row.values if cell != "-"]


def rows(paper: str, table: str, **labels: object) -> list[list[float]]:
    """The rows of a table that have these labels and no others of `less`."""
    asked = {"less": None, **labels}
    found = papers()[paper].table(table).rows
    return [values(row) for row in found if all(row.labels.get(name) == value for name, value in asked.items())]


@pytest.mark.parametrize("paper", COUNTED)
def test_every_table_and_figure_from_the_first_to_the_last_is_there(paper: str) -> None:
    tables, figures, unnumbered = COUNTED[paper]
    there = Counter((one.kind, one.number) for one in papers()[paper].exhibits)
    expected = [("table", str(number + 1)) for number in range(tables)]
    expected += [("figure", str(number + 1)) for number in range(figures)]
    assert there == Counter([*expected, *[("table", "A")] * unnumbered])


def test_every_paper_has_its_file() -> None:
    assert list(papers()) == sorted(COUNTED)
    assert [one.id for one in named("000")] == ["000-1", "000-2", "000-3"]
    assert [one.id for one in named("004")] == ["004"]
    assert papers()["003"].title == PAPER


@pytest.mark.parametrize(("paper", "exhibit"), EXHIBITS)
def test_every_decoder_is_one_of_ours(paper: Paper, exhibit: Exhibit) -> None:
    for text in {text for row in exhibit.rows for text in (row.decoder, row.against)} - {""}:
        assert len(parse(text)) == 1, text


@pytest.mark.parametrize("paper", papers().values(), ids=list(papers()))
def test_every_metric_that_is_called_ours_is_in_the_catalogue(paper: Paper) -> None:
    ours = {name for metric in paper.metrics for name in metric.here}
    assert ours - {metric.name for metric, _ in metrics()} == set()


@pytest.mark.parametrize("paper", papers().values(), ids=list(papers()))
def test_what_a_file_defines_is_used(paper: Paper) -> None:
    columns = {title for one in paper.exhibits for title in one.columns}
    assert columns == {metric.title for metric in paper.metrics}
    unused = {model.name for model in paper.models} - {row.model for one in paper.exhibits for row in one.rows}
    assert unused == ({"OPT-6.7B"} if paper.id == "000-1" else set()), "it is in a table that is a picture"


def is_a_command(text: str) -> bool:
    """Whether there is such a command, with such an argument where it takes one."""
    name, *words = text.split()
    command: click.Command = cli
    while words and isinstance(command, click.Group):
        if words[0] not in command.commands:
            return False
        command = command.commands[words.pop(0)]
    arguments = [one for one in command.params if isinstance(one, click.Argument)]
    return name == "newwiki" and not isinstance(command, click.Group) and len(words) <= len(arguments)


@pytest.mark.parametrize(("paper", "exhibit"), EXHIBITS)
def test_every_command_is_there(paper: Paper, exhibit: Exhibit) -> None:
    assert [one for one in exhibit.commands if not is_a_command(one)] == []


@pytest.mark.parametrize("command", ["newwiki experiment", "newwiki nothing", "newwiki experiment nothing", "ls"])
def test_other_text_is_not_mistaken_for_a_command(command: str) -> None:
    assert not is_a_command(command)


TABLE = {"kind": "table", "number": "1", "caption": "c", "section": "1", "why": "w"}
PAPER_OF = {"id": "x", "short": "x", "title": "x", "citation": "x"}


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"why": ""}, "neither a command nor a reason"),
        ({"columns": ["A"], "rows": [{"values": [1.0, 2.0]}]}, "1 columns and a row of 2"),
        ({"columns": ["A"], "rows": [{"values": [[1.0, 2.0]]}]}, "must set spread if its"),
        (
            {"columns": ["A"], "rows": [{"values": [1.0]}], "spread": "sd"},
            "must set spread if its",
        ),
        ({"columns": ["B"]}, "column 'B', which is not one of the metrics"),
        ({"columns": ["A"], "rows": [{"values": [1.0], "model": "M"}]}, "row of 'M', which is not one of the models"),
        ({"columns": ["A"], "rows": [{"values": ["n/a"]}]}, "'-'"),
        ({"page": "7"}, "integer"),
        ({"colums": ["A"]}, "Extra inputs"),
    ],
)
def test_a_file_that_disagrees_with_itself_is_refused(wrong: dict[str, object], told: str) -> None:
    metric = [{"title": "A"}]
    Paper.model_validate({**PAPER_OF, "metrics": metric, "exhibits": [TABLE]})
    with pytest.raises(ValidationError, match=told):
        Paper.model_validate({**PAPER_OF, "metrics": metric, "exhibits": [{**TABLE, **wrong}]})


def test_what_stands_twice_is_refused() -> None:
    with pytest.raises(ValidationError, match="table 1 occurs twice"):
        Paper.model_validate({**PAPER_OF, "exhibits": [TABLE, TABLE]})


def test_a_model_is_on_the_hub_or_the_reason_is_given() -> None:
    with pytest.raises(ValidationError, match="needs a hub id"):
        Paper.model_validate({**PAPER_OF, "models": [{"name": "M"}], "exhibits": [TABLE]})


def test_missing_things_are_reported() -> None:
    with pytest.raises(UsageError, match="paper 003 has no table '7'; it has: 1, 2, 3, 4, A"):
        papers()["003"].table("7")
    with pytest.raises(UsageError, match="paper 000-3 has no table"):
        papers()["000-3"].table("1")
    with pytest.raises(UsageError, match="there is no paper '005'"):
        named("005")


def test_a_number_has_all_that_it_is_of() -> None:
    paper = papers()["002"]
    first = next(paper.numbers(paper.table("2")))
    assert (first.exhibit, first.decoder, first.labels) == (
        "table 2",
        "sample",
        {"prefix": "the model's own", "length": 20},
    )
    assert (first.metric.title, first.value, first.spread) == ("EB-M (NIST)", 1.0, 0.002)
    assert first.model and first.model.why
    paper = papers()["003"]
    wikipedia = [one for one in paper.numbers(paper.table("3")) if one.model and one.model.articles]
    assert [one.value for one in wikipedia] == [52.646, 5.057, 1, 1, 0.111, 21.424, 0.692, 0.007], "specificity: -"


# Below: numbers against what the papers' prose and other tables say of them.


def test_000_1_judgements_add_up_and_contrastive_decoding_is_preferred_as_often_as_the_prose_says() -> None:
    table = papers()["000-1"].table("2")
    for row in (*table.rows, *papers()["000-1"].table("5").rows):
        numbers = values(row)
        assert sum(numbers[:3]) == pytest.approx(1, abs=0.0021) and sum(numbers[3:]) == pytest.approx(1, abs=0.0021)
    for against, coherence, fluency in (("sample:top_p=0.95", 2.6, 1.4), ("sample:typical_p=0.95", 6.4, 3.5)):
        of = [values(row) for row in table.rows if row.against == against]
        assert len(of) == 6
        assert mean(a / b for a, _, b, *_ in of) == pytest.approx(coherence, abs=0.051)
        assert mean(a / b for *_, a, _, b in of) == pytest.approx(fluency, abs=0.054), "3.553 is printed as 3.5"


def test_000_2_repeats_the_judgements_of_000_1() -> None:
    for row in papers()["000-2"].table("2").rows:
        better, neutral, worse = values(row)
        assert better + neutral + worse == pytest.approx(100, abs=0.101)
        if not row.decoder.startswith("contrastive"):
            domain = str(row.labels["domain"]).replace("wikitext", "wikipedia")
            (there,) = [
                values(one)
                for one in papers()["000-1"].table("2").rows
                if (one.model, one.against, one.labels["domain"]) == (row.model, row.decoder, domain)
            ]
            assert [100 * share for share in there[:3]] == pytest.approx([worse, neutral, better], abs=0.11)


def test_000_2_contrastive_decoding_has_the_highest_mauve_and_contrastive_search_the_coherence_it_is_told_to() -> None:
    for domain in ("wikinews", "wikitext", "story"):
        by = {one.decoder.partition(":")[0] + one.decoder[-8:]: values(one) for one in papers()["000-2"].table("1").rows
              if one.labels["domain"] == domain}  # fmt: skip
        assert len(by) == 6
        assert max(by, key=lambda name: by[name][1]).startswith("contrastive-decoding")
        searches = [coherence for name, (_, _, coherence) in by.items() if not name.startswith("greedy")]
        assert max(searches) == next(one[2] for name, one in by.items() if name.startswith("contrastive-search"))


def test_001_the_swapped_words_are_those_of_the_prose() -> None:
    assert rows("001", "3", swapped=0) == [[23.89, 15.84]] and rows("001", "3", swapped=10) == [[23.70, 15.81]]
    regard = [row[0] for row in rows("001", "3")]
    assert regard == sorted(regard, reverse=True)


def test_002_the_differences_are_those_of_the_scores() -> None:
    for table, beside in (("8", "the model's own"), ("9", "data")):
        for row in papers()["002"].table(table).rows:
            if "less" not in row.labels:
                continue
            prefix, less, length = row.labels["prefix"], row.labels["less"], row.labels["length"]
            assert less == (beside if prefix != "shuffled" else "data")
            (minuend,), (subtrahend,) = (rows("002", table, prefix=one, length=length) for one in (prefix, less))
            if prefix == "shuffled" and table == "8":
                subtrahend = subtrahend[2:3]  # of BLEU alone
            exact = [a - b for a, b in zip(minuend, subtrahend, strict=True)]
            slip = (table, prefix, length) == ("8", "shuffled", 20)
            assert values(row) == pytest.approx([-0.019] if slip else exact, abs=1e-6)


def test_002_the_ratios_of_table_2_are_those_of_tables_8_and_9() -> None:
    for length in (20, 30, 40, 50, 60):
        model, data, shuffled = (
            rows("002", "8", prefix=one, length=length)[0] for one in ("the model's own", "data", "shuffled")
        )
        own, of_divergence = rows("002", "2", prefix="the model's own", length=length)
        assert own == pytest.approx([a / b for a, b in zip(data, model, strict=True)], abs=0.004)
        (bleu,), (divergence,) = rows("002", "2", prefix="shuffled", length=length)
        assert bleu == pytest.approx(data[2] / shuffled[0], abs=0.005)
        data, model, shuffled = (
            rows("002", "9", prefix=one, length=length)[0] for one in ("data", "the model's own", "shuffled")
        )
        assert of_divergence == pytest.approx([a / b for a, b in zip(model, data, strict=True)], abs=0.011)
        assert divergence == pytest.approx(shuffled[1] / data[1], abs=0.021)


@pytest.mark.parametrize("table", ["3", "5"])
def test_002_gaps_and_ratios_of_ratings_are_those_of_the_ratings(table: str) -> None:
    for data, model, gap, ratio in rows("002", table):
        assert gap == pytest.approx(data - model, abs=0.0101)
        assert ratio == pytest.approx(data / model, abs=0.0051)


def test_003_tables_3_and_4_are_rows_of_the_appendix() -> None:
    everything = papers()["003"].table("A")
    density = everything.columns.index("beside Info density")
    printed = {(row.model, row.decoder, row.labels["articles"]): values(row) for row in everything.rows}
    assert len(printed) == len(everything.rows) == 52
    for key, numbers in printed.items():
        printed[key] = numbers[:density] + numbers[density + 1 : -1]
    for row in papers()["003"].table("4").rows:
        assert values(row) == printed[row.model, row.decoder, row.labels["articles"]]
    for row in papers()["003"].table("3").rows:
        if row.model not in ("Wikipedia", "Fine-tuned GPT-3 Curie"):
            articles = "old" if row.model in ("BART", "GLM") else "new"
            assert values(row)[:8] == printed[row.model, row.decoder, articles], row.model


def test_003_shares_of_table_1_are_of_3000_articles() -> None:
    assert [share for _, share in rows("003", "1")] == pytest.approx([n / 30 for n, _ in rows("003", "1")], abs=0.07)


def test_003_gpt_3_is_the_best_where_the_prose_says_so() -> None:
    table = papers()["003"].table("3")
    written = {row.model: values(row) for row in table.rows if row.model != "Wikipedia"}
    for title in ("Entity overlap", "S-BERT", "Info density"):
        place = table.columns.index(title)
        assert max(written, key=lambda model: written[model][place]) == "GPT-3 Davinci"
    assert min(written, key=lambda model: written[model][table.columns.index("Entity overlap")]) == "BART"


def test_004_the_proportion_is_of_the_human_row_and_unique_support_is_never_above_support() -> None:
    human, *written = rows("004", "1")
    for grams, proportion, spg, spv, uspg, uspv in (human, *written):
        assert proportion == pytest.approx(100 * grams / human[0], abs=0.011)
        assert uspg <= spg and uspv <= spv
    by = {row.decoder: values(row) for row in papers()["004"].table("1").rows}
    beams, blocked = "beam:num_beams=15", "beam:no_repeat_ngram_size=20,num_beams=15"
    assert max(written, key=lambda row: row[2]) == max(written, key=lambda row: row[3]) == by[beams]
    assert max(written, key=lambda row: row[4]) == by[blocked]


def test_004_table_1_has_the_parameters_of_table_3() -> None:
    used = {row.decoder for row in papers()["004"].table("1").rows} - {"", "greedy"}
    assert {row.decoder for row in papers()["004"].table("3").rows} == used
    for row in papers()["004"].table("3").rows:
        (decoder,) = parse(row.decoder)
        assert [decoder.parameters[str(row.labels["parameter"])]] == values(row)
