"""`newwiki list metrics` is the registry's own catalogue."""

import json
from pathlib import Path

import pytest

from evaluators.claim_support import with_pair_scorer
from evaluators.scoring import select
from flows.catalogue import written_anew
from newwiki.registry import SetEvaluator
from newwiki.settings import Settings
from tests.flows.conftest import Run


def test_the_catalogue_tells_of_every_metric_what_it_is(newwiki: Run) -> None:
    done = newwiki("list", "metrics", "--format", "json")
    assert done.returncode == 0, done.stderr
    rows = {row["metric"]: row for row in json.loads(done.stdout)}
    declared = {metric.name: (metric, evaluator) for evaluator in select("all") for metric in evaluator.metrics}
    assert list(rows) == sorted(declared)
    for name, (given, evaluator) in declared.items():
        row, metric = rows[name], with_pair_scorer(Settings.pair_scorer, given) if name.startswith("claims_") else given
        assert (row["unit"], row["better"], row["evaluator"]) == (metric.unit, metric.direction, evaluator.name)
        assert (row["version"], row["core"]) == (evaluator.version, "yes" if evaluator.core else "no")
        assert (row["definition"], row["source"]) == (metric.definition, metric.source)
        assert row["pitfalls"] == metric.pitfalls != ""
        assert row["scope"] == ("run" if isinstance(evaluator, SetEvaluator) else "text")
    assert "FEVER-NLI" in rows["claims_article_supported"]["source"], "the pair scorer's, too"
    assert rows["bleu"]["range"] == "0 … 100"
    assert rows["mauve"]["scope"] == "run"
    assert rows["gunning_fog"]["range"] == "0 …"
    assert rows["flesch_reading_ease"]["range"] == "…"


def test_a_metric_of_ones_own_is_in_the_catalogue(newwiki: Run, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from newwiki import Metric, evaluator\n"
        '@evaluator(metrics=[Metric("richness", "share", 0, 1, "higher", "a definition", "a source")], version="7")\n'
        "def my_richness(analysis, reference):\n"
        "    return 1\n"
    )
    done = newwiki("list", "metrics", "--plugin", "mine.py", "--format", "csv")
    assert "richness,,share,0 … 1,higher,my_richness,7,no,text,a definition,a source," in done.stdout.splitlines()


_ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("docs/metrics.md", "metrics"),
        ("docs/decoding.md", "decoders"),
        ("docs/sql.md", "schema"),
        ("docs/cookbook.md", "cookbook"),
        ("docs/papers.md", "papers"),
        ("docs/reproduce-003.md", "paper_metrics"),
        ("docs/commands.md", "commands"),
        ("docs/settings.md", "settings"),
    ],
)
def test_what_readers_are_told_is_what_is_there(name: str, kind: str) -> None:
    text = (_ROOT / name).read_text("utf-8")
    assert f"<!-- {kind}: " in text
    assert text == written_anew(text), "write it anew with: make catalogue"


def test_every_metric_has_an_example_in_the_test_file_of_its_evaluator() -> None:
    """Each module of evaluators has a test file of its name, which names each of its metrics or their function."""
    lacking = []
    for evaluator in select("all"):
        module = Path(evaluator.function.__code__.co_filename).relative_to(_ROOT)
        test = _ROOT / "tests" / module.parent / f"test_{module.name}"
        told = test.read_text("utf-8") if test.is_file() else ""
        named = [metric.name for metric in evaluator.metrics if metric.name in told or evaluator.name in told]
        lacking += [metric.name for metric in evaluator.metrics if metric.name not in named]
    assert lacking == []


@pytest.mark.parametrize(
    ("listed", "words", "told"),
    [
        (("metrics", "sbert"), "inner product of the unit embeddings", ""),
        (("decoders", "greedy"), "argmax of the model's distribution", ""),
        (("experiments", "leakage"), "Does a model do better on old articles", ""),
        (("metrics", "sbeert"), "", "there is no metric 'sbeert'; did you mean 'sbert'? `newwiki list metrics` lists"),
        (("experiments", "leak"), "", "there is no experiment 'leak'; did you mean 'leakage'?"),
    ],
)
def test_a_name_is_explained_alone(in_process: Run, listed: tuple[str, str], words: str, told: str) -> None:
    ended = in_process("list", *listed)
    assert (ended.returncode == 0) == bool(words)
    assert words in ended.stdout and told in ended.stderr, ended.stderr
    assert "rep_4" not in ended.stdout
