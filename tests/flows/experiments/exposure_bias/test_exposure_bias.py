"""The experiment on texts of a language that a toy has learnt: it is in the articles' place, and the same toy from
earlier in its training is measured."""

import hashlib
import json
import math
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon
from scipy.stats import t as student

from flows.api import experiment
from flows.experiments.answering import answer
from flows.experiments.evaluations import Evaluations, LastModel
from flows.experiments.experiment import named
from flows.experiments.exposure_bias.prefixes import halves
from flows.experiments.exposure_bias.request import ExposureBiasRequest
from flows.progress import Bar, Silent
from flows.report.experiments import write_answer
from newwiki.errors import TerminalError, UsageError
from newwiki.models.backend import Backend
from newwiki.settings import Settings
from storage.database import Database
from tests.flows.experiments.exposure_bias.progressions import articles, trained
from tests.flows.experiments.invented import publish_month
from tests.flows.experiments.recomputed import recomputes
from tests.flows.experiments.stored import rows

pytestmark = pytest.mark.slow

SNAPSHOT = "inventedwiki-2026-08"
ARTICLES, STRETCHES = 24, 3
SEEDS, FEW_SEEDS = 3, 2  # as many as an interval needs, and fewer
ASKED: dict[str, Any] = {
    "prompt_length": 8,
    "prefix_length": (16,),
    "gap": (8,),
    "rate": (0.1, 0.4, 1.0),
    "gap_rate": 0.4,
    "max_new_tokens": 8,
    "samples": STRETCHES,
    "seeds": SEEDS,
}
TOKENS = 40  # of a stretch: 8 + 16 + 8 + 8
OF_TEXTS = {"bleu", "nist", "meteor_exact_stem", "backward_bleu", "trigram_entropy"}
KEPT = ("exposure_generations", "exposure_divergences")
FOUND = ("exposure_scores", "exposure_measures", "exposure_trends", "exposure_examples")
Rows = list[dict[str, Any]]


class Counted(LastModel):
    """Loads models, and counts the texts that they are asked to write and to read."""

    def __init__(self) -> None:
        super().__init__()
        self.written = self.read = 0

    def __call__(self, backend: str, name: str, arguments: dict[str, str]) -> Backend:
        loaded: Any = super().__call__(backend, name, arguments)
        continuations, next_probabilities = type(loaded).continuations, type(loaded).next_probabilities

        def counted_continuations(contexts: Sequence[Any], *rest: Any) -> Any:
            self.written += len(contexts)
            return continuations(loaded, contexts, *rest)

        def counted_probabilities(sequences: Sequence[Any], *rest: Any) -> Any:
            self.read += len(sequences)
            return next_probabilities(loaded, sequences, *rest)

        loaded.continuations, loaded.next_probabilities = counted_continuations, counted_probabilities
        made: Backend = loaded
        return made


class Interrupted(Silent):
    """Somebody stops it when it comes to these words."""

    def __init__(self, at: str) -> None:
        self._at = at

    @contextmanager
    def stretch(self, title: str, unit: str) -> Iterator[Bar]:
        yield self

    def update(self, done: int, total: int, note: str = "") -> None:
        if note == self._at:
            raise KeyboardInterrupt


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A snapshot, and nothing asked of it."""
    database = Database(tmp_path_factory.mktemp("empty") / "newwiki.duckdb")
    publish_month(database, "2026-08", articles(ARTICLES, STRETCHES * TOKENS), 1)
    return database.path


@pytest.fixture(scope="module")
def toys(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("toys")
    trained(folder / "learnt", folder / "early")
    return folder / "learnt", folder / "early"


@pytest.fixture(scope="module")
def learnt(toys: tuple[Path, Path]) -> Path:
    return toys[0]


@pytest.fixture(scope="module")
def early(toys: tuple[Path, Path]) -> Path:
    return toys[1]


@pytest.fixture(scope="module")
def db(learnt: Path, early: Path, empty: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Asked of the model from earlier, with the other in the articles' place."""
    there = Path(shutil.copy(empty, tmp_path_factory.mktemp("whole")))
    asked = ASKED | {"seeds": FEW_SEEDS}
    experiment("exposure-bias", str(early), data_model=str(learnt), db=there, quiet=True, **asked)
    return there


@pytest.fixture(scope="module")
def found(db: Path) -> Rows:
    return rows(db, "from exposure_measures")


def test_killed_and_asked_again_nothing_is_made_twice_and_no_row_is_another(
    learnt: Path, early: Path, empty: Path, tmp_path: Path
) -> None:
    asked = ASKED | {"prefix_length": (8,), "gap": (), "rate": (1.0,), "seeds": FEW_SEEDS, "prompts": 8, "samples": 2}
    request = ExposureBiasRequest(models=(str(early),), data_model=str(learnt), **asked)
    stopped, whole = (Path(shutil.copy(empty, tmp_path / name)) for name in ("stopped.duckdb", "whole.duckdb"))
    counted = Counted()
    with pytest.raises(KeyboardInterrupt):
        ask(stopped, request, counted, Interrupted("shuffled prefixes of 8"))
    before = {name: rows(stopped, f"from {name} order by all") for name in KEPT}
    assert all(before.values()) and not rows(stopped, "from exposure_scores")
    ask(stopped, request, counted, Silent())
    stored = {name: rows(stopped, f"from {name} order by all") for name in (*KEPT, *FOUND, "experiments")}
    assert counted.written == len(stored["exposure_generations"]) > len(before["exposure_generations"])
    assert all(row in stored[name] for name, earlier in before.items() for row in earlier)
    again = Counted()
    ask(stopped, request, again, Silent())
    assert (again.written, again.read) == (0, 0)
    assert {name: rows(stopped, f"from {name} order by all") for name in stored} == stored
    ask(whole, request, Counted(), Silent())
    for name in (*KEPT, *FOUND):
        assert rows(whole, f"from {name} order by all") == stored[name]


def ask(db: Path, request: ExposureBiasRequest, load: Counted, progress: Silent) -> None:
    answer(named("exposure-bias"), Evaluations(Database(db), Settings(db=str(db)), progress, load=load), request)


def ratios(found: Rows, metric: str, prefix: str, gap: int = 0) -> dict[float, float]:
    """By rate."""
    same = [one for one in found if (one["metric"], one["prefix"], one["gap"]) == (metric, prefix, gap)]
    return {one["rate"]: one["ratio"] for one in sorted(same, key=itemgetter("rate"))}


@pytest.mark.parametrize("metric", ["bleu", "jensen_shannon", "total_variation"])
def test_damaged_prefixes_are_worse_than_the_models_own_and_the_more_so_the_higher_the_rate(
    found: Rows, metric: str
) -> None:
    [own] = ratios(found, metric, "model").values()
    [shuffled] = ratios(found, metric, "shuffled").values()
    corrupted = list(ratios(found, metric, "corrupted").values())
    assert shuffled > own
    assert own < corrupted[0] < corrupted[1] < corrupted[2]


def test_it_recovers_along_a_gap(found: Rows) -> None:
    assert ratios(found, "bleu", "corrupted", 8)[0.4] < ratios(found, "bleu", "corrupted")[0.4]


def test_each_ratio_is_that_of_its_scores(db: Path) -> None:
    """Beside data of the length at which prefix and gap end."""
    wrong = rows(
        db,
        """
        select one.* from exposure_scores as one join exposure_scores as data
            on data.prefix = 'data' and data.metric = one.metric and data.seed = one.seed
            and data.prefix_length = one.prefix_length + one.gap
        where one.prefix <> 'data' and abs(one.ratio - if(one.metric in ('total_variation', 'jensen_shannon'),
            one.score / data.score, data.score / one.score)) > 1e-12
        """,
    )
    [counted] = rows(db, "select count(*) as all, count(ratio) as known from exposure_scores where prefix <> 'data'")
    assert not wrong and counted["all"] == counted["known"] > 0


def test_a_deviation_is_what_transformers_says_of_both_models(db: Path, learnt: Path, early: Path) -> None:
    """After 16 tokens of data, of the first seed, read off what the model in the articles' place has written."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(learnt)
    sql = "select page_id, title || chr(10) || chr(10) || first_sentence || ' ' || completion as text from articles"
    read = {one["page_id"]: tokenizer(one["text"])["input_ids"] for one in rows(db, sql)}
    sql = """
        select generation_id, page_id, sample, tokens from exposure_generations
        qualify max(len(tokens)) over (partition by generation_id) = 32 order by all"""
    written: dict[str, dict[tuple[int, int], list[int]]] = {}
    for one in rows(db, sql):
        prompt = read[one["page_id"]][one["sample"] * TOKENS :][:8]
        written.setdefault(one["generation_id"], {})[one["page_id"], one["sample"]] = [*prompt, *one["tokens"][:16]]
    models = [AutoModelForCausalLM.from_pretrained(one).eval() for one in (early, learnt)]
    apart = []
    for of_seed in written.values():
        asked, _ = halves(list(of_seed), 0)
        with torch.inference_mode():
            tokens = torch.tensor([of_seed[key] for key in asked])
            p, q = (one(tokens).logits[:, -1].double().softmax(-1).numpy() for one in models)
        apart.append(float(np.mean(jensenshannon(p, q, axis=1) ** 2)))
    assert len(apart) == FEW_SEEDS
    [stored] = rows(
        db,
        "select score from exposure_scores where prefix = 'data' and metric = 'jensen_shannon' and seed = 0 "
        "and prefix_length = 16",
    )
    assert min(abs(stored["score"] - one) for one in apart) < 1e-6


def test_a_model_against_its_own_samples_has_an_eb_m_of_1(learnt: Path, empty: Path, tmp_path: Path) -> None:
    db = Path(shutil.copy(empty, tmp_path))
    own = ASKED | {"gap": (), "rate": ()}
    experiment("exposure-bias", str(learnt), data_model=str(learnt), db=db, quiet=True, **own)
    trends = {one["metric"]: one for one in rows(db, "from exposure_trends where prefix = 'model'")}
    assert trends["bleu"]["low"] < 1 < trends["bleu"]["high"]
    # Of five 95 % intervals at once, one often misses 1: all are asked whether 1 is in their 99.8 % intervals.
    assert all(trends[metric]["p"] > 0.01 / len(OF_TEXTS) for metric in OF_TEXTS)
    assert trends["jensen_shannon"]["mean"] is None
    assert trends["jensen_shannon"]["no_interval"] == "a score of 0"
    [stored] = rows(db, "select verdict, words from experiments")
    assert stored["verdict"] == "no difference shown (over 24 articles)"
    assert "EB-C is a division by 0" in " ".join(stored["words"])


@pytest.fixture(scope="module")
def beside(learnt: Path, empty: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Asked of the trained model beside articles, so that there is EB-M alone."""
    there = Path(shutil.copy(empty, tmp_path_factory.mktemp("beside")))
    experiment("exposure-bias", str(learnt), db=there, quiet=True, **ASKED | {"rate": (0.4,)})
    return there


def test_beside_articles_there_is_eb_m_alone_and_its_page_shows_it(beside: Path, tmp_path: Path) -> None:
    db = beside
    metrics = {one["metric"] for one in rows(db, "select distinct metric from exposure_measures")}
    assert metrics == OF_TEXTS
    found = rows(db, "from exposure_measures")
    assert ratios(found, "bleu", "shuffled")[0.0] > ratios(found, "bleu", "model")[0.0]
    [answer] = rows(db, "from experiments")
    page = write_answer(Database(db), answer["experiment_id"], tmp_path / "answer.html").read_text("utf-8")
    assert "EB-M (METEOR (exact, stem))" in page and "EB-C (JS)" not in page
    assert page.count("figure 2 of the paper)") == 1 and page.count("figure 3 of the paper)") == 2


def plain_bleu(texts: list[list[int]], references: list[list[int]]) -> float:
    """Papineni et al. 2002, n from 1 to 3, of texts as long as their references, so without a brevity penalty."""

    def grams(text: list[int], n: int) -> Counter[tuple[int, ...]]:
        return Counter(tuple(text[place : place + n]) for place in range(len(text) - n + 1))

    most = {n: Counter[tuple[int, ...]]() for n in (1, 2, 3)}
    for n, of_references in most.items():
        for reference in references:
            of_references |= grams(reference, n)
    total = 0.0
    for text in texts:
        logarithm = 0.0
        for n, of_references in most.items():
            counts = grams(text, n)
            matched = (counts & of_references).total() or (0.0 if n == 1 else 0.1)
            logarithm += (math.log(matched / counts.total()) if matched else -math.inf) / 3
        total += math.exp(logarithm)
    return total / len(texts)


@recomputes("exposure_trends")
def test_the_page_is_recomputed_from_raw_texts_alone(beside: Path, learnt: Path, tmp_path: Path) -> None:
    """EB-M by BLEU after the model's own prefixes, with its interval and verdict: none of the experiment's code."""
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(learnt)
    sql = "select page_id, title || chr(10) || chr(10) || first_sentence || ' ' || completion as text from articles"
    data = {
        (one["page_id"], place): tokenizer(one["text"])["input_ids"][place * TOKENS : (place + 1) * TOKENS]
        for one in rows(beside, sql)
        for place in range(STRETCHES)
    }
    pages = sorted({page for page, _ in data})

    def sha256(text: str) -> bytes:
        return hashlib.sha256(text.encode()).digest()

    # What was written after a prompt of 8 and 16 tokens of the article; and after the prompt alone, of which the
    # first 16 are the model's own prefix
    written: dict[str, dict[str, dict[tuple[int, int], list[int]]]] = {"data": {}, "model": {}}
    for one in rows(beside, "from exposure_generations"):
        key = one["page_id"], one["sample"]
        for kind, context in (("data", data[key][:24]), ("model", data[key][:8])):
            if one["context_sha256"] == sha256(json.dumps(context)).hex()[:32]:
                begin = 0 if kind == "data" else 16
                written[kind].setdefault(one["generation_id"], {})[key] = one["tokens"][begin : begin + 8]
    ratios: list[list[float]] = []
    groups = {page: place % 20 for place, page in enumerate(sorted(pages, key=lambda page: sha256(f"group:{page}")))}
    for seed in range(SEEDS):
        asked = set(sorted(pages, key=lambda page: sha256(f"{seed}:{page}"))[: len(pages) // 2])
        references = [tokens[24:32] for (page, _), tokens in data.items() if page not in asked]
        of_seed = {
            kind: next(texts for texts in generations.values() if {page for page, _ in texts} == asked)
            for kind, generations in written.items()
        }
        ratios.append([])
        for left_out in (None, *range(20)):
            after_data, after_own = (
                plain_bleu([text for (page, _), text in texts.items() if groups[page] != left_out], references)
                for texts in (of_seed["data"], of_seed["model"])
            )
            ratios[-1].append(math.log(after_data / after_own))
    whole, *without = [sum(column) / SEEDS for column in zip(*ratios, strict=True)]
    middle = sum(without) / 20
    error = math.sqrt(19 / 20 * sum((one - middle) ** 2 for one in without))
    reach = 2.0930240544 * error  # the 97.5 % point of Student's t with 19 degrees of freedom
    sql = "from {} where metric = 'bleu' and prefix = 'model'"
    [measure] = rows(beside, sql.format("exposure_measures"))
    [trend] = rows(beside, sql.format("exposure_trends"))
    expected = [math.exp(one) for one in (whole, whole - reach, whole + reach)]
    assert [measure[name] for name in ("ratio", "low", "high")] == pytest.approx(expected, rel=1e-9)
    assert [trend[name] for name in ("mean", "low", "high")] == pytest.approx(expected, rel=1e-9)
    assert trend["p"] == pytest.approx(2 * student.sf(abs(whole) / error, 19), rel=1e-6)
    judged = "no difference shown" if expected[1] <= 1 <= expected[2] else "worse" if whole > 0 else "better"
    [answer] = rows(beside, "from experiments")
    assert answer["verdict"].startswith(judged)
    page = write_answer(Database(beside), answer["experiment_id"], tmp_path / "answer.html").read_text("utf-8")
    assert "{:.3f} [{:.3f}, {:.3f}]".format(*expected) in page


def test_articles_that_are_too_short_are_counted_and_too_few_are_refused(
    learnt: Path, empty: Path, tmp_path: Path
) -> None:
    db = Path(shutil.copy(empty, tmp_path))
    with pytest.raises(TerminalError, match="0 of 24 articles have 236 tokens"):
        experiment("exposure-bias", str(learnt), db=db, quiet=True, **ASKED | {"prefix_length": (212,)})


def test_what_it_does_not_know_is_refused(learnt: Path) -> None:
    for wrong in ({"metrics": "all"}, {"stop": (".",)}, {"keep": 2}, {"rate": (1.5,)}, {"gap": (0,)}):
        with pytest.raises(UsageError):
            ExposureBiasRequest(models=(str(learnt),), **ASKED | wrong)


def test_synthetic_trains_a_smaller_model_and_measures_it(learnt: Path, empty: Path, tmp_path: Path) -> None:
    db = Path(shutil.copy(empty, tmp_path))
    asked = ASKED | {
        "gap": (),
        "rate": (1.0,),
        "seeds": FEW_SEEDS,
        "prompts": 8,
        "synthetic": True,
        "training_texts": 40,
    }
    experiment("exposure-bias", str(learnt), db=db, quiet=True, **asked)
    [folder] = tmp_path.glob("*.synthetic-*")
    assert json.loads((folder / "config.json").read_text())["n_layer"] == 1
    assert {one["model"] for one in rows(db, "select distinct model from exposure_measures")} == {
        f"{learnt}, synthetic"
    }
    weights = (folder / "model.safetensors").stat().st_mtime_ns
    before = rows(db, "from exposure_generations order by all")
    experiment("exposure-bias", str(learnt), db=db, quiet=True, **asked)
    assert (folder / "model.safetensors").stat().st_mtime_ns == weights
    assert rows(db, "from exposure_generations order by all") == before
    assert ratios(rows(db, "from exposure_measures"), "jensen_shannon", "corrupted")
