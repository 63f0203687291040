"""`newwiki experiment contrast`: contrastive decoding beside contrastive search, and what each of its parts is for."""

from flows.experiments.experiment import Experiment
from newwiki.contrast_request import ContrastRequest

EXPERIMENT = Experiment(
    name="contrast",
    version="2",
    title="Contrastive decoding and contrastive search",
    question="What does contrastive decoding change, beside contrastive search and sampling?",
    source="Li et al. 2022, Contrastive decoding; Su and Xu 2022, An empirical study on contrastive search and "
    "contrastive decoding",
    help="How varied, how coherent and how near to articles texts are that a model writes in contrast to a smaller one "
    "(--amateur), beside contrastive search, greedy search and sampling; and what becomes of them with another "
    "amateur, without the plausibility constraint, and so on.",
    example="newwiki experiment contrast gpt2-xl --amateur gpt2 --ablations none --prompts 100",
    request=ContrastRequest,
)
