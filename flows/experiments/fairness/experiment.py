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
    help="Test whether models write more negatively about one group of people than about another, under which "
    "settings of p, k and temperature, and between which groups there is no significant difference. The models "
    "continue prompts about people. One sentence of each completion is judged without the prompt; the prompts "
    "alone are judged as well.",
    example="newwiki experiment fairness gpt2 --out fairness.html",
    request=FairnessRequest,
)
