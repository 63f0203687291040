"""Find named entities with a GLiNER model, which gets the kinds as words and knows the languages of its training.

Zaratiana et al. 2024, GLiNER: Generalist model for named entity recognition using bidirectional transformer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from evaluators.networks.chunks import encodable
from evaluators.tagger import Mention, Tagger
from newwiki.errors import TerminalError
from newwiki.foreign_json import read_object
from newwiki.models import adapters, files
from newwiki.models.checkpoint import Trust, has_tokenizer
from newwiki.quiet import silence_transformers
from newwiki.text.sentences import SENTENCES_VERSION, rules_for, sentence_spans

# The kinds of spaCy's English pipelines (those of OntoNotes 5), in words.
LABELS = (
    "person", "nationality or religious or political group", "building or infrastructure", "organization",
    "country or city", "location", "product", "event", "work of art", "law", "language", "date", "time", "percentage",
    "amount of money", "quantity", "ordinal number", "number",
)  # fmt: skip
THRESHOLD = 0.5  # the package's default

_CONFIG = "gliner_config.json"
_ENDLESS = 1 << 20  # tokens, for a model without a limit, or with one that no text reaches
_SHOWN = 200  # characters of a foreign error message
_BESIDE = ("labels_encoder", "labels_decoder")  # settings of architectures with additional models
_TOGETHER = "but newwiki supports only models that read labels and text together; choose one of those"
_READ = ("UniEncoderSpanGLiNER", "UniEncoderTokenGLiNER")


class GlinerTagger(Tagger):
    """Reads a text in pieces that fit into the model, cut at sentence ends, each by itself, so a piece has the same
    entities whatever else is read."""

    packages = ("gliner", "transformers", "tokenizers", "torch")
    dtype = "float32"

    def __init__(self, loaded: Any, model: str, model_sha256: str) -> None:
        super().__init__(model, model_sha256)
        self._loaded = loaded
        self._split = loaded.data_processor.words_splitter
        self._read = loaded.data_processor.transformer_tokenizer
        (prompted,), _ = loaded.data_processor.prepare_inputs([[]], list(LABELS))
        self._prompt = len(self._read(prompted, is_split_into_words=True)["input_ids"])
        places = getattr(loaded.config.encoder_config, "max_position_embeddings", None) or _ENDLESS
        self._tokens = min(self._read.model_max_length, places, _ENDLESS)
        if 2 * self._prompt > self._tokens:
            raise TerminalError(
                f"the labels take {self._prompt} of the {self._tokens} tokens that {model} can read, more than half; "
                "choose a model with a longer context"
            )
        self.backend = f"torch-{loaded.device.type}"
        self.parameters = MappingProxyType(
            {
                "labels": list(LABELS),
                "threshold": THRESHOLD,
                "overlapping": False,
                "words": loaded.config.max_len,
                "words_splitter": loaded.config.words_splitter_type,
                "tokens": self._tokens,
                "sentences": SENTENCES_VERSION,
                "pieces": "halved at the sentence end nearest to the middle until the model takes them whole",
            }
        )

    def find(self, texts: Sequence[str]) -> list[list[Mention]]:
        return [[*self._mentions(text)] for text in texts]

    def _mentions(self, text: str) -> Iterator[Mention]:
        begin = 0
        for piece in self._pieces(text):
            (entities,) = self._loaded.inference([encodable(piece)], list(LABELS), flat_ner=True, threshold=THRESHOLD)
            for entity in sorted(entities, key=lambda entity: entity["start"]):
                yield Mention(begin + entity["start"], begin + entity["end"], entity["label"])
            begin += len(piece)

    def _pieces(self, text: str) -> Iterator[str]:
        """Split the text into pieces that fit into the model: by its words, and by its tokens together with the
        labels."""
        if self._takes(text):
            yield text
        else:
            middle = _cut(text)
            yield from self._pieces(text[:middle])
            yield from self._pieces(text[middle:])

    def _takes(self, text: str) -> bool:
        if len(text) < 2:
            return True
        words = [word for word, *_ in self._split(encodable(text))]
        if len(words) > self._loaded.config.max_len:
            return False
        tokens = self._read(words, is_split_into_words=True, add_special_tokens=False)["input_ids"] if words else []
        return bool(self._prompt + len(tokens) <= self._tokens)


def _cut(text: str) -> int:
    """Return where to cut a text in two: at the sentence end nearest to the middle, by the rules for texts of unknown
    language, else at white space or the middle."""
    ends = [end for _, end, _ in sentence_spans(text, rules_for(None))]
    inside = [end for end in ends if 0 < end < len(text)] or [space.end() for space in re.finditer(r"\s+(?=\S)", text)]
    middle = len(text) // 2
    return min(inside, key=lambda end: abs(end - middle), default=middle) or middle


def load_gliner(folder: Path) -> GlinerTagger:
    """Load the model in a folder, from hashed files alone, in float32.

    Raises TerminalError if it is missing, incomplete or would load anything from elsewhere, and without the package.
    """
    _require_whole(folder)
    try:
        from gliner import GLiNER
    except ImportError as error:
        raise TerminalError(
            f"--entities gliner:{folder} needs a package: pip install 'newwiki-eval[gliner]' ({error})"
        ) from error
    silence_transformers()
    hashed = files.named(folder, (_CONFIG, *Trust().shapes(folder)))
    seen, sha256 = files.state(hashed), files.names_and_bytes(hashed)
    try:
        with files.alone(hashed, folder.resolve().name, seen) as opened:
            loaded = GLiNER.from_pretrained(str(opened), local_files_only=True, strict=True, map_location=_device())
    except TerminalError:
        raise
    except Exception as error:  # its libraries raise anything for invalid files
        reason = " ".join(str(error).split())[:_SHOWN] or type(error).__name__
        raise TerminalError(f"the GLiNER model '{folder}' cannot be loaded: {reason}; {_remedy(folder)}") from error
    if type(loaded).__name__ not in _READ:
        raise TerminalError(f"'{folder}' is a {type(loaded).__name__}, {_TOGETHER}")
    return GlinerTagger(loaded, f"gliner:{folder.resolve().name}", sha256)


def _require_whole(folder: Path) -> None:
    """Raise TerminalError for a folder that lacks a file, which would otherwise come from the hub or from a pickle, or
    that names code to run or models to load from elsewhere."""
    if not folder.is_dir():
        raise TerminalError(f"there is no folder '{folder}' with a GLiNER model; {_remedy(folder)}")
    if not (folder / _CONFIG).is_file():
        raise TerminalError(f"'{folder}' is not a GLiNER model: it has no {_CONFIG}; {_remedy(folder)}")
    config = _configuration(folder)
    needed = {
        "weights as model.safetensors": (folder / "model.safetensors").is_file(),
        "tokenizer": has_tokenizer(folder),
        "encoder configuration": isinstance(config.get("encoder_config"), dict),
    }
    if lacking := [what for what, is_there in needed.items() if not is_there]:
        raise TerminalError(f"the GLiNER model '{folder}' has no {lacking[0]}; {_remedy(folder)}")
    # The package would run the code that a configuration names.
    if code := [file for file in (_CONFIG, "tokenizer_config.json") if _names_code(folder / file)]:
        raise TerminalError(
            f"'{folder / code[0]}' names code of its own (auto_map), which newwiki does not run; choose another model"
        )
    if additional := [name for name in _BESIDE if config.get(name)]:
        raise TerminalError(f"'{folder}' needs an additional model ({additional[0]}), {_TOGETHER}")
    if (Path(str(config.get("model_name"))) / adapters.CONFIG).exists():
        raise TerminalError(
            f"'{folder}' names '{config['model_name']}', a folder with an adapter, which its hash would not cover; "
            f"{_remedy(folder)}"
        )


def _configuration(folder: Path) -> dict[str, Any]:
    try:
        return read_object((folder / _CONFIG).read_bytes(), f"'{folder / _CONFIG}'", allow_nan=True)
    except TerminalError as error:
        raise TerminalError(f"{error}, so it is not a model configuration; {_remedy(folder)}") from None


def _names_code(file: Path) -> bool:
    """Tell whether an object anywhere in the JSON has the key, however it is escaped."""
    level = [read_object(file.read_bytes(), f"'{file}'", allow_nan=True)] if file.is_file() else []
    while level:
        if any(isinstance(item, dict) and "auto_map" in item for item in level):
            return True
        level = [
            inner
            for item in level
            if isinstance(item, dict | list)
            for inner in (item.values() if isinstance(item, dict) else item)
        ]
    return False


def _remedy(folder: Path) -> str:
    return (
        "with the package gliner, download it and save all of it to a folder: python -c "
        f"\"from gliner import GLiNER; GLiNER.from_pretrained('{folder}').save_pretrained('FOLDER', "
        'safe_serialization=True)", and name that folder'
    )


def _device() -> str:
    import torch

    return "cuda" if torch.cuda.is_available() else "cpu"
