"""Merge an adapter into its base: peft reads the adapter, and it is merged into the base's float32 weights."""

import copy
import json
import re
import subprocess
import sys
import warnings
from collections.abc import Callable, Collection, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import fields
from pathlib import Path
from typing import Any

from newwiki.errors import TerminalError
from newwiki.models.adapters import CONFIG, read_config

SECONDS = 20.0
_PLAIN = re.compile(r"[\w.-]*")

# The forms in which peft puts a configuration's words into regular expressions: tuners/tuners_utils.py, utils/other.py
_TRY = r"""
import json, re, sys
words, names = json.load(sys.stdin)
for word in words:
    for form in (word, rf"(.*\.)?({word})$", rf"(^|.*\.){word}($|\..*)", rf"(?:^|.*?\.){word}\.(?P<idx>\d+)\."):
        pattern = re.compile(form)
        for name in names:
            pattern.fullmatch(name), pattern.match(name)
"""


def require_bounded(config: Any, names: Collection[str], adapter: str) -> None:
    """Match each word of a configuration against the names, in a separate process with a time limit.

    Raises TerminalError for words that take longer, because a regular expression such as `(a+)+b` may never finish, and
    for an invalid regular expression. Plain words take no time, so no process is started for them.
    """
    words = sorted({word for word in _words(config) if not _PLAIN.fullmatch(word)})
    if not words:
        return
    try:
        subprocess.run(
            [sys.executable, "-I", "-S", "-c", _TRY],
            input=json.dumps([words, sorted(names)]).encode(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=SECONDS,
            check=True,
        )
    except subprocess.TimeoutExpired:
        problem = f"takes more than {SECONDS:g} s to match"
    except subprocess.CalledProcessError:
        problem = "is invalid"
    else:
        return
    shown = max(words, key=len)
    raise TerminalError(
        f"the adapter '{adapter}' names modules by a regular expression that {problem} ({shown[:80]!a}); list the "
        "modules by their names in target_modules"
    )


def _words(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _words(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _words(inner)


_PREFIX = "base_model.model."  # precedes the base's own names in an adapter
_WHOLE = ".modules_to_save."
_TOKENS = 16  # tokens read for the comparison
_ROUNDING = 1e-4  # of the largest logit, in float32
_SHARE = 0.01  # of the adapter's effect on the logits

_KEPT: ContextVar[dict[Hashable, Any] | None] = ContextVar("the base that stays in memory", default=None)


@contextmanager
def bases_stay() -> Iterator[None]:
    """Keep the base of an adapter in memory for the next adapter on it, one base at a time."""
    if _KEPT.get() is not None:
        yield
        return
    token = _KEPT.set({})
    try:
        yield
    finally:
        _KEPT.reset(token)


def base_model(key: Hashable, read: Callable[[], Any]) -> Any:
    """Return a base to merge into: a new one from `read`, or a copy of the one kept in memory under the same key."""
    return read() if _KEPT.get() is None else copy.deepcopy(kept(key, read))


def kept(key: Hashable, read: Callable[[], Any]) -> Any:
    """Return what `read` returns, or the base that is kept in memory under the same key. Another base is dropped
    first."""
    bases = _KEPT.get()
    if bases is None:
        return read()
    if key not in bases:
        bases.clear()
        bases[key] = read()
    return bases[key]


def merged(base: Any, adapter: Path, name: str, dtype: str) -> Any:
    """Return the base (float32, modified in place) with the adapter of a folder in its weights, as if it had been saved
    in float32 and loaded in `dtype`.

    Raises TerminalError for an adapter that lacks weights or has weights that do not fit the base, and if the merged
    model differs from the base with the separate adapter.
    """
    import torch

    with warnings.catch_warnings(), torch.random.fork_rng(devices=[]):
        warnings.simplefilter("ignore")
        torch.manual_seed(0)  # for weights that are initialized before they are loaded
        adapted = _adapted(base, adapter, name)
        wanted = _logits(adapted)
        with adapted.disable_adapter():
            before = _logits(adapted)
        model = adapted.merge_and_unload(safe_merge=True)
    difference, effect = ((wanted - logits).abs().max() for logits in (_logits(model), before))
    if not difference <= max(_ROUNDING * wanted.abs().max(), _SHARE * effect):
        raise TerminalError(
            f"the adapter '{name}' cannot be merged: merging changes the logits by {difference:.2g}, and the adapter "
            f"itself by {effect:.2g}; merge it with another tool and pass the merged model's folder"
        )
    for weight in model.parameters():
        weight.data = weight.data.contiguous()
    model.requires_grad_(True)
    return model if dtype == "float32" else _as_loaded(model, getattr(torch, dtype), name)


def _adapted(base: Any, adapter: Path, name: str) -> Any:
    """Return peft's model of the base with the separate adapter."""
    from peft import PeftConfig, get_peft_model
    from peft.utils import load_peft_weights

    config = PeftConfig.from_pretrained(str(adapter))
    config.inference_mode = True
    _refuse_unknown(adapter, config, name)
    require_bounded(read_config(adapter), [module for module, _ in base.named_modules()], name)
    shapes = {key.removeprefix(_PREFIX): part.shape for key, part in load_peft_weights(str(adapter), "cpu").items()}
    _resize(base, shapes, name)
    if not getattr(config, "ensure_weight_tying", False) and not getattr(config, "trainable_token_indices", None):
        _untie(base, shapes)
    other = f"the adapter '{name}' was made for another base"
    try:
        adapted = get_peft_model(base, config)
        loaded = adapted.load_adapter(str(adapter), "default", torch_device="cpu")
    except KeyError as error:
        raise TerminalError(f"the adapter '{name}' lacks weights ({error.args[0]}); save it again") from error
    except (RuntimeError, ValueError) as error:
        message = next((line.strip() for line in str(error).splitlines() if "size mismatch" in line), str(error))
        raise TerminalError(
            f"{other}: {message.partition('. ')[0]}; name its base with --model-args base=MODEL"
        ) from error
    if loaded.missing_keys:
        raise TerminalError(f"the adapter '{name}' lacks weights ({_some(loaded.missing_keys)}); save it again")
    # A module that is saved whole occurs twice if the embeddings were resized.
    unknown = [
        key
        for key in loaded.unexpected_keys
        if _WHOLE not in key or key.removeprefix(_PREFIX).replace(_WHOLE, ".") not in shapes
    ]
    if unknown:
        raise TerminalError(
            f"{other}, or by a newer peft: the base has no place for {_some(unknown)}; name its base with "
            "--model-args base=MODEL, or upgrade peft"
        )
    return adapted


def _refuse_unknown(adapter: Path, config: Any, name: str) -> None:
    """Raise TerminalError for settings that this peft does not know, because it would ignore them."""
    known = {field.name for field in fields(config)} | {"runtime_config"}
    config_file = read_config(adapter)
    if unknown := sorted(key for key, value in config_file.items() if key not in known and value):
        raise TerminalError(
            f"the {CONFIG} of '{name}' sets {', '.join(unknown)}, which the installed peft does not know; upgrade peft"
        )


def _resize(base: Any, shapes: dict[str, Any], name: str) -> None:
    """Give the embeddings as many rows as the adapter has; all of them must then come from the adapter."""
    parts = [part for part in (base.get_input_embeddings(), base.get_output_embeddings()) if part is not None]
    rows = [_rows(shapes, _name(base, part)) for part in parts]
    wanted = {count for count in rows if count is not None}
    if wanted <= {len(part.weight) for part in parts}:
        return
    if len(wanted) > 1 or None in rows:
        raise TerminalError(
            f"the adapter '{name}' has {max(wanted)} embeddings and its base {len(parts[0].weight)}, but it does not "
            "hold all input and output embeddings; save it again with save_embedding_layers=True"
        )
    base.resize_token_embeddings(wanted.pop(), mean_resizing=False)


def _rows(shapes: dict[str, Any], module: str) -> int | None:
    sizes = [shapes[key] for key in (f"{module}.weight", f"{module}.base_layer.weight") if key in shapes]
    return int(sizes[0][0]) if sizes else None


def _untie(base: Any, shapes: dict[str, Any]) -> None:
    """Give the output embeddings weights of their own if they share the input's and an adapter is put on either,
    because peft would merge it into both."""
    import torch

    into, out = base.get_input_embeddings(), base.get_output_embeddings()
    if out is None or out.weight is not into.weight:
        return
    if any(key.startswith(f"{_name(base, part)}.") for key in shapes for part in (into, out)):
        out.weight = torch.nn.Parameter(out.weight.detach().clone())


def _name(base: Any, part: Any) -> str:
    return next(str(name) for name, module in base.named_modules() if module is part)


def _some(keys: Collection[str]) -> str:
    first = min(keys).removeprefix(_PREFIX)
    return f"{first} and {len(keys) - 1} more"


def _logits(model: Any) -> Any:
    """Return the logits of a few tokens spread over the whole vocabulary, including the last one."""
    import torch

    tokens = torch.linspace(0, model.config.get_text_config().vocab_size - 1, _TOKENS).long()[None]
    decoded = {"decoder_input_ids": tokens} if model.config.is_encoder_decoder else {}
    with torch.no_grad():
        return model.eval()(input_ids=tokens, **decoded).logits


def _as_loaded(model: Any, dtype: Any, name: str) -> Any:
    """Return the same weights in another dtype, except those that transformers keeps in float32."""
    import torch

    weights = model.state_dict()
    loaded = type(model).from_pretrained(None, config=model.config, state_dict=weights, dtype=dtype)
    loaded.generation_config = model.generation_config
    for key, weight in loaded.state_dict().items():
        if not torch.equal(weight, weights[key].to(weight.dtype)):
            raise TerminalError(
                f"the merged model of the adapter '{name}' has a different {key} in {dtype}; use dtype float32, or "
                "pass the folder of a model that it was merged into"
            )
    return loaded
