"""Define the request fields for sampling of each kind of server, and the parameters of `sample` that it supports.

A server uses its own defaults for fields that are missing (llama.cpp cuts at top_k 40, vLLM follows the model's
generation_config), so every supported field is sent, including those that are off.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from newwiki.decoding.grammar import Value
from newwiki.errors import UsageError, did_you_mean

Parameters = Mapping[str, Value]

_PENALTIES = ("presence_penalty", "frequency_penalty")


@dataclass(frozen=True)
class Dialect:
    """The dialect of a server. `takes` lists its supported parameters besides greedy; `words` maps the parameters of
    `sample` to request fields (temperature 0 is greedy).

    `length` and `chat_length` name the field for the maximum completion length. `at_once` is the default number of
    parallel requests; `lists_models` tells whether /models lists the served models.
    """

    takes: tuple[str, ...]
    words: Callable[[Parameters], Mapping[str, object]]
    length: str = "max_tokens"
    chat_length: str = "max_tokens"
    at_once: int = 8
    lists_models: bool = True


def dialect(name: str) -> Dialect:
    """Return the dialect of a kind of server. Raises UsageError for an unknown kind."""
    if name not in _DIALECTS:
        known = ", ".join(_DIALECTS)
        raise UsageError(
            f"there is no server kind '{name}'; server= must be one of: {known}{did_you_mean(name, _DIALECTS)}"
        )
    return _DIALECTS[name]


def _openai(parameters: Parameters) -> Mapping[str, object]:
    """Build fields for OpenAI's API reference, which other services follow."""
    return {key: parameters[key] for key in ("temperature", "top_p", *_PENALTIES)}


def _vllm(parameters: Parameters) -> Mapping[str, object]:
    """Build fields for vLLM's OpenAI-compatible server, with its extra parameters; top_k −1 is off in every version."""
    return {
        **_openai(parameters),
        "top_k": parameters["top_k"] or -1,
        "min_p": parameters["min_p"],
        "repetition_penalty": parameters["repetition_penalty"],
    }


def _llama_cpp(parameters: Parameters) -> Mapping[str, object]:
    """Build fields for llama.cpp's server, which also reads its own parameters (tools/server/README.md). Samplers that
    are not listed are off; in its default order the temperature would come last. Its penalties include the prompt."""
    return {
        "samplers": ["penalties", "temperature", "top_k", "top_p", "min_p", "typ_p"],
        "temperature": parameters["temperature"],
        "top_k": parameters["top_k"],
        "top_p": parameters["top_p"],
        "min_p": parameters["min_p"],
        "typical_p": parameters["typical_p"],
        "repeat_penalty": parameters["repetition_penalty"],
        "repeat_last_n": -1,
    }


def _tgi(parameters: Parameters) -> Mapping[str, object]:
    """Build fields for Text Generation Inference, which rejects a top_p of 1 and turns presence_penalty into a
    repetition penalty, so that is not sent."""
    words: dict[str, object] = {"temperature": parameters["temperature"]}
    return words if parameters["top_p"] == 1 else {**words, "top_p": parameters["top_p"]}


def _transformers(parameters: Parameters) -> Mapping[str, object]:
    """Build fields for `transformers serve`, which samples as the checkpoint's generation_config says unless it gets
    another. It ignores presence_penalty and turns frequency_penalty into a repetition penalty, so neither is sent."""
    sampled = {
        "do_sample": parameters["temperature"] != 0,
        **{key: parameters[key] for key in ("top_k", "typical_p", "repetition_penalty")},
    }
    return {
        "generation_config": json.dumps(sampled),
        "temperature": parameters["temperature"],
        "top_p": parameters["top_p"],
    }


_DIALECTS = {
    "openai": Dialect(("temperature", "top_p", *_PENALTIES), _openai, chat_length="max_completion_tokens"),
    "vllm": Dialect(("temperature", "top_p", "top_k", "min_p", "repetition_penalty", *_PENALTIES), _vllm),
    "llama.cpp": Dialect(("temperature", "top_p", "top_k", "min_p", "typical_p", "repetition_penalty"), _llama_cpp),
    "tgi": Dialect(("temperature", "top_p"), _tgi),
    # One seed applies to the whole process, so parallel requests would disturb each other.
    "transformers": Dialect(
        ("temperature", "top_p", "top_k", "typical_p", "repetition_penalty"),
        _transformers,
        at_once=1,
        lists_models=False,
    ),
}
