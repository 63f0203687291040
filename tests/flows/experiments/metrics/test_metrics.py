"""What a metric sees is found out: a metric that is known to see content does, and one that counts words does not."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evaluators.perturbations import derangement
from evaluators.scoring import select
from flows.experiments.metrics import scoring
from flows.experiments.metrics.ladder import ARTICLE, HALF, OTHER, REPLACEMENT, RUNGS, WORDS, Wording, rungs
from flows.experiments.metrics.pairs import PAIRS, Scored, pairs_of
from flows.experiments.metrics.sight import sets_of, sights_of
from flows.progress import Silent
from flows.scoring.batches import BatchScores, TextBatch, score_batch
from flows.scoring.loaded_evaluators import LoadedEvaluators
from newwiki.settings import Settings
from newwiki.text.language import load_language
from newwiki.text.words import split_words
from storage import runs, snapshots, strata
from storage.database import Database
from tests.flows.conftest import Run
from tests.flows.experiments import recomputed
from tests.flows.experiments.metrics.known import METRICS, PLUGIN
from tests.flows.experiments.stored import rows

SNAPSHOT = "samplewiki-2026-09"
ENGLISH = load_language("en")


def ask(run: Run, database: Path, *more: str) -> dict[str, Any]:
    plugin = database.parent / "known.py"
    plugin.write_text(PLUGIN)
    done = run("experiment", "metrics", "--db", str(database), "--plugin", str(plugin), "--metrics", METRICS,
               "--by", "length", "--format", "json", *more)  # fmt: skip
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def texts_of(database: Path) -> dict[int, dict[str, str | None]]:
    articles = {article.page_id: article for article in snapshots.articles(Database(database), SNAPSHOT)}
    others = derangement(dict.fromkeys(articles), 0)
    wording = Wording("en", ENGLISH.months, ENGLISH.negations)
    return {page: rungs(article, articles[others[page]], wording, 0) for page, article in articles.items()}


def test_texts_of_an_article_have_one_length_unless_they_are_about_length(database: Path) -> None:
    for texts in texts_of(database).values():
        lengths = {name: len(split_words(text)) for name, text in texts.items() if text is not None}
        own = {"first_sentence", "headings", "names_exchanged"} | {f"words_{length}" for length in (40, 80, 160, 320)}
        assert {lengths[name] for name in lengths.keys() - own} == {lengths[ARTICLE]}
        assert lengths[ARTICLE] <= WORDS
        assert [lengths[f"words_{length}"] for length in (40, 80, 160, 320)] == [40, 80, 160, 320]
        assert list(texts) == list(RUNGS)
        assert texts["headings"] and texts["headings"].startswith("# ")


@pytest.mark.slow
@recomputed.recomputes("metric_pairs")
def test_known_answers(newwiki: Run, database: Path) -> None:
    answer = ask(newwiki, database)
    sights = {row["metric"]: row for row in rows(database, "from metric_sight")}
    assert "content" in sights["words_of_article"]["sees"]
    assert sights["words_of_article"]["length"] == "rises" and sights["words_of_article"]["length_gap"] > 0
    means = {row["text"]: row for row in rows(database, "from metric_rungs where metric = 'words_of_article'")}
    ladder = [means[name]["mean"] for name in REPLACEMENT]
    assert ladder == sorted(ladder, reverse=True) and len(set(ladder)) == len(ladder)

    assert (sights["constant"]["sees"], sights["constant"]["length"]) == ([], "cannot tell")
    assert {row["share"] for row in rows(database, "from metric_pairs where metric = 'constant'")} == {0.5}
    assert "content" not in sights["length_counter"]["sees"] and sights["length_counter"]["length"] == "rises"
    assert sights["style_of_vowels"]["sees"] == []
    assert {row["verdict"] for row in rows(database, "from metric_pairs where metric = 'unscorable'")} == {"no numbers"}

    told = answer["findings"]["holds"] + answer["findings"]["fails"] + answer["findings"]["unknown"]
    assert any("length_counter sees nothing of what is tested; with length alone it rises" in one for one in told)
    assert any("style_of_vowels describes style and has no better direction" in one for one in told)
    assert any("unscorable: no numbers" in one for one in told)
    assert answer["verdict"].startswith("1 of 5 metrics sees content; words_of_article")
    assert answer["unit"] == "articles" and answer["methods"]["runs"] == []

    _every_number_is_that_of_the_texts(database)
    _each_part_has_the_share_of_its_articles(database)
    _the_same_answer_is_not_computed_again(newwiki, database, answer)
    listed = newwiki("metrics", "--db", str(database), "--plugin", str(database.parent / "known.py"), "--format", "csv")
    assert f'constant,"nothing ({SNAPSHOT}, 13 articles)"' in listed.stdout


def _every_number_is_that_of_the_texts(database: Path) -> None:
    """The share of one metric, once more: from the articles' texts, in plain Python."""
    references = dict(rows_of(database, "select page_id, completion from articles"))
    scores = {
        page: {
            name: len(set(references[page].split()) & set(text.split())) / len(set(references[page].split()))
            for name, text in texts.items()
            if text is not None
        }
        for page, texts in texts_of(database).items()
    }
    found = rows(database, "from metric_pairs where metric = 'words_of_article'")
    p_values = []
    for row in found:
        both = [one for one in scores.values() if {row["text"], row["beside"]} <= one.keys()]
        apart = [one[row["text"]] - one[row["beside"]] for one in both]
        wins = [0.5 if abs(one) < 1e-12 else float(one > 0) for one in apart]
        assert row["articles"] == len(wins) and row["share"] == pytest.approx(sum(wins) / len(wins))
        low, high = recomputed.bounded(wins, 0, 1)
        assert [row["low"], row["high"]] == ([None, None] if np.isnan(low) else pytest.approx([low, high]))
        p_values.append(_sign_test(wins))
        assert row["p"] == pytest.approx(p_values[-1])
    for row, p in zip(found, recomputed.holm(p_values), strict=True):
        assert row["p_holm"] == pytest.approx(p)
        words = ("higher", "lower") if row["direction"] == "none" else ("right", "wrong")
        assert row["verdict"] == ("cannot tell" if p > 0.05 else words[row["share"] < 0.5])


def _each_part_has_the_share_of_its_articles(database: Path) -> None:
    """Each third of the lengths is counted apart, and the thirds together are the whole."""
    found = rows(database, "from metric_strata where metric = 'words_of_article'")
    parts = strata.pages(Database(database), "length", SNAPSHOT)
    assert [(row["stratum"], row["value"], row["articles"]) for row in found] == [
        ("length", value, len(pages)) for value, pages in parts.items()
    ]
    [whole] = rows(
        database, f"from metric_pairs where metric = 'words_of_article' and (text, beside) = ('{ARTICLE}', '{OTHER}')"
    )
    assert sum(row["share"] * row["articles"] for row in found) == pytest.approx(whole["share"] * whole["articles"])
    assert {row["share"] for row in rows(database, "from metric_strata where metric = 'constant'")} == {0.5}


def _sign_test(wins: list[float]) -> float:
    from scipy.stats import binomtest

    first, second = sum(one == 1 for one in wins), sum(one == 0 for one in wins)
    return float(binomtest(first, first + second).pvalue) if first + second else 1.0


def _the_same_answer_is_not_computed_again(run: Run, database: Path, answer: dict[str, Any]) -> None:
    plugin = str(database.parent / "known.py")
    done = run("experiment", "metrics", "--db", str(database), "--plugin", plugin, "--metrics", METRICS,
               "--by", "length", "--format", "json")  # fmt: skip
    assert json.loads(done.stdout) == answer
    assert "score the ladder" not in done.stderr


def test_an_interrupted_scoring_goes_on_and_another_metric_scores_by_it_alone(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = Database(database)
    snapshot = snapshots.resolve(stored, SNAPSHOT)
    articles, texts = snapshots.articles(stored, SNAPSHOT), texts_of(database)
    loaded = LoadedEvaluators(select("bleu,rep_4"), Settings(entities="rules-v1"), 200)
    runs.register(stored, [*loaded.fingerprints.values()], [one for each in loaded.evaluators for one in each.metrics])
    scored: list[tuple[str, ...]] = []

    def score(evaluators: LoadedEvaluators, batch: TextBatch) -> BatchScores:
        if len(scored) == 2:
            raise KeyboardInterrupt
        scored.append(batch.evaluators)
        return score_batch(evaluators, batch)

    monkeypatch.setattr(scoring, "_ARTICLES", 4)
    monkeypatch.setattr(scoring, "score_batch", score)
    only_bleu = loaded.only(loaded.evaluators[:1])
    with pytest.raises(KeyboardInterrupt):
        scoring.score_ladder(stored, snapshot, articles, texts, only_bleu, Silent())
    scored.append(())
    again = scoring.score_ladder(stored, snapshot, articles, texts, only_bleu, Silent())
    both = scoring.score_ladder(stored, snapshot, articles, texts, loaded, Silent())
    assert scored == [("bleu",)] * 2 + [()] + [("bleu",)] * 2 + [("rep_4",)] * 4, "of 13 articles, 4 at a time"
    np.testing.assert_array_equal(again["bleu"], both["bleu"])
    scored.clear()
    monkeypatch.undo()
    with stored.write() as connection:
        connection.execute("delete from ladder_scores")
    anew = scoring.score_ladder(stored, snapshot, articles, texts, loaded, Silent())
    for metric in ("bleu", "rep_4"):
        np.testing.assert_array_equal(anew[metric], both[metric])
        assert np.isfinite(anew[metric]).all() and np.unique(anew[metric]).size >= 13


def rows_of(database: Path, sql: str) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in rows(database, sql)]


def scored(metric: str, **better: float) -> Scored:
    """A metric by which these texts are better than all others, by so much on every article."""
    values = np.zeros((20, len(RUNGS)))
    for name, much in better.items():
        values[:, list(RUNGS).index(name)] = much
    return Scored(metric, "e", "higher", values + np.arange(20)[:, None])


def test_content_takes_a_ladder_that_falls() -> None:
    whole = scored("whole", article=4, replaced_25=3, replaced_50=2, replaced_75=1)
    broken = scored("broken", article=4, replaced_25=1, replaced_50=2, replaced_75=0.5)
    first, second = sights_of([whole, broken], pairs_of([whole, broken]))
    assert "content" in first.sees and "content" not in second.sees


def test_a_metric_that_sees_no_content_sees_no_facts() -> None:
    one = scored("repeats", negated=-1, words_shuffled=-1)
    [sight] = sights_of([one], pairs_of([one]))
    assert sight.sees == ["order"]


def test_a_lower_number_is_better_where_the_metric_says_so() -> None:
    one = scored("errors", article=-4, replaced_25=-3, replaced_50=-2, replaced_75=-1)
    lower = Scored("errors", "e", "lower", one.values)
    [sight] = sights_of([lower], pairs_of([lower]))
    assert "content" in sight.sees


def test_a_metric_that_prefers_the_prompt_is_told() -> None:
    one = scored("repeater", article=4, replaced_25=3, replaced_50=2, replaced_75=1, first_sentence=5)
    [sight] = sights_of([one], pairs_of([one]))
    assert sight.prefers == ["first_sentence"] and "repetition" not in sight.sees


def test_the_best_set_is_the_smallest_that_sees_most() -> None:
    content = scored("content", article=4, replaced_25=3, replaced_50=2, replaced_75=1, numbers_changed=5)
    numbers = scored("numbers", numbers_changed=-1)
    copy = scored("zcopy", numbers_changed=-1)
    sets = sets_of(pairs_of([content, copy, numbers]))
    assert [found.metrics for found in sets] == [["content"], ["content", "numbers"]]
    assert sets_of([]) == []


def test_twelve_articles_are_too_few() -> None:
    few = Scored("few", "e", "higher", scored("few", article=1).values[:12])
    pairs = pairs_of([few])
    assert {pair.verdict for pair in pairs} == {"too few articles"}
    assert all(pair.low is None and pair.p_holm is None for pair in pairs)
    assert sights_of([few], pairs)[0].sees == []


def test_pairs_name_texts_of_the_ladder_once() -> None:
    assert len(set(PAIRS)) == len(PAIRS)
    assert {name for pair in PAIRS for name in pair} == set(RUNGS)
    assert (ARTICLE, OTHER) in PAIRS and (HALF, OTHER) in PAIRS


def test_metrics_of_runs_alone_are_refused(newwiki: Run, database: Path) -> None:
    done = newwiki("experiment", "metrics", "--db", str(database), "--metrics", "mauve")
    assert done.returncode == 2
    assert "no metric of a single text is among --metrics" in done.stderr


def test_one_article_gives_no_ladder(newwiki: Run, database: Path) -> None:
    done = newwiki("experiment", "metrics", "--db", str(database), "--metrics", "bleu", "--prompts", "1")
    assert done.returncode == 1
    assert "a ladder takes two or more" in done.stderr
