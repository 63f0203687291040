"""A new piece is one file: the table in docs/architecture.md, row by row, in a scratch copy of the rooms."""

import json
import re
import shutil
import subprocess
import sys

import pytest

from tests.docs.blocks import ROOT

pytestmark = pytest.mark.slow

PIECES = {
    "a metric": """
from newwiki import Metric, evaluator

@evaluator(metrics=[Metric("added_metric", "", 0, None, "none", "d", "s")], version="1")
def added(analysis, reference):
    return 1.0
""",
    "a metric of a run": """
from newwiki import Metric, set_evaluator

@set_evaluator(metrics=[Metric("added_set_metric", "", 0, None, "none", "d", "s", scope="run")], version="1")
def added_set(corpus):
    return 1.0
""",
    "a scorer": """
name = "added_scorer"
model = "."
direction = "higher"
definition = "d"
source = "s"
""",
    "a decoder": """
from newwiki.decoding.decoder import decoder
from newwiki.decoding.greedy import greedy

@decoder("added-decoder", parameters={}, source="s", deterministic=True)
def added():
    return greedy()
""",
    "a source": """
from newwiki.sources.source import source

@source("added-source")
def added(place, contact):
    raise NotImplementedError
""",
    "a backend": """
from newwiki.models.backend import model

@model("added-backend")
def added(name, **arguments):
    raise NotImplementedError
""",
    "a command": """
from flows.jobs.job import Answer, job
from newwiki.request import PlanRequest

@job(PlanRequest, group="keep", summary="Show an added piece.", examples=("newwiki added-piece",))
def added_piece(request, here) -> Answer:
    "Show an added piece."
""",
    "an experiment": """
from flows.experiments.experiment import Experiment
from newwiki.experiment_request import ExperimentRequest

EXPERIMENT = Experiment(
    name="added-piece", version="1", title="Added", question="Is it there?", source="s", help="Ask for it.",
    example="newwiki experiment added-piece gpt2", request=ExperimentRequest,
)
""",
    "a result table": '''
from dataclasses import dataclass

from storage.result_tables import column, result_table


@result_table("added_rows", key=("name",))
@dataclass(frozen=True)
class AddedRow:
    """Added rows."""

    name: str = column("The name.")
    value: float | None = column("The value.")
''',
    "a request's field": '    added_field: int = field(7, "An added field.", at_least=2)\n',
}
FOUND = """
import inspect, json
import newwiki
from flows.cli import cli
from newwiki.registry import decoders, evaluators, models, set_evaluators, sources
from storage.database import Database

metrics = {metric.name for registry in (evaluators, set_evaluators) for one in registry.all().values()
           for metric in one.metrics}
with Database("added.duckdb").write() as connection:
    added = connection.execute("describe added_rows").fetchall()

print(json.dumps({
    "a metric": "added_metric" in metrics,
    "a metric of a run": "added_set_metric" in metrics,
    "a scorer": "added_scorer" in metrics,
    "a decoder": "added-decoder" in decoders.all(),
    "a source": "added-source" in sources.all(),
    "a backend": "added-backend" in models.all(),
    "a command": "added-piece" in cli.commands,
    "an experiment": "added-piece" in cli.commands["experiment"].commands,
    "a result table": [column[:2] for column in added]
    == [("experiment_id", "VARCHAR"), ("name", "VARCHAR"), ("value", "DOUBLE")],
    "a request's field": "added_field" in inspect.signature(newwiki.evaluate).parameters
    and "added_field" in {option.name for option in cli.commands["evaluate"].params},
}))
"""


def table() -> dict[str, tuple[str, bool]]:
    """By what is added the file, and whether that is a new one."""
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    _, rows = text.split("| to add | the file |\n| --- | --- |\n")
    found = re.findall(r"^\| (.+) \| `(.+)`(, new)? \|$", rows.split("\n\n")[0], re.MULTILINE)
    return {what: (file, bool(new)) for what, file, new in found}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bool]:
    """Which of the pieces a process finds where each was put into the file that the table names."""
    home = tmp_path_factory.mktemp("copy")
    for room in ("newwiki", "evaluators", "storage", "flows"):
        shutil.copytree(ROOT / room, home / room, ignore=shutil.ignore_patterns("__pycache__"))
    for what, (file, is_new) in table().items():
        place = home / file.replace("NAME", "added_piece").replace("EXPERIMENT", "models")  # which has none of its own
        if is_new:
            assert place.parent.is_dir() or place.parent.parent.name == "experiments"  # a folder for each
            if not place.parent.is_dir():
                place.parent.mkdir()
                (place.parent / "__init__.py").touch()
            assert not place.exists()
            place.write_text(PIECES[what], "utf-8")
        else:
            beside = "    samples: int = field(20,"
            text = place.read_text("utf-8")
            assert text.count(beside) == 1
            place.write_text(text.replace(beside, PIECES[what] + beside), "utf-8")
    answer = subprocess.run([sys.executable, "-c", FOUND], cwd=home, capture_output=True, text=True, check=False)
    assert answer.returncode == 0, answer.stderr
    return dict(json.loads(answer.stdout.splitlines()[-1]))


def test_the_table_has_every_piece() -> None:
    assert set(table()) == set(PIECES)


@pytest.mark.parametrize("what", PIECES)
def test_it_is_found_where_the_table_says_that_it_goes(found: dict[str, bool], what: str) -> None:
    assert found[what]
