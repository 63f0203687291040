"""A pair scorer that is a list: the sixty sentences beside the evidence that decides them, by hand."""

from collections.abc import Mapping, Sequence

from evaluators.claims.claim import Label
from evaluators.claims.pair_classifier import Pair, Shares
from evaluators.claims.sentence_processing import claims_of
from tests.evaluators.claims.sixty_sentences import PAGES

_SHARES: Mapping[Label, Shares] = {
    "supported": Shares(0.9, 0.05, 0.05, False),
    "refuted": Shares(0.05, 0.9, 0.05, False),
    "not enough info": Shares(0.05, 0.05, 0.9, False),
}


class Scripted:
    """In the place of `evaluators.claims.pair_classifier.PairClassifier`."""

    model, model_sha256, dtype, backend = "scripted", None, None, None
    packages: tuple[str, ...] = ()
    parameters: Mapping[str, object] = {"script": "sixty sentences"}

    def __init__(self) -> None:
        self.asked = 0
        self._labels = {
            (page.evidence[decides], claims_of(sentence, page.title)[0].text): label
            for page in PAGES
            for sentence, label, decides in page.sentences
            if decides is not None
        }

    def fits(self, claim: str) -> bool:
        return True

    def shares(self, pairs: Sequence[Pair]) -> list[Shares]:
        self.asked += len(pairs)
        return [_SHARES[self._labels.get(pair, "not enough info")] for pair in pairs]
