"""`newwiki experiment models`: compare several models under the same settings with each other and with the articles."""

from dataclasses import dataclass

from flows.experiments.experiment import Experiment
from newwiki.experiment_request import WritingRequest
from newwiki.fields import field
from newwiki.paper_metrics import PAPER


@dataclass(frozen=True, kw_only=True)
class ModelsRequest(WritingRequest):
    """The models to compare under the paper's setting."""

    models: tuple[str, ...] = field(
        (),
        "Model to evaluate first if it has no run yet (default: read stored runs only).",
        argument=True,
        metavar="MODEL",
    )
    decoder: tuple[str, ...] = field(
        ("sample:top_p=0.9,top_k=20,temperature=0.9",), "Decoder whose runs are read (may be repeated).", metavar="SPEC"
    )


EXPERIMENT = Experiment(
    name="models",
    version="3",
    title="Models under one setting",
    question="Which of the paper's statements on models hold here?",
    source=f"{PAPER}, Experiments 1, New insights of large language models, table 3 and figure 5",
    help="Test the paper's statements about models and their sizes on all models that ran under the paper's setting, "
    "or under --decoder, with the articles as reference. Each statement holds, does not hold, or stays open, "
    "with intervals. Each MODEL without a run is evaluated first.",
    example="newwiki experiment models gpt2 distilgpt2 gpt2-xl --out models.html",
    request=ModelsRequest,
)
