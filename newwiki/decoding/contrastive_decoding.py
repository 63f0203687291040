"""Contrastive decoding: prefer text that a large model, the expert, finds likelier than a small one, the amateur."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from newwiki.decoding.beams import Beams, BeamSearch, Best, best_tokens, by_stream, log_p
from newwiki.decoding.decoder import decoder
from newwiki.decoding.each_token import EachToken
from newwiki.decoding.grammar import Decoder, DecoderChoice, Named, Parameter
from newwiki.decoding.largest import largest
from newwiki.decoding.sample import race
from newwiki.decoding.stream import Search, Stream, View

if TYPE_CHECKING:
    from torch import Tensor


def _searches(decoder: Decoder) -> bool:
    return decoder.parameters["num_beams"] != 0


@decoder(
    "contrastive-decoding",
    parameters={
        "amateur": Named("the folder or hub id of a smaller model of the same tokenizer"),
        "alpha": Parameter(default=0.1, minimum=0, maximum=1),
        "amateur_temperature": Parameter(default=0.5, minimum=0, above=True),
        "amateur_context": DecoderChoice(("last", "full")),
        "candidates": DecoderChoice(("paper", "authors")),
        "num_beams": Parameter(default=5, minimum=0),
    },
    source="Li et al. 2022 (paper 000, first part), eq. 2 and 3, 3.4 and 7.3; the authors' code for candidates=authors",
    deterministic=_searches,
)
def contrastive_decoding(
    amateur: str, alpha: float, amateur_temperature: float, amateur_context: str, candidates: str, num_beams: int
) -> Search:
    """Search for the highest sum of log p_EXP − log p_AMA over plausible tokens; `num_beams=0` samples from them.

    The engine loads `amateur`, which reads the last token of the prompt and what follows (`last`), or all (`full`).

    `candidates=authors` follows the authors' code (XiangLi1999/ContrastiveDecoding), which differs from the paper. Of
    all tokens of all beams, it examines the 2·num_beams that the expert finds likeliest in this step, and ranks the
    plausible ones by score. At least two tokens per beam are plausible (one when sampling). The end of the text is
    never written, and the score normalizes log p_EXP without it and without blocked tokens. The amateur's log p is
    divided by its temperature and not normalized again. Not implemented: the hypotheses of score −1e9 or −inf that fill
    their beam and take up some of the 2·num_beams places; their weight `st_coef` of the amateur (here 1, as in the
    paper); and their `num_beams=1`, a greedy search over all tokens.
    """
    authors = candidates == "authors"
    contrast = Contrast(alpha, amateur_temperature, authors, at_least=2 if authors and num_beams else 1)
    if num_beams == 0:
        return EachToken(race(), contrast.for_draw)

    def propose(streams: Sequence[Stream], view: View, many: int) -> list[Best]:
        expert = contrast.expert(view)
        if authors:
            likeliest = likeliest_tokens(streams, expert, 2 * num_beams)
            return among(likeliest, contrast.scores(view, expert))
        return best_tokens(contrast.scores(view, expert), many)

    return BeamSearch(Beams(num_beams), propose)


@dataclass(frozen=True)
class Contrast:
    """The CD-score, with the amateur's `temperature`. At least `at_least` tokens are plausible, whatever `alpha`."""

    alpha: float
    temperature: float
    authors: bool
    at_least: int

    def expert(self, view: View) -> "Tensor":
        """Return log p_EXP [rows, vocabulary], -inf for forbidden tokens."""
        expert = log_p(view)
        if self.authors:
            expert[:, sorted(view.ends.tokens)] = -math.inf
        return expert

    def scores(self, view: View, expert: "Tensor") -> "Tensor":
        """Return CD-scores [rows, vocabulary], eq. 3: -inf for implausible tokens."""
        assert view.amateur is not None, "the engine also reads with the amateur"
        implausible = expert < self._threshold(expert)
        if self.authors:
            # Their filter of plausible tokens normalizes again what is left without the end of the text.
            expert, amateur = expert.log_softmax(dim=-1), view.amateur.log_softmax(dim=-1) / self.temperature
        else:
            amateur = (view.amateur / self.temperature).log_softmax(dim=-1)
        return (expert - amateur).masked_fill_(implausible, -math.inf)

    def for_draw(self, view: View, streams: Sequence[Stream]) -> "tuple[Tensor, Tensor]":
        """Return the scores whose softmax is sampled (7.3). No choice is sure if rounding may move a token across the
        threshold of plausibility; the likeliest token is always plausible."""
        import torch

        expert = self.expert(view)
        threshold = self._threshold(expert)
        above = torch.minimum(threshold + 2 * view.slack, expert.amax(dim=-1, keepdim=True))
        at_edge = ((expert >= threshold - 2 * view.slack) & (expert < above)).any(dim=-1, keepdim=True)
        slack = view.slack * (1 + 1 / self.temperature)
        return self.scores(view, expert), slack.masked_fill(at_edge, math.inf)

    def _threshold(self, expert: "Tensor") -> "Tensor":
        """Return [rows, 1], 3.2: log (alpha · max p_EXP), or lower if it leaves too few tokens."""
        import torch

        best, _ = largest(expert, self.at_least)
        alpha = math.log(self.alpha) if self.alpha else -math.inf
        return torch.minimum(best[:, :1] + alpha, best[:, -1:])


def likeliest_tokens(streams: Sequence[Stream], expert: "Tensor", many: int) -> list[list[int]]:
    """Return for each row the tokens that are among its stream's `many` likeliest in this step, by descending log p."""
    likeliest: list[list[int]] = []
    for _, rows in by_stream(streams, best_tokens(expert, many)):
        scored = [(log, row, token) for row, best in enumerate(rows) for token, log in best]
        scored = sorted(scored, key=lambda item: -item[0])[:many]
        likeliest += [[token for _, its_row, token in scored if its_row == row] for row in range(len(rows))]
    return likeliest


def among(tokens: Sequence[Sequence[int]], scores: "Tensor") -> list[Best]:
    """Return these tokens of each row with their scores from [rows, vocabulary], by descending score, without -inf."""
    import torch

    longest = max(map(len, tokens))
    padded = torch.tensor([[*row, *[0] * (longest - len(row))] for row in tokens], device=scores.device)
    values = scores.gather(1, padded.long()).tolist()
    rows = [
        [(token, score) for token, score in zip(row, row_values, strict=False) if score > -math.inf]
        for row, row_values in zip(tokens, values, strict=True)
    ]
    return [sorted(row, key=lambda pair: -pair[1]) for row in rows]
