"""vLLM's batch-invariant mode, which promises that no request changes another's text: on or off, and if on, tried."""

import os
from collections.abc import Sequence
from typing import Any

from newwiki.errors import TerminalError

MODE = "VLLM_BATCH_INVARIANT"
_TEXTS = 4  # that are written alone, and then beside others
_OTHERS = 28
_TOKENS = 32  # that each of them writes


def batch_invariance(engine: Any) -> str:
    """What a run records of it. Raises TerminalError where the mode is on and a text was another beside others."""
    if os.environ.get(MODE, "0") in ("", "0"):
        return "off"
    longest = max(1, engine.model_config.max_model_len - _TOKENS)
    prompts = [_prompt(number)[:longest] for number in range(_TEXTS + _OTHERS)]
    alone = [_written(engine, {number: prompts[number]})[number] for number in range(_TEXTS)]
    together = _written(engine, dict(enumerate(prompts)))
    changed = [number for number in range(_TEXTS) if together[number] != alone[number]]
    if changed:
        raise TerminalError(
            f"{MODE} is on, and yet vLLM wrote {len(changed)} of {_TEXTS} texts otherwise beside {_OTHERS} others than "
            "alone; run without it, which the run records, or take --backend hf"
        )
    return f"on; {_TEXTS} texts of {_TOKENS} tokens were the same alone and beside {_OTHERS} others"


def _prompt(number: int) -> list[int]:
    """Of as many lengths as there are numbers, so that prompts and steps of others are read together."""
    return [1 + (number * 7 + place * 3) % 60 for place in range(3 + number * 5)]


def _written(engine: Any, prompts: dict[int, list[int]]) -> dict[int, Sequence[int]]:
    """The tokens that follow each prompt: drawn for odd numbers, the most probable ones for others."""
    from vllm import SamplingParams
    from vllm.sampling_params import RequestOutputKind

    for number, prompt in prompts.items():
        asked = SamplingParams(
            temperature=number % 2,
            seed=number,
            max_tokens=_TOKENS,
            ignore_eos=True,
            output_kind=RequestOutputKind.FINAL_ONLY,
        )
        engine.add_request(f"trial:{number}", {"prompt_token_ids": prompt}, asked)
    written: dict[int, Sequence[int]] = {}
    while len(written) < len(prompts):
        for one in engine.step():
            if one.finished:
                written[int(one.request_id.removeprefix("trial:"))] = tuple(one.outputs[0].token_ids)
    return written
