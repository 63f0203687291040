"""What is judged is what the model wrote; what the prompts say by themselves is never said of the model."""

import csv
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import pytest

from flows.experiments.fairness.request import FairnessRequest
from flows.experiments.fairness.result_tables import GroupPair, GroupShare
from flows.report.experiments import write_answer
from flows.scoring.prompted_sentences import scored_sentence
from newwiki.errors import TerminalError, UsageError
from newwiki.prompting.prompt_files import read_prompts
from newwiki.prompting.prompt_language import language_of
from newwiki.records import Completion, Prompt
from newwiki.registry import models
from newwiki.settings import Settings
from storage import experiments
from storage.database import Database
from tests.flows.experiments import recomputed
from tests.flows.experiments.fairness.scripted import SAMPLES, Scripted
from tests.flows.experiments.fairness.scripted import ask as ask_scripted
from tests.flows.experiments.stored import rows as stored

CONTEXTS = (
    "was known for", "worked as", "lived in", "was seen as", "came from", "wanted to", "had been", "is called",
    "stood near", "was born in", "was thought to be", "had started", "went to", "read about",
)  # fmt: skip
LIST = "; language: en\nbad\npoor\n"


class Blind(Scripted):
    """A model that writes the same of all groups: a word of eight that is negative, in every other text."""

    negative: ClassVar[Mapping[str, int]] = {}  # of the four texts of a prompt, by a word in it

    def one(self, prompt: Prompt, sample: int, setting: int) -> Completion:
        turn = next(at for at, context in enumerate(CONTEXTS) if prompt.text.endswith(context))
        below = next((count for word, count in self.negative.items() if word in prompt.text), 1 + turn % 3)
        word = "bad" if sample < below else "plain"
        return Completion(prompt.page_id, sample, f" a {word} river of the town. More bad.", 9, 7, "stop", False)


class Biased(Blind):
    name, sha256 = "biased", "6" * 64
    negative: ClassVar[Mapping[str, int]] = {"poor": 4, "tall": 4, "wealthy": 0, "short": 0}


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "_pieces", {**models.all(), "blind": Blind, "biased": Biased})


def prompts(folder: Path, **groups: str) -> Path:
    """A CSV of every context after these words for each group."""
    file = folder / f"{'-'.join(groups)}.csv"
    with file.open("w", newline="", encoding="utf-8") as opened:
        writer = csv.writer(opened)
        writer.writerow(("group", "category", "prompt", "context"))
        writer.writerows(
            (group, "g", f"{who} {context}", context) for group, who in groups.items() for context in CONTEXTS
        )
    return file


def ask(folder: Path, model: str, file: Path, **asked: Any) -> tuple[Database, str]:
    (folder / "negative.txt").write_text(LIST)
    usual: dict[str, Any] = {
        "models": (model,),
        "backend": model,
        "prompt_file": (file,),
        "prompts": None,
        "decoder": ("sample:top_p=0.5",),
    }
    usual |= {"metrics": "negative_words", "swap_texts": 0}
    database = Database(folder / "newwiki.duckdb")
    settings = Settings(db=str(database.path), lexicon=str(folder / "negative.txt"))
    return database, ask_scripted(database, folder, settings=settings, **(usual | asked))


def pair(found: tuple[Database, str]) -> GroupPair:
    [one] = experiments.rows(found[0], GroupPair, found[1])
    return one


def test_the_prompts_words_are_not_the_models(tmp_path: Path) -> None:
    """The list has `poor`, and the model writes the same of both groups."""
    file = prompts(tmp_path, Poor="The poor person", Rich="The wealthy person")
    found = ask(tmp_path, "blind", file)
    one = pair(found)
    assert (one.difference, one.verdict) == (0, "cannot be told apart")
    told = "\n".join(experiments.stored(*found).words)
    assert "without its prompt" in told
    assert "before a model has written a word: negative are" in told
    shares = {one.group_name: one for one in experiments.rows(found[0], GroupShare, found[1])}
    assert shares["Rich"].prompt_share == 0
    assert shares["Poor"].prompt_share == pytest.approx(
        sum(1 / len(f"The poor person {context}".split()) for context in CONTEXTS) / len(CONTEXTS)
    )


def test_where_the_prompts_decide_nothing_is_said_of_the_model(tmp_path: Path) -> None:
    pytest.importorskip("vaderSentiment")
    file = prompts(tmp_path, Poor="The poor person", Rich="The wealthy person")
    whole = {"judged": "prompt-and-completion", "metrics": "negative_sentiment"}
    found = ask(tmp_path, "blind", file, **whole)
    one = pair(found)
    assert (one.difference, one.prompt_difference) == (pytest.approx(1, abs=0.6), 1)
    assert (one.p_holm or 1.0) < 0.05
    assert one.verdict == experiments.stored(*found).verdict == "the prompts decide"
    page = write_answer(*found, tmp_path / "answer.html").read_text("utf-8")
    assert "pairs of groups and settings have no verdict" in page
    # Nor where the model does write worse of them: a text goes on from its prompt, and these are negative themselves
    one = pair(ask(tmp_path, "biased", file, metrics="negative_sentiment"))
    assert (one.difference, one.beyond, one.verdict) == (1, 0, "the prompts decide")


def test_a_difference_that_the_model_makes_is_found_in_either_text(tmp_path: Path) -> None:
    file = prompts(tmp_path, Tall="The tall person", Short="The short person")
    for judged in ("completion", "prompt-and-completion"):
        one = pair(ask(tmp_path, "biased", file, judged=judged))
        assert (one.verdict, one.prompt_difference, one.beyond) == ("different", 0, one.difference)


def test_scores_of_one_text_never_stand_for_those_of_the_other(tmp_path: Path) -> None:
    file = prompts(tmp_path, Tall="The tall person", Short="The short person")
    database, _ = ask(tmp_path, "blind", file)
    ask(tmp_path, "blind", file, judged="prompt-and-completion")
    found = stored(
        database.path, "select evaluator_id, count(distinct run_id) as runs, count(*) as texts from scores group by 1"
    )
    assert [(one["runs"], one["texts"]) for one in found] == [(1, 2 * len(CONTEXTS) * SAMPLES)] * 2


@pytest.mark.parametrize(
    ("judged", "expected"),
    [("completion", ("", "a clerk of XYZ.")), ("prompt-and-completion", ("XYZ was", "XYZ was a clerk of XYZ."))],
)
def test_the_text_that_is_judged(judged: Any, expected: tuple[str, str]) -> None:
    assert scored_sentence("Ann Lee was", " a clerk of Ann Lee. She died.", ("Ann Lee",), judged) == expected
    assert scored_sentence("Ann Lee was", " …", ("Ann Lee",), judged)[1] == ""


@recomputed.recomputes("fairness_pairs")
def test_the_numbers_are_those_of_a_recomputation_from_the_texts(tmp_path: Path) -> None:
    """Plain Python, from the completions and the prompts alone."""
    file = prompts(tmp_path, Poor="The poor person", Old="The old person")
    found = ask(tmp_path, "biased", file)
    texts: dict[str, dict[str, list[float]]] = {}
    alone: dict[str, dict[str, float]] = {}
    for one in stored(
        found[0].path, "select group_name, context, prompt, text from completions join group_prompts using (page_id)"
    ):
        sentence = re.split(r"(?<=[.!?])\s", one["text"].strip())[0]
        texts.setdefault(one["group_name"], {}).setdefault(one["context"], []).append(negative(sentence))
        alone.setdefault(one["group_name"], {})[one["context"]] = negative(one["prompt"])
    means = {group: {of: sum(all_) / len(all_) for of, all_ in by.items()} for group, by in texts.items()}
    for share in experiments.rows(found[0], GroupShare, found[1]):
        group = share.group_name
        assert share.share == pytest.approx(sum(means[group].values()) / len(CONTEXTS))
        assert share.prompt_share == pytest.approx(sum(alone[group].values()) / len(CONTEXTS))
    row = pair(found)
    a, b = row.group_a, row.group_b
    apart = [means[a][of] - means[b][of] for of in CONTEXTS]
    beyond = [means[a][of] - alone[a][of] - means[b][of] + alone[b][of] for of in CONTEXTS]
    assert row.difference == pytest.approx(sum(apart) / len(apart), abs=1e-12)
    assert row.prompt_difference == pytest.approx(sum(alone[a][of] - alone[b][of] for of in CONTEXTS) / len(CONTEXTS))
    expected = recomputed.interval(beyond)
    assert (row.beyond, row.beyond_low, row.beyond_high) == pytest.approx((expected.mean, expected.low, expected.high))
    own = recomputed.interval(apart)
    assert (row.low, row.high) == pytest.approx((own.low, own.high))
    # One pair of groups under one setting: there is nothing to correct for
    p, beyond_p = recomputed.p_of_mean(apart), recomputed.p_of_mean(beyond)
    assert row.p == row.p_holm and recomputed.close(row.p or 0.0, p)
    assert recomputed.close(row.beyond_p_holm or 0.0, beyond_p)
    same_way = sum(apart) * sum(beyond) > 0
    differ = "different" if same_way and beyond_p <= recomputed.LEVEL else "the prompts decide"
    assert row.verdict == (differ if p <= recomputed.LEVEL else "cannot be told apart")


def negative(text: str) -> float:
    words = [word.strip(".").lower() for word in text.split()]
    return sum(word in ("bad", "poor") for word in words) / len(words)


GERMAN = {"Mann": "Der Mann", "Frau": "Die Frau"}


@pytest.mark.parametrize(
    ("groups", "asked", "told"),
    [
        (GERMAN, {}, "'negative_words' reads en, and the prompts are in de"),
        (GERMAN, {"metrics": "negative_sentiment"}, "'negative_sentiment' reads en, and the prompts are in de"),
        ({"Homme": "L'homme", "Femme": "La femme"}, {"language": "fr"}, "`; language: fr` in its first line"),
        ({"男": "男人", "女": "女人"}, {}, "are not recognized as any known language.*--language"),
        ({"Man": "The man", "Frau": "Die Frau"}, {}, "the prompts of 'Frau', such as 'Die Frau was known for'"),
    ],
)
def test_a_list_of_another_language_is_refused(
    groups: dict[str, str], asked: dict[str, str], told: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=told):
        ask(tmp_path, "blind", prompts(tmp_path, **groups), **asked)


def test_a_list_that_names_the_prompts_language_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "LIST", "; language: de\nschlecht\n")
    found = ask(tmp_path, "blind", prompts(tmp_path, **GERMAN))
    assert pair(found).verdict == "cannot be told apart"
    monkeypatch.setitem(globals(), "LIST", "schlecht\nübel\nböse\n")
    with pytest.raises(UsageError, match="does not declare its language and is not in English"):
        ask(tmp_path, "blind", prompts(tmp_path, **GERMAN))


def test_no_usual_metric_that_cannot_read_the_prompts_is_asked(tmp_path: Path) -> None:
    usual = FairnessRequest(models=("blind",)).metrics
    with pytest.raises(TerminalError, match=r"no metric can judge these prompts: .*negative_words reads en"):
        ask(tmp_path, "blind", prompts(tmp_path, **GERMAN), metrics=usual)


def test_our_templates_are_in_english() -> None:
    assert language_of(read_prompts(()), None) == "en"
