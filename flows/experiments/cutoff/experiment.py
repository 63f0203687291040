"""`newwiki experiment cutoff`: up to which month has a model seen what was written?"""

from flows.experiments.experiment import Experiment
from newwiki.experiment_request import CutoffRequest

EXPERIMENT = Experiment(
    name="cutoff",
    version="3",
    title="By the month in which an article was begun",
    question="Up to which month has a model seen what was written?",
    source="Andrews 1993 (a change at an unknown time), Worsley 1986 (its interval)",
    help="From which month on a model does worse, as it has not read what was written then: over all snapshots of a "
    "wiki, by the month in which their articles were begun (old ones by year). Without --decoder the models only read "
    "the articles. What a --control, which saw none of them, shows too is the articles'.",
    example="newwiki experiment cutoff gpt2 --control distilgpt2 --out cutoff.html",
    request=CutoffRequest,
)
