"""`newwiki experiment linking`: how hard each month is, so that a model's numbers of several months can be compared."""

from flows.experiments.experiment import Experiment
from newwiki.experiment_request import LinkingRequest

EXPERIMENT = Experiment(
    name="linking",
    version="2",
    title="Months on one scale",
    question="How hard is each month beside the newest?",
    source="Kolen & Brennan 2014, Test equating, scaling, and linking, chapters 4 and 7.3",
    help="Measure how hard each month is. Anchors (models that ran on two months under the same decoder, and the "
    "articles themselves) put each metric of one month on the scale of the other. `newwiki compare --across "
    "snapshot` and `newwiki leaderboard --linked` use the result. Each MODEL is run on all months first.",
    example="newwiki experiment linking gpt2 distilgpt2 gpt2-xl --decoder greedy",
    request=LinkingRequest,
)
