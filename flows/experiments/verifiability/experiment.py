"""`newwiki experiment verifiability`: how much of what a model writes does the evidence support, by decoder?"""

from flows.experiments.experiment import Experiment
from newwiki.verifiability_request import VerifiabilityRequest

EXPERIMENT = Experiment(
    name="verifiability",
    version="2",
    title="Effects of decoding on verifiability",
    question="Under which decoder does the evidence support more of what a model writes?",
    source="Massarelli et al. 2020, How decoding strategies affect the verifiability of generated text",
    help="Measure how much of the generated text is supported by evidence, and how repetitive it is, by decoder. The "
    "--pair-scorer checks the first five sentences of each text against the index of --evidence, or against the "
    "article.",
    example="newwiki experiment verifiability gpt2-xl --prompts 200",
    request=VerifiabilityRequest,
)
