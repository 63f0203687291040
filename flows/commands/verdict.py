"""`newwiki verdict`: says in one sentence whether a run is better than another."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from flows.commands.compare import show_sentence
from flows.jobs.job import Answer, Here, job, rows_answer
from flows.presenting import tables
from flows.presenting.numbers import digits, estimate, signed
from flows.printing import say
from newwiki.settings import SCORERS
from newwiki.verdict_request import VerdictRequest
from newwiki.visible import in_markdown

if TYPE_CHECKING:
    from flows.comparing.judge_pair import Judgement


@job(
    VerdictRequest,
    group="compare",
    settings=SCORERS,
    summary="Judge in one sentence whether a run is better than another.",
    examples=(
        "newwiki verdict gpt2/sample:top_p=0.9 gpt2/greedy",
        "newwiki verdict mine/greedy gpt2/greedy --format markdown",
        "newwiki verdict checkpoints/step-500 gpt2/greedy --until-sure --margin 0.02",
    ),
    result="""\
Returns one row, with the columns of `flows.comparing.overall_verdict.Verdict` and the sentence. `verdict` is `better`,
`worse`, `cannot tell`, `different` (a metric without a better direction) or `within the margin`.""",
)
def verdict(request: VerdictRequest, here: Here) -> Answer:
    """Judge whether run A, the candidate, is better or worse than run B, the baseline, or that it cannot be told.

    A is better if it is better by some metrics and worse by none (Holm's correction). The metrics are those that see
    content on the snapshot, where the anchors tell, and otherwise all that have a better direction. If the knowledge
    cutoffs of both models are known, only articles created after both of them count. The output has the difference with
    its 95 % interval, the smallest difference that so many articles would show, and the articles on which the runs
    differ most. --format markdown fits a comment on a pull request.

    With --until-sure, A is a checkpoint. The command writes and scores rounds of ten prompts in a seeded order, with
    the settings of B. It stops as soon as the verdict is sure or B's prompts are used up. The intervals hold at every
    look. The unfinished run is on no leaderboard; `newwiki evaluate` completes it.
    """
    if request.until_sure:
        from flows.evaluating.until_sure import judge_until_sure

        return judgement_answer(judge_until_sure(here.database, request, here.settings, here.progress), here)
    from flows.comparing.judge_pair import judge_pair

    return judgement_answer(judge_pair(here.database, request), here)


def judgement_answer(judgement: "Judgement", here: Here) -> Answer:
    """Return the answer that shows a verdict with its evidence."""
    from flows.comparing.overall_verdict import COLUMNS
    from flows.presenting.verdict_sentence import verdict_sentence

    sentence = verdict_sentence(judgement.verdict, judgement.candidate, judgement.baseline)
    values = asdict(judgement.verdict)
    row = [sentence, *(", ".join(value) if isinstance(value, tuple) else value for value in values.values())]

    def show(form: str) -> None:
        show_sentence(sentence, form)
        tables.show(
            ["metric", "baseline", "candidate", "difference [95 %]", "candidate is"], _metric_cells(judgement), form
        )
        if judgement.articles:
            if form == "markdown":
                say()
            heads = [f"differ most by {judgement.verdict.metric}", "baseline", "candidate", "difference"]
            tables.show(heads, _article_cells(judgement), form)
        if form == "markdown" and judgement.notes:  # a comment on a pull request holds stdout alone
            say("\n" + "\n".join(f"- {in_markdown(note)}" for note in judgement.notes))

    return rows_answer(here, ("sentence", *COLUMNS), [row], judgement.notes, show=show)


def _metric_cells(judgement: "Judgement") -> Sequence[Sequence[str]]:
    return [
        [
            one.metric,
            digits(one.mean_baseline),
            digits(one.mean_candidate),
            estimate(one.difference, one.low, one.high, signed, one.lacking),
            one.outcome,
        ]
        for one in judgement.outcomes
    ]


def _article_cells(judgement: "Judgement") -> Sequence[Sequence[str]]:
    return [
        [one.title or str(one.page_id), digits(one.baseline), digits(one.candidate), signed(one.difference)]
        for one in judgement.articles
    ]
