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
    help="Whether models go on worse from their own text than from articles (EB-M, EB-C), whether that grows with its "
    "length, and whether they recover from prefixes that were shuffled or corrupted.",
    example="newwiki experiment exposure-bias gpt2 --data-model gpt2-large",
    request=ExposureBiasRequest,
)
