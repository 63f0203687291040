"""Load checkpoints from local files, and refuse those that the requested kind of model cannot be read from."""

from collections.abc import Callable, Collection
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from newwiki.errors import NewWikiError, TerminalError
from newwiki.models import quantised
from newwiki.models.checkpoint import TOKENIZER, Checkpoint, Opened, has_safetensors
from newwiki.models.own_tokenizer import as_in_file
from newwiki.quiet import silence_transformers


def load(checkpoint: Checkpoint, dtype: str, device: str, *, encoder_decoder: bool = False) -> tuple[Any, Any]:
    """Load the causal language model, or the encoder-decoder, and its tokenizer, from local files alone. Raises
    TerminalError."""
    from transformers import AutoModelForCausalLM, AutoModelForSeq2SeqLM

    if encoder_decoder:
        return _load(checkpoint, AutoModelForSeq2SeqLM, _require_encoder_decoder, dtype, device)
    return _load(checkpoint, AutoModelForCausalLM, _require_causal_model, dtype, device)


def load_classifier(checkpoint: Checkpoint, dtype: str, *, new_outputs: int | None = None) -> tuple[Any, Any]:
    """Load the classifier or regressor of whole texts, and its tokenizer, from local files alone.

    With `new_outputs`, its last layer is replaced by a randomly initialized one with that many outputs. Raises
    TerminalError.
    """
    from transformers import AutoModelForSequenceClassification

    options = {} if new_outputs is None else {"num_labels": new_outputs, "ignore_mismatched_sizes": True}
    return _load(checkpoint, AutoModelForSequenceClassification, lambda *_: None, dtype, "auto", **options)


def _load(
    checkpoint: Checkpoint,
    kind: Any,
    refuse: Callable[[Checkpoint, Any], None],
    dtype: str,
    device: str,
    **options: Any,
) -> tuple[Any, Any]:
    import torch
    from transformers import AutoConfig, AutoTokenizer

    silence_transformers()
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    folder, code = checkpoint.folder, checkpoint.trust.trust_remote_code
    opened: Opened | None = None
    try:
        with checkpoint.opened() as opened, quantised.header_read_once(checkpoint.gguf):
            gguf = {"gguf_file": checkpoint.gguf} if checkpoint.gguf else {}
            config = AutoConfig.from_pretrained(opened.model, local_files_only=True, trust_remote_code=code, **gguf)
            refuse(checkpoint, config)
            _require_tokenizer(checkpoint)
            tokenizer = AutoTokenizer.from_pretrained(
                opened.tokenizer,
                local_files_only=True,
                trust_remote_code=code,
                **({} if checkpoint.tokenizer else gguf),
            )
            tokenizer = as_in_file(
                str(checkpoint.tokenizer_folder), opened.tokenizer, tokenizer, take_file=checkpoint.tokenizer_json
            )

            def read(in_dtype: str) -> Any:
                loaded, info = kind.from_pretrained(
                    opened.model,
                    dtype=getattr(torch, in_dtype),
                    local_files_only=True,
                    use_safetensors=has_safetensors(opened.model),
                    trust_remote_code=code,
                    output_loading_info=True,
                    **gguf,
                    **({"device_map": device} if checkpoint.quantised else {}),
                    **options,
                )
                if not options:
                    _refuse_missing(checkpoint, info["missing_keys"])
                return loaded

            with quantised.one_progress_bar(checkpoint.gguf) if checkpoint.gguf else nullcontext():
                loaded = _merged(checkpoint, opened.adapter, kind, read, dtype) if opened.adapter else read(dtype)
        loaded = (loaded if checkpoint.quantised else loaded.to(device)).eval()
    except NewWikiError:
        raise
    except Exception as error:
        message = next(iter(str(error).strip().splitlines()), type(error).__name__)
        for place in vars(opened).values() if opened else ():
            message = message.replace(str(place), str(folder))
        hint = "; add --trust-remote-code if you trust its code" if "trust_remote_code" in str(error) else ""
        raise TerminalError(f"the checkpoint '{folder}' cannot be loaded on {device}: {message}{hint}") from error
    return loaded, tokenizer


def _merged(checkpoint: Checkpoint, adapter: Path, kind: Any, read: Callable[[str], Any], dtype: str) -> Any:
    """Return the base with the adapter merged into its weights."""
    from newwiki.models.merging import base_model, merged

    assert checkpoint.base
    key = (checkpoint.base.sha256, kind.__name__, checkpoint.trust)
    return merged(base_model(key, lambda: read("float32")), adapter, str(checkpoint.folder), dtype)


def _refuse_missing(checkpoint: Checkpoint, keys: Collection[str]) -> None:
    if keys:
        folder = (checkpoint.base or checkpoint).folder
        raise TerminalError(
            f"the checkpoint '{folder}' lacks weights ({min(keys)} and {len(keys) - 1} more), which would be "
            "random; save the whole model again with save_pretrained"
        )


def _require_tokenizer(checkpoint: Checkpoint) -> None:
    if checkpoint.gguf:
        return  # the GGUF file holds a tokenizer
    shapes = [shape for shape in TOKENIZER if not shape.startswith("chat_template")]
    if not any(file for shape in shapes for file in checkpoint.tokenizer_folder.glob(shape)):
        raise TerminalError(
            f"'{checkpoint.folder}' holds no tokenizer; save it there with save_pretrained, or add "
            "--model-args tokenizer=FOLDER"
        )


def _require_encoder_decoder(checkpoint: Checkpoint, config: Any) -> None:
    if not getattr(config, "is_encoder_decoder", False):
        raise TerminalError(
            f"'{checkpoint.folder}' is not an encoder-decoder "
            f"({', '.join(config.architectures or [config.model_type])}), which --backend seq2seq requires; use "
            "--backend hf"
        )


def _require_causal_model(checkpoint: Checkpoint, config: Any) -> None:
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

    kinds = config.architectures or []
    if getattr(config, "is_encoder_decoder", False):
        raise TerminalError(
            f"'{checkpoint.folder}' is an encoder-decoder ({', '.join(kinds)}), which --backend hf cannot run; "
            "use --backend seq2seq, or choose a causal language model"
        )
    causal = set(MODEL_FOR_CAUSAL_LM_MAPPING_NAMES.values())
    writes = any(kind in causal or kind.endswith("Model") for kind in kinds)
    if kinds and not writes and not getattr(config, "auto_map", None):
        raise TerminalError(
            f"'{checkpoint.folder}' is not a causal language model but a {', '.join(kinds)}, which cannot generate "
            "text; choose another model"
        )
