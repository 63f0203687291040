"""What a user may ask is declared once, and every face is made of it."""

import json
import shutil
import subprocess
import sys
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from flows.cli import cli
from newwiki import request as requests
from newwiki.errors import UsageError
from newwiki.fields import fields_of
from newwiki.request import EvaluationRequest, RefreshRequest, Request
from newwiki.snapshot import OLD_SELECTION, Selection, Window
from newwiki.training_requests import FinetuneRequest, TrainScorerRequest

ROOT = Path(requests.__file__).parents[1]
REQUESTS = [made for made in vars(requests).values() if isinstance(made, type) and issubclass(made, Request)]
EVALUATION = EvaluationRequest(models=("toy",), decoder=("greedy",))

FACES = """
import inspect, json, sys
from pathlib import Path
from click.testing import CliRunner
import newwiki
from flows.cli import cli
from flows.evaluating.flow import evaluate
from flows.refreshing.flow import refresh
from flows.schedule.due import Month
from flows.schedule.month import request_of
from newwiki.registrations import load_registrations
from newwiki.settings import Settings

registered = load_registrations(Path("newwiki.toml"))
made = {
    "evaluate": request_of(registered, registered.models[0], "latest"),
    "refresh": Month(registered.wikis[0], "2026-09", registered, Settings()).request,
}
told = {}
for name, flow in (("evaluate", evaluate), ("refresh", refresh)):
    parameter = inspect.signature(getattr(newwiki, name)).parameters["patience"]
    (form,) = [one["properties"] for one in flow.parameters.definitions.values() if "patience" in one["properties"]]
    told[name] = {
        "home": str(Path(newwiki.__file__).parent.parent),
        "help": " ".join(CliRunner().invoke(cli, [name, "--help"]).output.split()),
        "signature": [parameter.kind.name, parameter.annotation.__name__, parameter.default],
        "documented": "patience: How long one waits." in getattr(newwiki, name).__doc__,
        "registered": made[name].patience,
        "form": form["patience"],
    }
print(json.dumps(told))
"""


@pytest.mark.slow
def test_a_field_that_is_added_to_a_request_is_in_all_four_faces(tmp_path: Path) -> None:
    for room in ("newwiki", "evaluators", "storage", "flows"):
        shutil.copytree(ROOT / room, tmp_path / room, ignore=shutil.ignore_patterns("__pycache__"))
    declared = tmp_path / "newwiki" / "request.py"
    text = declared.read_text("utf-8")
    for beside in ("    samples: int = field(20,", "    month: str | None = field("):
        assert text.count(beside) == 1
        text = text.replace(beside, f'    patience: int = field(7, "How long one waits.", at_least=2)\n{beside}')
    declared.write_text(text, "utf-8")
    (tmp_path / "newwiki.toml").write_text(
        '[[wikis]]\nname = "enwiki"\npatience = 9\n[[models]]\nname = "toy"\ndecoders = ["greedy"]\n'
        "[evaluation]\npatience = 9\n"
    )
    answer = subprocess.run([sys.executable, "-c", FACES], cwd=tmp_path, capture_output=True, text=True, check=True)
    faces = json.loads(answer.stdout.splitlines()[-1])
    for name in ("evaluate", "refresh"):
        found = faces[name]
        assert found["home"] == str(tmp_path)
        assert "--patience INTEGER How long one waits. [default: 7; x>=2]" in found["help"]
        assert found["signature"] == ["KEYWORD_ONLY", "int", 7]
        assert found["documented"]
        assert found["registered"] == 9
        assert found["form"] == {
            "default": 7, "description": "How long one waits.", "minimum": 2, "title": "Patience", "type": "integer",
        }  # fmt: skip


@pytest.mark.parametrize("made", REQUESTS, ids=lambda made: made.__name__)
def test_every_field_has_a_line_of_help(made: type[Request]) -> None:
    for one in fields_of(made):
        assert one.help.endswith((".", "…", "?", ")")), f"{one.name}: {one.help}"
        assert "\n" not in one.help


def test_a_number_beyond_its_bound_is_refused_in_the_same_words_everywhere() -> None:
    for number in (0, -3):
        with pytest.raises(UsageError, match=f"^--samples must be at least 1, not {number}$"):
            replace(EVALUATION, samples=number)
        done = CliRunner().invoke(cli, ["evaluate", "toy", "--decoder", "greedy", "--samples", str(number)])
        assert str(done.exception) == f"--samples must be at least 1, not {number}"
    for rate in (0.0, -1.0, float("inf"), float("nan")):
        with pytest.raises(UsageError, match="--learning-rate must be above 0, not"):
            FinetuneRequest(model="m", snapshot=("s",), learning_rate=rate)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: replace(EVALUATION, keep=21), "--keep 21 is more than --samples 20: lower --keep or raise --samples"),
        (lambda: replace(EVALUATION, stop=("",)), "--stop is empty"),
        (lambda: TrainScorerRequest(base="b"), "--base needs a transformer"),
        (lambda: TrainScorerRequest(held_out=1.0), "--held-out 1 is out of range"),
        (
            lambda: FinetuneRequest(model="m", snapshot=("s",), validation=1.0),
            "--validation 1 is out of range",
        ),
    ],
)
def test_what_does_not_go_together_is_refused(wrong: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        wrong()


def test_a_refresh_names_one_window() -> None:
    assert RefreshRequest(month="2026-09").window == Window.month("2026-09")
    days = RefreshRequest(from_=date(2026, 9, 1), to=date(2026, 9, 30))
    assert days.window == Window.month("2026-09")
    assert RefreshRequest(kind="old", before=date(2020, 1, 1)).window == Window.before(date(2020, 1, 1))
    wrong: dict[str, Any]
    for wrong in ({}, {"month": "2026-09", "to": date(2026, 9, 2)}, {"from_": date(2026, 9, 1)}):
        with pytest.raises(UsageError, match="no window of creation"):
            _ = RefreshRequest(**wrong).window
    for wrong in ({"kind": "old"}, {"before": date(2020, 1, 1)}, {"kind": "old", "month": "2026-09"}):
        with pytest.raises(UsageError, match="--kind old and --before go together"):
            _ = RefreshRequest(**wrong).window


def test_what_is_left_open_is_the_usual_of_its_kind_of_pages() -> None:
    assert RefreshRequest(month="2026-09").selection == Selection()
    assert RefreshRequest(kind="old").selection == OLD_SELECTION
    assert RefreshRequest(kind="old", sample=7).selection == replace(OLD_SELECTION, sample=7)


def test_a_refresh_names_one_place() -> None:
    assert RefreshRequest(api="https://w.example/api.php").place == "https://w.example/api.php"
    assert RefreshRequest(wiki="zh_yuewiki").place == "https://zh-yue.wikipedia.org/w/api.php"
    assert RefreshRequest(dump=("a.xml",)).place == "a.xml"
    assert RefreshRequest(dump=("a.xml", "b.xml")).place == ("a.xml", "b.xml")
    for wrong in ({}, {"api": "a", "wiki": "enwiki"}, {"wiki": "enwiki", "dump": ("a",)}):
        with pytest.raises(UsageError, match="exactly one source is needed"):
            _ = RefreshRequest(**wrong).place
    with pytest.raises(UsageError, match="'wiktionary' is not the database name of a Wikipedia"):
        _ = RefreshRequest(wiki="wiktionary").place


def test_what_a_backend_is_loaded_with() -> None:
    assert EVALUATION.loading == {"dtype": "auto"}
    asked = replace(EVALUATION, chat=True, model_args={"dtype": "bfloat16", "device": "cpu"})
    assert asked.loading == {"dtype": "bfloat16", "chat": "yes", "device": "cpu"}
