"""Test vLLM's batch-invariant mode: do other requests change a text?"""

import os
from collections.abc import Sequence
from typing import Any

from newwiki.errors import TerminalError

MODE = "VLLM_BATCH_INVARIANT"
_TEXTS = 4  # texts that are generated alone, and again together with others
_OTHERS = 28
_TOKENS = 32  # tokens per text


def batch_invariance(engine: Any) -> str:
    """Return what a run records about the mode. Raises TerminalError if it is on and other requests changed a text."""
    if os.environ.get(MODE, "0") in ("", "0"):
        return "off"
    longest = max(1, engine.model_config.max_model_len - _TOKENS)
    prompts = [_prompt(number)[:longest] for number in range(_TEXTS + _OTHERS)]
    alone = [_written(engine, {number: prompts[number]})[number] for number in range(_TEXTS)]
    together = _written(engine, dict(enumerate(prompts)))
    changed = [number for number in range(_TEXTS) if together[number] != alone[number]]
    if changed:
        raise TerminalError(
            f"{MODE} is on, but {len(changed)} of {_TEXTS} texts that vLLM generated together with {_OTHERS} others "
            "differ from those generated alone; unset it (the run records this), or use --backend hf"
        )
    return f"on; {_TEXTS} texts of {_TOKENS} tokens were the same alone and beside {_OTHERS} others"


def _prompt(number: int) -> list[int]:
    """Return a prompt of a length of its own, so that prefills and decoding steps of others are mixed."""
    return [1 + (number * 7 + place * 3) % 60 for place in range(3 + number * 5)]


def _written(engine: Any, prompts: dict[int, list[int]]) -> dict[int, Sequence[int]]:
    """Return the tokens that follow each prompt: sampled for odd numbers, greedy for even ones."""
    from vllm import SamplingParams
    from vllm.sampling_params import RequestOutputKind

    for number, prompt in prompts.items():
        parameters = SamplingParams(
            temperature=number % 2,
            seed=number,
            max_tokens=_TOKENS,
            ignore_eos=True,
            output_kind=RequestOutputKind.FINAL_ONLY,
        )
        engine.add_request(f"trial:{number}", {"prompt_token_ids": prompt}, parameters)
    written: dict[int, Sequence[int]] = {}
    while len(written) < len(prompts):
        for output in engine.step():
            if output.finished:
                written[int(output.request_id.removeprefix("trial:"))] = tuple(output.outputs[0].token_ids)
    return written
