"""`newwiki metrics` is the registry's own catalogue."""

import json
from pathlib import Path

from evaluators.scoring import select
from newwiki.registry import SetEvaluator
from tests.flows.conftest import Run


def test_the_catalogue_tells_of_every_metric_what_it_is(newwiki: Run) -> None:
    done = newwiki("metrics", "--format", "json")
    assert done.returncode == 0, done.stderr
    rows = {row["metric"]: row for row in json.loads(done.stdout)}
    declared = {metric.name: (metric, evaluator) for evaluator in select("all") for metric in evaluator.metrics}
    assert list(rows) == sorted(declared)
    for name, (metric, evaluator) in declared.items():
        row = rows[name]
        assert (row["unit"], row["better"], row["evaluator"]) == (metric.unit, metric.direction, evaluator.name)
        assert (row["version"], row["core"]) == (evaluator.version, "yes" if evaluator.core else "no")
        assert (row["definition"], row["source"]) == (metric.definition, metric.source)
        assert row["scope"] == ("run" if isinstance(evaluator, SetEvaluator) else "text")
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
    done = newwiki("metrics", "--plugin", "mine.py", "--format", "csv")
    assert "richness,share,0 … 1,higher,my_richness,7,no,text,a definition,a source" in done.stdout.splitlines()
