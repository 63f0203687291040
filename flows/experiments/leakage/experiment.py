"""`newwiki experiment leakage`: does a model do better on old articles, which it may have read, than on new ones?"""

from flows.experiments.experiment import Experiment
from newwiki.experiment_request import LeakageRequest

EXPERIMENT = Experiment(
    name="leakage",
    version="2",
    title="Old articles against new ones",
    question="Does a model do better on old articles, which it may have read, than on new ones?",
    source="New-Wiki Eval paper, experiment 3 (table 4)",
    help="Whether models do better on old articles, which they may have read, than on new ones that are matched with "
    "them by length, citations and topic. A gap that a --control, which saw neither, shows too is the articles'.",
    example="newwiki experiment leakage gpt2 --old enwiki-2026-08 --snapshot enwiki-2026-09 --control distilgpt2",
    request=LeakageRequest,
)
