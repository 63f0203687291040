"""The experiment on twenty invented articles: interrupted, asked again, and every number computed once more."""

import math
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.cutoff_seeds import articles
from flows.api import experiment
from flows.experiments.answering import answer
from flows.experiments.contrast.request import BESIDE, ContrastRequest
from flows.experiments.contrast.variants import IDENTICAL, SIZE
from flows.experiments.evaluations import Evaluations
from flows.experiments.experiment import named
from flows.progress import Silent
from flows.report.experiments import write_answer
from newwiki.errors import TerminalError, UsageError
from newwiki.records import Fingerprint, Metric, RunScore
from newwiki.settings import Settings
from storage import runs
from storage.database import Database
from tests.flows.experiments import recomputed as plain
from tests.flows.experiments.contrast import recomputed
from tests.flows.experiments.contrast.interrupted import Counted, Interrupted
from tests.flows.experiments.contrast.recomputed import Judges
from tests.flows.experiments.invented import publish_month
from tests.flows.experiments.stored import rows

PROMPTS = 20
RUNS = 3 + 2 + 1 + 1  # the decoders, two of the expert as its own amateur, the full context, no constraint
TABLES = ("completions", "scores", "run_scores", "experiments", "contrast_variants", "contrast_numbers",
          "contrast_differences")  # fmt: skip
OF_TEXTS = ("diversity", "embedding_coherence", "likelihood_coherence", "words")
Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def settings(tmp_path_factory: pytest.TempPathFactory, small_embedder: Path, well_read: Path) -> Settings:
    db = tmp_path_factory.mktemp("contrast") / "newwiki.duckdb"
    publish_month(Database(db), "2026-08", articles(np.random.default_rng(21), 0, PROMPTS), 1)
    return Settings(db=str(db), embedder=str(small_embedder), embedder_dtype="float32", likelihood_model=str(well_read))


@pytest.fixture(scope="module")
def request_(well_read: Path, amateur: Path) -> ContrastRequest:
    return ContrastRequest(
        models=(str(well_read),),
        amateur=(str(amateur),),
        decoder=(BESIDE[0], "sample:top_p=0.95"),
        amateur_temperature=1.0,
        ablations="amateur-size,amateur-context,plausibility",
        max_new_tokens=32,
    )


@pytest.fixture(scope="module")
def db(settings: Settings, request_: ContrastRequest) -> Path:
    """The answer's database, in which the experiment was interrupted while the third decoder's texts were scored."""
    path, load = Path(settings.db), Counted()
    with pytest.raises(KeyboardInterrupt):
        answer(named("contrast"), Evaluations(Database(path), settings, Silent(), Interrupted(2), load=load), request_)
    before = {name: rows(path, f"from {name}") for name in ("completions", "scores", "run_scores", "scorings")}
    assert load.asked == len(before["completions"]) == 3 * PROMPTS
    load = Counted()
    answer(named("contrast"), Evaluations(Database(path), settings, Silent(), load=load), request_)
    assert load.asked == (RUNS - 3) * PROMPTS
    for name, earlier in before.items():
        there = {str(_without_keeping(row)) for row in rows(path, f"from {name}")}
        assert all(str(_without_keeping(row)) in there for row in earlier)  # scorings with the times of their end
    return path


def _without_keeping(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name != "kept"}


@pytest.fixture(scope="module")
def read(small_embedder: Path, well_read: Path) -> Judges:
    return recomputed.judges(small_embedder, well_read)


@pytest.fixture(scope="module")
def prompts(db: Path) -> Mapping[int, str]:
    found = rows(db, "select page_id, title, first_sentence from articles order by page_id")
    return {one["page_id"]: f"{one['title']}\n\n{one['first_sentence']}" for one in found}


@pytest.fixture(scope="module")
def texts(db: Path) -> Mapping[str, Mapping[int, str]]:
    """By run and page; the articles are a run of their own."""
    written = "select run_id, page_id, text from completions where kept"
    human = "select 'reference:' || snapshot_id, page_id, completion from articles"
    found: dict[str, dict[int, str]] = {}
    for one in rows(db, f"{written} union all {human} order by run_id, page_id"):
        found.setdefault(one["run_id"], {})[one["page_id"]] = one["text"]
    return found


@pytest.fixture(scope="module")
def values(
    texts: Mapping[str, Mapping[int, str]], prompts: Mapping[int, str], read: Judges
) -> Mapping[tuple[str, str], recomputed.Values]:
    """Of each run and metric of texts."""
    known = Judges(_remembered(read.embed), read.log_likelihoods)
    return {
        (run_id, metric): recomputed.of_texts(metric, of_run, prompts, known)
        for run_id, of_run in texts.items()
        for metric in OF_TEXTS
    }


def _remembered(embed: Callable[[str], recomputed.Rows]) -> Callable[[str], recomputed.Rows]:
    known: dict[str, recomputed.Rows] = {}
    return lambda text: known[text] if text in known else known.setdefault(text, embed(text))


def near(value: float | None, other: float | None, error: float = 2e-5) -> bool:
    if value is None or other is None or math.isnan(other):
        return value is None and (other is None or math.isnan(other))
    return math.isclose(value, other, rel_tol=error, abs_tol=error)


def test_every_mean_and_interval_is_that_of_the_stored_texts(
    db: Path, values: Mapping[tuple[str, str], recomputed.Values]
) -> None:
    ranges = {"diversity": (0, 1), "embedding_coherence": (-1, 1)}
    ends = {"likelihood_coherence": (-math.inf, 0), "words": (0, math.inf)}
    found = rows(db, "from contrast_numbers")
    of_texts = [one for one in found if one["metric"] in OF_TEXTS]
    assert len(of_texts) == len(values)
    for one in of_texts:
        each = values[one["run_id"], one["metric"]]
        there = [value for value in each.values() if value is not None]
        assert (one["prompts"], one["texts"], one["lacking"]) == (len(there), len(there), PROMPTS - len(there)), one
        expected = plain.interval(there)
        if one["metric"] in ranges:
            low, high = plain.bounded(there, *ranges[one["metric"]])
        else:
            least, most = ends[one["metric"]]
            low, high = max(expected.low, least), min(expected.high, most)
        assert near(one["mean"], expected.mean), one
        assert near(one["low"], low), one
        assert near(one["high"], high), one
        assert one["spread"] is None
        assert (one["no_interval"] is None) == (one["low"] is not None)


def test_every_number_of_a_whole_run_is_that_of_its_stored_texts(
    db: Path, texts: Mapping[str, Mapping[int, str]], read: Judges
) -> None:
    found = [one for one in rows(db, "from contrast_numbers") if one["metric"] not in OF_TEXTS]
    assert len(found) == 2 * len(texts)
    [human] = [of_run for run_id, of_run in texts.items() if run_id.startswith("reference:")]
    known = Judges(_remembered(read.embed), read.log_likelihoods)
    for one in found:
        of_run = texts[one["run_id"]]
        if one["metric"] == "diversity_simctg":
            assert near(one["mean"], recomputed.diversity_of_all(of_run)), one
            assert one["spread"] is None
        else:
            mean, spread = recomputed.mauve(human, of_run, known)
            assert near(one["mean"], mean, 1e-4), one
            assert near(one["spread"], spread, 1e-4), one
        assert (one["texts"], one["lacking"], one["low"], one["high"]) == (PROMPTS, 0, None, None)


@plain.recomputes("contrast_differences")
def test_every_difference_is_that_of_the_stored_texts(
    db: Path, values: Mapping[tuple[str, str], recomputed.Values]
) -> None:
    by_decoder = {one["decoder"]: one["run_id"] for one in rows(db, "select decoder, run_id from runs")}
    found = rows(db, "from contrast_differences")
    for part in dict.fromkeys(one["part"] for one in found):
        of_part = [one for one in found if one["part"] == part]
        for one in of_part:
            here, there = (values[by_decoder[one[name]], one["metric"]] for name in ("decoder", "against"))
            apart = [
                a - b for a, b in zip(here.values(), there.values(), strict=True) if a is not None and b is not None
            ]
            expected = plain.interval(apart)
            assert one["prompts"] == len(apart)
            assert near(one["difference"], expected.mean, 1e-4), one
            if not math.isnan(expected.low):
                assert near(one["low"], expected.low, 1e-3), one
                assert near(one["high"], expected.high, 1e-3), one
            exact = plain.sign_flips(apart)
            drawn = 5 * math.sqrt(exact * (1 - exact) / 9_999) + 2e-4  # it draws as many patterns, and at least 1 more
            assert one["p"] == pytest.approx(max(exact, expected.p if expected.p == expected.p else 0), abs=drawn), one
        corrected = plain.holm([one["p"] for one in of_part])
        for one, p in zip(of_part, corrected, strict=True):
            assert one["p_holm"] == pytest.approx(p)
            way = "higher" if one["difference"] > 0 else "lower"
            assert one["verdict"] == (way if p <= 0.05 else "cannot tell")


def test_asked_again_nothing_is_made_again(
    db: Path, settings: Settings, request_: ContrastRequest, tmp_path: Path
) -> None:
    """Nor where another evaluator has given the runs numbers since."""
    db = Path(shutil.copy(db, tmp_path))
    [run_id] = {one["run_id"] for one in rows(db, "select run_id from runs where decoder like 'contrastive-search%'")}
    other = Fingerprint("another-mauve", "mauve", "0", model="another embedder")
    runs.register(Database(db), [other], [Metric("mauve", "", 0, 1, "higher", "", "", "run")])
    runs.add_run_scores(Database(db), run_id, [RunScore("mauve", 0.99, 0.0, "ok", other.evaluator_id, PROMPTS)])
    runs.finish_scoring(Database(db), run_id, {other.evaluator_id})
    before, load = {name: rows(db, f"from {name} order by all") for name in TABLES}, Counted()
    answer(named("contrast"), Evaluations(Database(db), settings, Silent(), load=load), request_)
    assert {name: rows(db, f"from {name} order by all") for name in TABLES} == before
    assert load.asked == 0


def verdicts(db: Path, part: str) -> dict[tuple[str, str], str]:
    """By value and metric."""
    found = rows(
        db,
        "select part, value, metric, verdict from contrast_differences "
        "join contrast_variants using (experiment_id, model, part, decoder)",
    )
    return {(one["value"], one["metric"]): one["verdict"] for one in found if one["part"] == part}


def test_without_the_plausibility_constraint_texts_are_less_likely(db: Path) -> None:
    """Li et al. 2022, 7.4 and table 4."""
    found = verdicts(db, "plausibility")
    assert found["0", "likelihood_coherence"] == "lower"


def test_an_expert_that_is_its_own_amateur_repeats_itself(
    db: Path, values: Mapping[tuple[str, str], recomputed.Values]
) -> None:
    """Li et al. 2022, 7.1: less diverse than with a smaller amateur, where either reads what the expert does."""
    assert verdicts(db, SIZE)[IDENTICAL, "diversity"] == "lower"
    runs_of = {
        (one["part"], one["value"]): one["run_id"]
        for one in rows(db, "select part, value, run_id from contrast_variants join runs using (decoder)")
    }
    itself, smaller = (
        values[runs_of[key], "diversity"].values() for key in ((SIZE, IDENTICAL), ("amateur-context", "full"))
    )
    assert plain.interval([a - b for a, b in zip(itself, smaller, strict=True) if a and b]).high < 0


def test_a_decoder_of_several_parts_is_run_once(db: Path) -> None:
    found = rows(db, "select count(*) as runs, count(distinct decoder) as decoders from runs")
    assert found == [{"runs": RUNS, "decoders": RUNS}]


def test_the_page_has_the_planes_and_the_sizes_and_no_folder(db: Path, amateur: Path, tmp_path: Path) -> None:
    [one] = rows(db, "select experiment_id from experiments")
    page = write_answer(Database(db), one["experiment_id"], tmp_path / "answer.html").read_text("utf-8")
    for told in (
        "diversity of all texts (%) against", "MAUVE (%) against", "as figure 2 of Su and Xu 2022",
        "as figure 1 of Su and Xu 2022", "as figure 2 of Li et al. 2022",
    ):  # fmt: skip
        assert told in page
    assert page.count("<figure>") == 4 + 2
    assert "finds its own texts likely" in page
    assert f"amateur={amateur.name}," in page and str(amateur.parent) not in page


def test_of_few_prompts_it_says_so_and_goes_without_mauve(
    db: Path, settings: Settings, well_read: Path, amateur: Path, tmp_path: Path
) -> None:
    db = Path(shutil.copy(db, tmp_path))
    asked: dict[str, Any] = {"amateur": (str(amateur),), "ablations": "none", "prompts": 3, "max_new_tokens": 8}
    asked |= {"decoder": ("greedy",)}
    given = {"embedder": settings.embedder, "embedder_dtype": "float32"}
    experiment("contrast", str(well_read), db=db, quiet=True, **asked, **given)
    [one] = rows(db, "from experiments order by made_at desc, rowid desc limit 1")
    assert one["verdict"] == "too few prompts to tell decoders apart"
    told = "; ".join(one["words"])
    assert "decoders: 3 prompts are too few; at least 13 are needed" in told
    assert "mauve of 2 runs cannot be had: fewer than 20 texts or articles that can be embedded" in told
    assert "figures of mauve are left out" in told
    assert "not at hand, and so not in the answer: likelihood_coherence; `--likelihood-model NAME`" in told


@pytest.mark.parametrize(
    ("asked", "error", "told"),
    [
        ({"metrics": "rep_4"}, UsageError, "does not measure 'rep_4'"),
        ({"amateur": "nowhere"}, TerminalError, "nowhere"),
    ],
)
def test_what_cannot_be_answered(
    asked: dict[str, Any], error: type[Exception], told: str, well_read: Path, amateur: Path, settings: Settings
) -> None:
    before = rows(Path(settings.db), "select run_id from runs")
    with pytest.raises(error, match=told):
        experiment("contrast", str(well_read), db=settings.db, quiet=True, **{"amateur": str(amateur), **asked})
    assert rows(Path(settings.db), "select run_id from runs") == before
