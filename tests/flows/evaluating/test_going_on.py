"""The command that goes on with a run is told by the run itself, and names that run and no other."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any, cast

import pytest

from flows.commands.evaluate import evaluate
from flows.evaluating.generate import plan
from flows.evaluating.going_on import command
from flows.evaluating.read_articles import plan_reading
from newwiki.decoding.grammar import Decoder, parse
from newwiki.fields import fields_of
from newwiki.models.backend import NUMERICS, Backend
from newwiki.models.chat_options import CHAT_ARGUMENTS, read_chat_options
from newwiki.records import Run
from newwiki.request import EvaluationRequest
from newwiki.settings import Settings
from storage.database import Database

_ARTICLES = 13  # of the sample wiki's September


@dataclass
class Loaded:
    """A checkpoint of ours, as loaded with these arguments, that is never asked for anything."""

    __module__ = "newwiki.models.huggingface"

    name: str
    loading: Mapping[str, str]
    backend: str = "hf"
    sha256: str = "0" * 64
    numerics: int = NUMERICS
    versions: Mapping[str, str] = field(default_factory=dict)

    @property
    def dtype(self) -> str:
        return "float32" if self.loading["dtype"] == "auto" else self.loading["dtype"]

    @property
    def settings(self) -> Mapping[str, str]:
        chat = self.loading.get("chat", "no")
        if chat == "no":
            return {"bos": self.loading.get("bos", "yes"), "chat": chat}
        texts = {name: self.loading[name] for name in CHAT_ARGUMENTS if name in self.loading}
        options = read_chat_options(chat=True, **texts)
        day = {"date": str(options.date)} if options.date else {}
        return {"bos": "template", "chat": chat, **options.settings, **day}

    def others(self, decoder: Decoder) -> Mapping[str, str]:
        return {}


def planned(database: Path, request: EvaluationRequest, template: str) -> Run:
    backend = cast(Backend, Loaded(request.models[0], request.loading))
    if request.likelihood_only:
        return plan_reading(Database(database), backend, request, template).run
    [decoder] = parse(request.decoder[0])
    return plan(Database(database), backend, decoder, request, template).run


def read(typed: str) -> tuple[EvaluationRequest, str, str]:
    """What `newwiki evaluate` makes of a line: the request, the template and the database."""
    words = shlex.split(typed)
    assert words[:2] == ["newwiki", "evaluate"]
    given = evaluate.make_context("evaluate", words[2:]).params
    request = EvaluationRequest(**{one.name: given[one.name] for one in fields_of(EvaluationRequest)})
    return request, given["template"] or Settings.template, given["db"]


_SAMPLE = "sample:top_p=0.9,temperature=0.7"


@pytest.mark.parametrize(
    ("asked", "template"),
    [
        ({"decoder": ("greedy",)}, Settings.template),
        ({"decoder": ("greedy",), "samples": 12, "prompts": 3, "model_args": {"bos": "no"}}, Settings.template),
        (
            {"decoder": (_SAMPLE,), "samples": 5, "keep": 2, "seed": 7, "max_new_tokens": 64, "stop": ("\n", "it's")},
            "On “{title}”:\n{first_sentence}",
        ),
        ({"decoder": (_SAMPLE,), "strict": True, "chat": True, "dtype": "bfloat16"}, Settings.template),
        (
            {"decoder": ("greedy",), "chat": True, "system": "Be brief.", "thinking": "off", "max_thinking_tokens": 9,
             "chat_template_args": {"enable_thinking": "false", "effort": "low"}, "date": date(2026, 10, 1),
             "cleaning": "none"},
            "On {title}:{answer}{first_sentence}",
        ),
        ({"decoder": ("greedy",), "cleaning": "prose"}, Settings.template),
        ({"likelihood_only": True, "prompts": 4}, Settings.template),
    ],
)  # fmt: skip
def test_the_same_run_is_named_again(database: Path, asked: dict[str, Any], template: str) -> None:
    run = planned(database, EvaluationRequest(models=("my models/a'b",), **asked), template)
    typed = command(run, _ARTICLES, "mine.duckdb")
    assert typed
    request, told, file = read(typed)
    assert planned(database, request, told) == run
    assert file == "mine.duckdb"


def test_what_is_usual_is_left_out(database: Path) -> None:
    asked = EvaluationRequest(models=("gpt2",), decoder=("sample:top_p=0.9",))
    run = planned(database, asked, Settings.template)
    told = "newwiki evaluate gpt2 --decoder sample:top_p=0.9 --model-args bos=yes --snapshot samplewiki-2026-09"
    assert command(run, _ARTICLES, Settings.db) == told


@pytest.mark.parametrize(
    "changes",
    [
        {"numerics": None},  # by another program
        {"numerics": NUMERICS - 1},
        {"decoder": "no-such:a=1"},
        {"versions": '{"server": "vllm", "seeds": "yes"}'},
        {"versions": '{"decoder_code_sha256": "0"}'},
    ],
)
def test_a_run_that_does_not_tell_it_has_none(database: Path, changes: dict[str, Any]) -> None:
    run = planned(database, EvaluationRequest(models=("gpt2",), decoder=("greedy",)), Settings.template)
    assert command(run, _ARTICLES, Settings.db)
    assert command(replace(run, **changes), _ARTICLES, Settings.db) is None
    assert command(run, None, Settings.db) is None  # on no snapshot
