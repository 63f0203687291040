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
    help="All models that ran under the paper's setting, or the --decoder that is given, beside the articles: what the "
    "paper says of models and of their sizes is tested on one's own runs, with intervals: it holds, it does not, or it "
    "cannot be told. A MODEL that is named is run first where it was not.",
    example="newwiki experiment models gpt2 distilgpt2 gpt2-xl --out models.html",
    request=ModelsRequest,
)
