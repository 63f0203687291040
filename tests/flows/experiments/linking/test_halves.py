"""One toy on two shuffled halves of a month ties, with real models that read and write."""

import random
from datetime import UTC, datetime
from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from flows.comparing.differences import compare_all
from flows.demonstration import wiki
from newwiki.request import ComparisonRequest
from newwiki.snapshot import Window
from newwiki.sources.dump import DumpSource
from newwiki.text.language import load_language
from newwiki.text.prose import extract_prose
from storage.comparison import every
from storage.database import Database
from tests.flows.experiments.linking.months import SEPTEMBER, add_month, link

HALVES = (f"{SEPTEMBER}-first", f"{SEPTEMBER}-second")
METRICS = "rep_4,distinct_2,words,bits_per_byte"


def paragraphs() -> list[str]:
    cutoff = datetime(2026, 10, 15, tzinfo=UTC)
    pages = [p for batch in DumpSource(str(wiki())).pages(Window.month("2026-09"), cutoff, set()) for p in batch.pages]
    prose = "\n\n".join(extract_prose(page.wikitext or "", load_language("en")) for page in pages)
    found = sorted({one for one in prose.split("\n\n") if 40 <= len(one.split()) <= 80})
    random.Random(0).shuffle(found)
    return found[:40]


@pytest.fixture(scope="module")
def halves(toy_checkpoint: Path, tmp_path_factory: pytest.TempPathFactory) -> Database:
    """Both halves, and a link between them by three toys whose weights are ever further from those of the toy."""
    folder = tmp_path_factory.mktemp("halves")
    database = Database(folder / "newwiki.duckdb")
    texts = paragraphs()
    for place, name in enumerate(HALVES):
        add_month(database, name, first=1 + 100 * place, texts=texts[place::2])
    models = [toy_checkpoint]
    for number in range(3):
        model = AutoModelForCausalLM.from_pretrained(toy_checkpoint)
        torch.manual_seed(number)
        with torch.no_grad():
            for weights in model.parameters():
                weights += 0.02 * (number + 1) * weights.std() * torch.randn_like(weights)
        models.append(folder / f"anchor-{number}")
        model.save_pretrained(models[-1])
        AutoTokenizer.from_pretrained(toy_checkpoint).save_pretrained(models[-1])
    link(
        database, models=tuple(map(str, models)), decoder=("greedy",), snapshot=HALVES[1], earlier=HALVES[:1],
        max_new_tokens=24, metrics=METRICS,
    )  # fmt: skip
    return database


def test_one_toy_on_two_shuffled_halves_of_a_month_ties(halves: Database, toy_checkpoint: Path) -> None:
    # The articles themselves are an anchor where they have the metric.
    for decoder, anchors in (("greedy", 4), ("likelihood", 3)):
        mine = [run.run_id for run in every(halves) if run.model == str(toy_checkpoint) and run.decoder == decoder]
        assert len(mine) == 2
        asked = ComparisonRequest(runs=tuple(mine), across=("snapshot",))
        ((_, _, rows, notes),) = compare_all(halves, asked)
        assert {row.verdict for row in rows} == {"cannot be told apart"}
        assert all(row.low is not None and row.high is not None and row.low <= 0 <= row.high for row in rows)
        assert f"by {anchors} anchors" in notes[0]
