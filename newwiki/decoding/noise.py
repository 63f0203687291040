"""Generate Gumbel noise from a counter: a function of (seed, page, sample, step, token) and nothing else.

Each row's key is a BLAKE2b hash of (seed, page, sample). A draw mixes key, step and token with the finalizer of
SplitMix64 (Steele, Lea and Flood 2014), which gives the same bits in any order, batch or machine.
"""

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

_STEP = -7046029254386353131  # 0x9E3779B97F4A7C15, the golden ratio's 64 bits
_MIX_1 = -4658895280553007687  # 0xBF58476D1CE4E5B9
_MIX_2 = -7723592293110705685  # 0x94D049BB133111EB
_TOKEN = -2960836687051489901  # 0xD6E8FEB86659FD93
_CHUNK = 1 << 17  # numbers at a time, which fit into a processor's cache


def row_key(seed: int, page_id: int, sample: int) -> int:
    """Return a signed 64-bit key for one completion."""
    digest = hashlib.blake2b(f"{seed}:{page_id}:{sample}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "little", signed=True)


def gumbel(keys: "Tensor", step: "Tensor", tokens: "Tensor") -> "Tensor":
    """Return standard Gumbel noise, float32 [rows, k], for keys [rows], steps [rows] and token ids [rows, k] (all
    int64).

    Computed as −log(−log(1 − y)) for uniform y: exact to float32's last digits where the noise is large and decides.
    """
    import torch

    seeds = _mix(keys + step * _STEP)[:, None]
    noise = torch.empty(tokens.shape, dtype=torch.float32, device=tokens.device)
    rows = max(1, _CHUNK // max(1, tokens.shape[1]))
    for start in range(0, len(tokens), rows):
        part = slice(start, start + rows)
        bits = _mix(tokens[part] * _TOKEN + seeds[part])
        uniform = _shifted(bits, 12).to(torch.float32).add_(0.5).mul_(2.0**-52).clamp_(max=1 - 2.0**-24)
        noise[part] = uniform.neg_().log1p_().neg_().log_().neg_()
    return noise


def keys(rows: Sequence[tuple[int, int]], seed: int) -> "Tensor":
    """Return the keys [rows] of (page id, sample) pairs under one seed."""
    return seeded_keys([(seed, page_id, sample) for page_id, sample in rows])


def seeded_keys(rows: Sequence[tuple[int, int, int]]) -> "Tensor":
    """Return the keys [rows] of (seed, page id, sample) triples."""
    import torch

    return torch.tensor([row_key(*row) for row in rows], dtype=torch.int64)


def _mix(bits: "Tensor") -> "Tensor":
    bits = bits.bitwise_xor(_shifted(bits, 30)).mul_(_MIX_1)
    bits = bits.bitwise_xor_(_shifted(bits, 27)).mul_(_MIX_2)
    return bits.bitwise_xor_(_shifted(bits, 31))


def _shifted(bits: "Tensor", by: int) -> "Tensor":
    """Shift right by `by` bits, filling with zeros; torch's own shift copies the sign."""
    return (bits >> by).bitwise_and_((1 << (64 - by)) - 1)
