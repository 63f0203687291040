"""`newwiki experiment models`: several models under one setting, beside the articles."""

from flows.experiments.experiment import Experiment
from newwiki.experiment_request import ModelsRequest
from newwiki.paper_metrics import PAPER

EXPERIMENT = Experiment(
    name="models",
    version="2",
    title="Models under one setting",
    question="Which of the paper's statements on models hold here?",
    source=f"{PAPER}, Experiments 1, New insights of large language models, table 3 and figure 5",
    help="Test the paper's statements about models and their sizes on all models that ran under the paper's setting, "
    "or under --decoder, with the articles as reference. Each statement holds, does not hold, or stays open, "
    "with intervals. Each MODEL without a run is evaluated first.",
    example="newwiki experiment models gpt2 distilgpt2 gpt2-xl --out models.html",
    request=ModelsRequest,
)
