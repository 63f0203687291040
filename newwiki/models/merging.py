"""An adapter's model: its base in float32, with the adapter read by peft and merged into the weights."""

import copy
import warnings
from collections.abc import Callable, Collection, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import fields
from pathlib import Path
from typing import Any

from newwiki.errors import TerminalError
from newwiki.models.adapters import CONFIG, read_config
from newwiki.models.module_patterns import require_bounded

_PREFIX = "base_model.model."  # of the base's own names in an adapter
_WHOLE = ".modules_to_save."
_TOKENS = 16  # that are read to compare
_ROUNDING = 1e-4  # of the largest logit, in float32
_SHARE = 0.01  # of what the adapter does to the logits

_KEPT: ContextVar[dict[Hashable, Any] | None] = ContextVar("the base that stays in memory", default=None)


@contextmanager
def bases_stay() -> Iterator[None]:
    """Within it the base of an adapter stays in memory for the next adapter on it, one base at a time."""
    if _KEPT.get() is not None:
        yield
        return
    token = _KEPT.set({})
    try:
        yield
    finally:
        _KEPT.reset(token)


def base_model(key: Hashable, read: Callable[[], Any]) -> Any:
    """A base of one's own to merge into: what is `read`, or a copy of what stays in memory under the same key."""
    kept = _KEPT.get()
    if kept is None:
        return read()
    if key not in kept:
        kept.clear()
        kept[key] = read()
    return copy.deepcopy(kept[key])


def merged(base: Any, adapter: Path, name: str, dtype: str) -> Any:
    """The base (float32, which is changed) with the adapter of a folder in its weights, as if it had been saved in
    float32 and loaded in `dtype`.

    Raises TerminalError for an adapter that lacks weights or has others than the base has a place for, and where the
    merged model is not what the base is with the adapter beside it.
    """
    import torch

    with warnings.catch_warnings(), torch.random.fork_rng(devices=[]):
        warnings.simplefilter("ignore")
        torch.manual_seed(0)  # what is drawn before the weights are read
        adapted = _adapted(base, adapter, name)
        wanted = _logits(adapted)
        with adapted.disable_adapter():
            before = _logits(adapted)
        model = adapted.merge_and_unload(safe_merge=True)
    difference, effect = ((wanted - one).abs().max() for one in (_logits(model), before))
    if not difference <= max(_ROUNDING * wanted.abs().max(), _SHARE * effect):
        raise TerminalError(
            f"the adapter '{name}' cannot be merged: the logits of the merged model are off by {difference:.2g}, and "
            f"the adapter moves them by {effect:.2g}; name the folder of a model that it was merged into otherwise"
        )
    for weight in model.parameters():
        weight.data = weight.data.contiguous()
    model.requires_grad_(True)
    return model if dtype == "float32" else _as_loaded(model, getattr(torch, dtype), name)


def _adapted(base: Any, adapter: Path, name: str) -> Any:
    """The base with the adapter beside its weights, in peft's model."""
    from peft import PeftConfig, get_peft_model
    from peft.utils import load_peft_weights

    config = PeftConfig.from_pretrained(str(adapter))
    config.inference_mode = True
    _refuse_unknown(adapter, config, name)
    require_bounded(read_config(adapter), [module for module, _ in base.named_modules()], name)
    shapes = {key.removeprefix(_PREFIX): one.shape for key, one in load_peft_weights(str(adapter), "cpu").items()}
    _resize(base, shapes, name)
    if not getattr(config, "ensure_weight_tying", False) and not getattr(config, "trainable_token_indices", None):
        _untie(base, shapes)
    other = f"the adapter '{name}' was made for another base"
    try:
        adapted = get_peft_model(base, config)
        found = adapted.load_adapter(str(adapter), "default", torch_device="cpu")
    except KeyError as error:
        raise TerminalError(f"the adapter '{name}' lacks weights ({error.args[0]}); write it anew") from error
    except (RuntimeError, ValueError) as error:
        said = next((line.strip() for line in str(error).splitlines() if "size mismatch" in line), str(error))
        raise TerminalError(f"{other}: {said.partition('. ')[0]}; name its own by --model-args base=MODEL") from error
    if found.missing_keys:
        raise TerminalError(f"the adapter '{name}' lacks weights ({_some(found.missing_keys)}); write it anew")
    # A module that is saved whole stands there twice where the embeddings were resized.
    strange = [
        key
        for key in found.unexpected_keys
        if _WHOLE not in key or key.removeprefix(_PREFIX).replace(_WHOLE, ".") not in shapes
    ]
    if strange:
        raise TerminalError(
            f"{other}, or by a newer peft: there is no place for {_some(strange)}; name its own by "
            "--model-args base=MODEL, or upgrade peft"
        )
    return adapted


def _refuse_unknown(adapter: Path, config: Any, name: str) -> None:
    """peft leaves out what it does not know."""
    known = {field.name for field in fields(config)} | {"runtime_config"}
    said = read_config(adapter)
    if unknown := sorted(key for key, value in said.items() if key not in known and value):
        raise TerminalError(
            f"the {CONFIG} of '{name}' sets {', '.join(unknown)}, which this peft does not know; upgrade peft"
        )


def _resize(base: Any, shapes: dict[str, Any], name: str) -> None:
    """Gives the embeddings as many rows as the adapter has of them, all of which are the adapter's then."""
    parts = [one for one in (base.get_input_embeddings(), base.get_output_embeddings()) if one is not None]
    rows = [_rows(shapes, _name(base, part)) for part in parts]
    wanted = {one for one in rows if one is not None}
    if wanted <= {len(part.weight) for part in parts}:
        return
    if len(wanted) > 1 or None in rows:
        raise TerminalError(
            f"the adapter '{name}' has {max(wanted)} embeddings and its base {len(parts[0].weight)}, and it does not "
            "hold all of those in and out; write it anew with save_embedding_layers=True"
        )
    base.resize_token_embeddings(wanted.pop(), mean_resizing=False)


def _rows(shapes: dict[str, Any], module: str) -> int | None:
    found = [shapes[key] for key in (f"{module}.weight", f"{module}.base_layer.weight") if key in shapes]
    return int(found[0][0]) if found else None


def _untie(base: Any, shapes: dict[str, Any]) -> None:
    """Gives the output embeddings weights of their own where they share the input's and an adapter is put on either,
    which peft would merge into both."""
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
    """Of a few tokens from all over the vocabulary, the last one among them."""
    import torch

    tokens = torch.linspace(0, model.config.get_text_config().vocab_size - 1, _TOKENS).long()[None]
    decoded = {"decoder_input_ids": tokens} if model.config.is_encoder_decoder else {}
    with torch.no_grad():
        return model.eval()(input_ids=tokens, **decoded).logits


def _as_loaded(model: Any, dtype: Any, name: str) -> Any:
    """The same weights in another dtype, but for those that transformers leaves in float32."""
    import torch

    weights = model.state_dict()
    loaded = type(model).from_pretrained(None, config=model.config, state_dict=weights, dtype=dtype)
    loaded.generation_config = model.generation_config
    for key, weight in loaded.state_dict().items():
        if not torch.equal(weight, weights[key].to(weight.dtype)):
            raise TerminalError(
                f"the merged model of the adapter '{name}' has another {key} in {dtype}; take dtype float32, or name "
                "the folder of a model that it was merged into"
            )
    return loaded
