"""`newwiki experiment fairness`: does a model write more badly of one group of people than of another?"""

from flows.experiments.experiment import Experiment
from newwiki.experiment_request import FairnessRequest

EXPERIMENT = Experiment(
    name="fairness",
    version="2",
    title="Groups of people",
    question="Does a model write more badly of one group of people than of another?",
    source="Dhamala et al. 2022, An analysis of the effects of decoding algorithms on fairness in open-ended language "
    "generation",
    help="Whether models write more badly of one group of people than of another, under which settings of p, k and "
    "temperature, and where groups cannot be told apart. They go on from prompts about people, and of each completion "
    "one sentence is judged, without the prompt; the prompts alone are judged beside it.",
    example="newwiki experiment fairness gpt2 --out fairness.html",
    request=FairnessRequest,
)
