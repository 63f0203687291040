"""A toy checkpoint over a small grid: every statement has a verdict, and what is interrupted is gone on with."""

import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from scipy.stats import t as student

from flows.api import experiment
from flows.evaluating.evaluate_all import RunSteps
from flows.experiments.decoder_grid.request import EXPERIMENT, PRESETS, DecoderGridRequest
from flows.experiments.evaluations import Evaluations
from flows.experiments.models.request import ModelsRequest
from flows.presenting.charts import PageSigns
from flows.progress import Silent
from flows.report.templating import drawn_width
from flows.statements.statement import paper
from newwiki.decoding.grammar import parse
from newwiki.errors import UsageError
from newwiki.settings import Settings
from storage.database import Database
from tests.flows.experiments.drawings import ON_A_PHONE
from tests.flows.experiments.recomputed import interval, recomputes
from tests.flows.experiments.stored import rows as stored
from tests.flows.statements.recomputed import distinct_2, effect, mean_of, rep_4, spreads

GRID = (
    "sample:top_p=1.0,temperature=[0.1,1.0],top_k=20",
    "sample:top_p=1.0,temperature=1.0,top_k=20,presence_penalty=1.0,frequency_penalty=1.0",
)
ASKED: dict[str, Any] = {
    "decoder": GRID, "samples": 2, "keep": 2, "max_new_tokens": 16, "metrics": "distinct_2,rep_4",
}  # fmt: skip
ARTICLES = 13
TABLES = ("statement_verdicts", "setting_numbers", "metric_correlations")


@pytest.fixture(scope="module")
def answered(published: Path, toy_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample wiki's September with a whole grid on it."""
    db = Path(shutil.copy(published, tmp_path_factory.mktemp("grid") / "newwiki.duckdb"))
    experiment("decoder-grid", str(toy_checkpoint), db=db, quiet=True, **ASKED)
    return db


def of_answers(db: Path) -> list[list[dict[str, Any]]]:
    return [stored(db, f"from {table} order by all") for table in TABLES]


def test_each_statement_has_a_verdict(answered: Path) -> None:
    rows = stored(answered, "from statement_verdicts")
    assert {one["statement"] for one in rows} == {one.name for one in paper().of("decoder-grid")}
    found = {one["statement"]: one for one in rows}
    assert found["temperature-distinct"]["verdict"] == "holds"
    assert (found["temperature-distinct"]["runs"], found["temperature-distinct"]["articles"]) == (2, ARTICLES)
    assert found["penalty-distinct"]["runs"] == 2
    assert found["top-k-rep"]["why"] == "needs runs that differ in top_k and in nothing else"
    assert found["temperature-sbert"]["why"] == "needs the metric S-BERT of every run, by one evaluator"


def test_figures_are_of_each_parameter_that_has_several_values(answered: Path) -> None:
    [answer] = stored(answered, "select experiment_id from experiments")
    drawn = EXPERIMENT.show(Database(answered), answer["experiment_id"]).figures(PageSigns())
    captions = [one.caption for one in drawn]
    told = ["with its 95 % interval", "against temperature", "against both penalties", "figure 4"]
    assert all(words in caption for words, caption in zip(told, captions, strict=True))
    assert "Distinct-n [0.5, 1]" in captions[1]
    assert max(drawn_width(one.image) for one in drawn[:3]) <= ON_A_PHONE


def test_the_answer_says_how_many_statements_hold_for_which_model_and_on_how_many_articles(answered: Path) -> None:
    [answer] = stored(answered, "from experiments")
    verdicts = stored(answered, "select verdict from statement_verdicts")
    said = EXPERIMENT.show(Database(answered), answer["experiment_id"]).findings.answer
    holds = sum(one["verdict"] == "holds" for one in verdicts)
    assert said.startswith(f"Of {len(verdicts)} statements of the paper, {holds} hold")
    assert json.loads(answer["methods"])["units"] == [ARTICLES, ARTICLES]


@pytest.fixture(scope="module")
def numbers(answered: Path) -> Mapping[tuple[str, str], list[tuple[int, float]]]:
    """By run and metric the numbers of its kept texts, each with its article."""
    found: dict[tuple[str, str], list[tuple[int, float]]] = {}
    for one in stored(answered, "from completions where kept"):
        for metric, value in (("Distinct-n", distinct_2(one["text"])), ("Rep-n", rep_4(one["text"]))):
            if value is not None:
                found.setdefault((one["run_id"], metric), []).append((one["page_id"], value))
    return found


def test_every_mean_and_spread_is_that_of_the_stored_texts(
    answered: Path, numbers: Mapping[tuple[str, str], list[tuple[int, float]]]
) -> None:
    found = {(one["run_id"], one["metric"]): one for one in stored(answered, "from setting_numbers")}
    assert found.keys() == numbers.keys()
    for key, one in found.items():
        expected = spreads(numbers[key])
        assert (one["articles"], one["texts"]) == (expected.articles, expected.texts)
        for name in ("mean", "sd", "sd_of_prompt"):
            assert one[name] == pytest.approx(getattr(expected, name), rel=1e-9), (key, name)


@recomputes("statement_verdicts")
def test_the_effect_of_temperature_is_that_of_the_stored_texts(
    answered: Path, numbers: Mapping[tuple[str, str], list[tuple[int, float]]]
) -> None:
    """With its interval over articles, in standard deviations of a text, and its p before and after the correction."""
    runs = {
        one["temperature"]: one["run_id"]
        for one in stored(answered, "from setting_numbers where coalesce(penalty, 0) = 0")
    }
    [one] = stored(answered, "from statement_verdicts where statement = 'temperature-distinct'")
    cold, warm = (numbers[runs[temperature], "Distinct-n"] for temperature in (0.1, 1.0))
    expected = effect(cold, warm)
    unit = (mean_of(warm) - mean_of(cold)) / expected
    by_page = [
        fmean(value for at, value in warm if at == page) - fmean(value for at, value in cold if at == page)
        for page in sorted({page for page, _ in cold})
    ]
    sure = interval([value / unit for value in by_page])
    assert (one["effect"], one["low"], one["high"]) == pytest.approx((expected, sure.low, sure.high))
    # It holds where the effect is above 0: the greater p of Student's t and of Hall's, for either direction
    p = max(sure.p, 2 * float(student.sf(sure.mean / sure.error, len(by_page) - 1)))
    tests = sum(row["p_holds"] is not None for row in stored(answered, "from statement_verdicts"))
    assert p * (1 - 1e-9) <= one["p_holds"] <= min(1.0, tests * p) * (1 + 1e-9)
    assert one["verdict"] == ("holds" if one["p_holds"] <= 0.05 else "cannot tell") and sure.low > 0


class Killed(RunSteps):
    """Ends in the midst of the grid, when the second run is written and not yet scored."""

    def __init__(self) -> None:
        self.scored = 0

    def score(self, *arguments: Any) -> None:
        if self.scored == 1:
            raise KeyboardInterrupt
        super().score(*arguments)
        self.scored += 1


def test_interrupted_and_asked_again_nothing_stored_is_made_again_and_the_rows_are_the_same(
    answered: Path, published: Path, toy_checkpoint: Path, tmp_path: Path
) -> None:
    db = Path(shutil.copy(published, tmp_path / "newwiki.duckdb"))
    request = DecoderGridRequest(models=(str(toy_checkpoint),), **ASKED)
    killed = Evaluations(Database(db), Settings(db=str(db)), Silent(), Killed())
    with pytest.raises(KeyboardInterrupt):
        EXPERIMENT.compute(killed, request)
    texts, scorings = "select run_id, page_id, sample, text from completions", "from scorings"
    before = stored(db, texts), stored(db, scorings)
    assert len({one["run_id"] for one in before[0]}) == 2
    assert of_answers(db) == [[], [], []]
    experiment("decoder-grid", str(toy_checkpoint), db=db, quiet=True, **ASKED)
    assert all(row in stored(db, scorings) for row in before[1])  # with the times at which they were scored
    after = stored(db, texts)
    assert all(row in after for row in before[0])
    assert len(after) == 3 * ARTICLES * 2
    assert of_answers(db) == of_answers(answered)


def test_the_settings_are_the_papers_where_nothing_else_is_said() -> None:
    grid = DecoderGridRequest(models=("gpt2",))
    decoders = [one for text in grid.decoder for one in parse(text)]
    assert len(decoders) == 48 + 2
    one = ModelsRequest()
    assert one.decoder == ("sample:top_p=0.9,top_k=20,temperature=0.9",)
    for request in (grid, one):
        assert (request.prompts, request.samples, request.keep, request.metrics) == (2000, 20, 10, "core")


def test_the_preset_has_every_truncation_rule_of_today_and_takes_the_place_of_decoders() -> None:
    grid = DecoderGridRequest(models=("gpt2",), preset="samplers")
    assert grid.decoder == PRESETS["samplers"]
    decoders = [one for text in grid.decoder for one in parse(text)]
    assert len({one.canonical for one in decoders}) == len(decoders) == 22
    on = {
        name for one in decoders for name in one.recorded if one.recorded[name] != parse("sample")[0].parameters[name]
    }
    assert on == {
        "temperature", "top_p", "min_p", "epsilon_cutoff", "eta_cutoff", "top_n_sigma", "top_h", "p_less",
    }  # fmt: skip
    with pytest.raises(UsageError, match="--preset and --decoder exclude each other: leave one out"):
        DecoderGridRequest(models=("gpt2",), preset="samplers", decoder=("greedy",))
