"""Define the request fields of each kind of server: for sampling, for its chat template and for thinking.

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

    In a chat:

    - `takes_template_args`: arguments of the chat template are in `chat_template_kwargs`; otherwise they are fields of
      the request itself
    - `reads_effort`: `reasoning_effort` is also a field of the request (models with a template in code, such as
      gpt-oss, read only this one)
    - `switches`: the arguments that turn the thinking on and off; None if the server has no switch
    - `begins`: the fields with which the model continues a last message of its own; None if it cannot
    """

    takes: tuple[str, ...]
    words: Callable[[Parameters], Mapping[str, object]]
    length: str = "max_tokens"
    chat_length: str = "max_tokens"
    at_once: int = 8
    lists_models: bool = True
    takes_template_args: bool = False
    reads_effort: bool = False
    switches: Mapping[bool, Mapping[str, object]] | None = None
    begins: Mapping[str, object] | None = None


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
    """Build fields for the servers of vLLM and SGLang, with their extra parameters; top_k −1 is off in every
    version."""
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


# Qwen's argument is `enable_thinking`, that of DeepSeek and Granite `thinking`; templates ignore unknown arguments.
_IN_TEMPLATE: Mapping[bool, Mapping[str, object]] = {
    on: {"enable_thinking": on, "thinking": on} for on in (True, False)
}
_VLLM = Dialect(
    ("temperature", "top_p", "top_k", "min_p", "repetition_penalty", *_PENALTIES),
    _vllm,
    takes_template_args=True,
    reads_effort=True,
    switches=_IN_TEMPLATE,
    begins={"add_generation_prompt": False, "continue_final_message": True},
)
_DIALECTS = {
    "openai": Dialect(("temperature", "top_p", *_PENALTIES), _openai, chat_length="max_completion_tokens"),
    "vllm": _VLLM,
    "sglang": _VLLM,
    # It continues a last message of the assistant without being told, but refuses to if the template thinks.
    "llama.cpp": Dialect(
        ("temperature", "top_p", "top_k", "min_p", "typical_p", "repetition_penalty"),
        _llama_cpp,
        takes_template_args=True,
        switches=_IN_TEMPLATE,
        begins={},
    ),
    # Its OpenAI-compatible API has no field for top_k, min_p and repeat_penalty, which the Modelfile sets. It turns
    # any effort into "on" for models that can only think or not.
    "ollama": Dialect(
        ("temperature", "top_p", *_PENALTIES),
        _openai,
        switches={True: {"reasoning_effort": "medium"}, False: {"reasoning_effort": "none"}},
        begins={},
    ),
    "tgi": Dialect(("temperature", "top_p"), _tgi),
    # One seed applies to the whole process, so parallel requests would disturb each other.
    "transformers": Dialect(
        ("temperature", "top_p", "top_k", "typical_p", "repetition_penalty"),
        _transformers,
        at_once=1,
        lists_models=False,
    ),
}
