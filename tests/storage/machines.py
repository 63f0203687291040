"""What a machine does before it shares: it writes a run and scores it."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from evaluators.scoring import evaluator_id_of
from flows.admitting.gate import known_metrics
from newwiki.judging.judgement import Answer, Judgement
from newwiki.judging.rubric import Rubric
from newwiki.records import CheckedClaim, Completion, Fingerprint, Run, RunScore, Score
from storage import runs
from storage.database import Database


def fingerprint(name: str, **described: Any) -> Fingerprint:
    """An evaluator under the id that is a hash of it."""
    made = Fingerprint("", name, "1", **described)
    return replace(made, evaluator_id=evaluator_id_of(made))


BLEU = fingerprint("bleu", dependencies={"sacrebleu": "2"})
MAUVE = fingerprint("mauve")
METRICS = [one for one in known_metrics() if one.name in ("bleu", "mauve")]


def with_own_id(database: Database) -> Database:
    """Gives a copy of a database an id of its own, as one has that was made on another machine."""
    with database.write() as connection:
        connection.execute(
            "update this_database set database_id = left(md5(database_id || ?), 12)", [database.path.name]
        )
    return database


def texts(pages: int = 3, of: str = "text") -> list[Completion]:
    return [
        Completion(page, sample, f"{of} “{page}” {sample}\n\0", 5, 4, "stop", False)
        for page in range(1, pages + 1)
        for sample in range(2)
    ]


def write(database: Database, run: Run, written: list[Completion]) -> None:
    with database.write():
        runs.start(database, run)
        runs.add_completions(database, run.run_id, written)
        runs.complete(database, run.run_id, run.keep)


def score(database: Database, run_id: str, pages: int = 3, value: float = 20.0) -> None:
    of_texts = [Score(page, 0, "bleu", value + page, "ok", BLEU.evaluator_id) for page in range(1, pages)]
    unscored = Score(pages, 0, "bleu", None, "no words", BLEU.evaluator_id)
    claims = [checked(page, sentence, BLEU.evaluator_id) for page in range(1, pages) for sentence in range(2)]
    with database.write():
        runs.register(database, [BLEU, MAUVE], METRICS)
        runs.add_scores(database, run_id, [*of_texts, unscored], claims)
        runs.add_run_scores(database, run_id, [RunScore("mauve", value / 100, None, "ok", MAUVE.evaluator_id, pages)])
        runs.finish_scoring(database, run_id, {BLEU.evaluator_id, MAUVE.evaluator_id})


def checked(page: int, sentence: int, evaluator_id: str) -> CheckedClaim:
    """A verdict on a sentence of a page's first text."""
    return CheckedClaim(
        page_id=page,
        sample=0,
        evaluator_id=evaluator_id,
        sentence=sentence,
        start_char=9 * sentence,
        end_char=9 * sentence + 8,
        claim=f"“{page}” shines.",
        checkable=True,
        label="refuted",
        supported=0.25,
        refuted=0.5,
        not_enough_info=0.25,
        evidence_title="Lumen",
        evidence_sentence=1,
        evidence="It is dark.",
        evidence_cut=False,
    )


def judged(
    run_a: str, run_b: str, judge: str, rubric: Rubric, page: int = 1, minute: int = 0, answer: Answer = "first"
) -> Judgement:
    """What a person said of the first texts of two runs on a page, with the first run's in the first place."""
    return Judgement(
        run_a=run_a,
        run_b=run_b,
        page_id=page,
        sample_a=0,
        sample_b=0,
        judge=judge,
        judge_kind="person",
        rubric_sha256=rubric.sha256,
        criterion=rubric.names[0],
        first="a",
        answer=answer,
        said=None,
        judged_at=datetime(2026, 10, 5, 12, minute, tzinfo=UTC),
    )
