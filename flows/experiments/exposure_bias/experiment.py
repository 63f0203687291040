"""`newwiki experiment exposure-bias`: does a model go on worse from its own text than from data?"""

from flows.experiments.experiment import Experiment
from newwiki.exposure_bias_request import ExposureBiasRequest

EXPERIMENT = Experiment(
    name="exposure-bias",
    version="2",
    title="Exposure bias",
    question="Does a model go on worse from its own text than from data?",
    source="He et al. 2021, Exposure bias versus self-recovery: are distortions really incremental for autoregressive "
    "text generation?",
    help="Measure whether models continue their own text worse than articles (EB-M, EB-C), whether the effect grows "
    "with the length of the text, and whether models recover from shuffled or corrupted prefixes.",
    example="newwiki experiment exposure-bias gpt2 --data-model gpt2-large",
    request=ExposureBiasRequest,
)
