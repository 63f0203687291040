"""In which words a kind of server is asked to sample, and which parameters of `sample` it takes.

What a server is not told it decides by its own defaults (llama.cpp cuts at top_k 40, vLLM as the model's
generation_config says), so that each is told all that it takes, what is off included.
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
    """`takes` names what it can do besides greedy, `words` are the fields of a request for the parameters of `sample`
    (temperature 0 is greedy).

    `length` and `chat_length` name the longest completion. `at_once` is how many requests are had by default side by
    side, and `lists_models` says whether /models lists what is served.
    """

    takes: tuple[str, ...]
    words: Callable[[Parameters], Mapping[str, object]]
    length: str = "max_tokens"
    chat_length: str = "max_tokens"
    at_once: int = 8
    lists_models: bool = True


def dialect(name: str) -> Dialect:
    """Raises UsageError for a kind of server that is not known."""
    if name not in _DIALECTS:
        known = ", ".join(_DIALECTS)
        raise UsageError(
            f"there is no kind of server '{name}'; server= is one of: {known}{did_you_mean(name, _DIALECTS)}"
        )
    return _DIALECTS[name]


def _openai(asked: Parameters) -> Mapping[str, object]:
    """OpenAI's API reference, which other services follow."""
    return {key: asked[key] for key in ("temperature", "top_p", *_PENALTIES)}


def _vllm(asked: Parameters) -> Mapping[str, object]:
    """vLLM's extra parameters of its OpenAI-compatible server; top_k −1 is off in every version."""
    return {
        **_openai(asked),
        "top_k": asked["top_k"] or -1,
        "min_p": 0.0,
        "repetition_penalty": asked["repetition_penalty"],
    }


def _llama_cpp(asked: Parameters) -> Mapping[str, object]:
    """llama.cpp's server reads its own parameters too (tools/server/README.md). Samplers that are not listed are off;
    by its own order the temperature would come last. Its penalties count the prompt's tokens as well."""
    return {
        "samplers": ["penalties", "temperature", "top_k", "top_p", "typ_p"],
        "temperature": asked["temperature"],
        "top_k": asked["top_k"],
        "top_p": asked["top_p"],
        "typical_p": asked["typical_p"],
        "repeat_penalty": asked["repetition_penalty"],
        "repeat_last_n": -1,
    }


def _tgi(asked: Parameters) -> Mapping[str, object]:
    """Text Generation Inference takes no top_p of 1, and makes a repetition penalty of presence_penalty."""
    words: dict[str, object] = {"temperature": asked["temperature"]}
    return words if asked["top_p"] == 1 else {**words, "top_p": asked["top_p"]}


def _transformers(asked: Parameters) -> Mapping[str, object]:
    """`transformers serve` samples where the checkpoint's generation_config says so, unless it is given another. It
    leaves presence_penalty out, and makes a repetition penalty of frequency_penalty."""
    sampled = {
        "do_sample": asked["temperature"] != 0,
        **{key: asked[key] for key in ("top_k", "typical_p", "repetition_penalty")},
    }
    return {
        "generation_config": json.dumps(sampled),
        "temperature": asked["temperature"],
        "top_p": asked["top_p"],
    }


_DIALECTS = {
    "openai": Dialect(("temperature", "top_p", *_PENALTIES), _openai, chat_length="max_completion_tokens"),
    "vllm": Dialect(("temperature", "top_p", "top_k", "repetition_penalty", *_PENALTIES), _vllm),
    "llama.cpp": Dialect(("temperature", "top_p", "top_k", "typical_p", "repetition_penalty"), _llama_cpp),
    "tgi": Dialect(("temperature", "top_p"), _tgi),
    # Its seed is the whole process's: requests side by side would take each other's.
    "transformers": Dialect(
        ("temperature", "top_p", "top_k", "typical_p", "repetition_penalty"),
        _transformers,
        at_once=1,
        lists_models=False,
    ),
}
