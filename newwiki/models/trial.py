"""Test a checkpoint: is it read as transformers reads it, and does it write what `generate()` writes, in any batch?

`newwiki doctor --model` shows the result, and a test checks the list of supported architectures with it.
"""

import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from newwiki.decoding.grammar import parse
from newwiki.decoding.stream import Ending, Stream
from newwiki.errors import NewWikiError, UsageError
from newwiki.models.backend import Writing
from newwiki.models.gguf_header import header_of
from newwiki.models.huggingface import FLOAT32_SLACK, HuggingFaceModel
from newwiki.models.loading import load
from newwiki.models.prompt_sheet import PromptSheet
from newwiki.models.prompting import Prompting
from newwiki.records import Prompt

if TYPE_CHECKING:
    from torch import Tensor

    from newwiki.models.engine.reference import Text

SLOTS = "the engine's own cache, one slot per row"
OWN_CACHE = "the model's own cache, one completion per pass"

# The tokens of each prompt, and how many are written after it: various lengths, so not all are done at once.
_LENGTHS = ((11, 5), (2, 2), (32, 4), (5, 6), (18, 3), (1, 2), (14, 4))
_LONGEST = max(map(sum, _LENGTHS))


class _Trial(NamedTuple):
    """How a decoder is tested: the rows of a completion, and the batch sizes in completions; None is
    `--batch-size auto`, which usually takes all of them."""

    rows: int
    batches: tuple[int | None, ...]


_DECODERS = {"greedy": _Trial(1, (1, 3, None)), "beam:num_beams=3": _Trial(3, (1, None))}
_READ_WHOLE = 4  # tokens of a text before the others are read one by one
# Rounding may reorder two tokens whose logits differ by at most this share of the largest logit.
_TIE = {"float32": 2 * FLOAT32_SLACK, "bfloat16": 0.03, "float16": 0.004}

_ALONE = "--strict generates each completion alone"

_EXAMPLE = Prompt(0, "Lorn\n\nLorn is a town.")

Progress = Callable[[int, int], None]
Prompts = Sequence[tuple[tuple[int, ...], int]]  # each with the tokens that may be written after it


class Finding(NamedTuple):
    """What was tested, the state `ok`, `note` or `problem`, and the text to show."""

    what: str
    state: str
    words: str


def try_checkpoint(
    name: str, arguments: Mapping[str, str], progress: Progress = lambda done, total: None
) -> list[Finding]:
    """Test a folder or a hub id, with `--model-args`. `progress` receives the number of texts written, and the total.

    If a checkpoint cannot be found or read, that is the single finding, with the reason.
    """
    try:
        ours = _Tried(name, **arguments).written(progress)
    except UsageError:
        raise
    except NewWikiError as error:
        return [Finding("reading", "problem", str(error))]
    except Exception as error:  # noqa: BLE001 (a model's own code may raise anything, which is a finding)
        return [Finding("reading", "problem", f"fails: {type(error).__name__}: {error}")]
    return [*ours.about, *_memory(name, ours.dtype), *_compare_with_transformers(name, arguments, ours, progress)]


def _memory(name: str, dtype: str) -> list[Finding]:
    """Report what a GGUF file, whose weights are converted, takes in memory."""
    header = header_of(name)
    return [Finding("memory", "ok", header.cost(dtype))] if header else []


@dataclass(frozen=True)
class _Texts:
    """The texts of a decoder after each prompt, for each batch size; with the windows in `short` shortened."""

    spec: str
    short: Sequence[str]
    batches: list[list["Text"]]


@dataclass(frozen=True)
class _Ours:
    """The engine's results; `logits` [tokens, vocabulary] belong to the first prompt's tokens, read one by one in the
    batches of greedy search."""

    about: list[Finding]
    dtype: str
    prompts: Prompts
    ends: frozenset[int]
    texts: list[_Texts]
    logits: list["Tensor"]
    total: int  # texts to write, including those of `generate()`


class _Tried(HuggingFaceModel):
    """A model with the additional methods of a trial."""

    def written(self, progress: Progress) -> _Ours:
        from newwiki.models.engine.thresholds import shortened

        prompts = self._prompts()
        # A token of the first text ends the others, so that they finish at different times.
        ends = frozenset(self._texts("greedy", prompts[:1], frozenset(), 1)[0][0][-3:-2])
        conditions = self._conditions()
        sets = sum(len(trial.batches) + 1 for trial in _DECODERS.values())
        done, total = 0, len(conditions) * sets * len(prompts)
        texts = []
        for short in conditions:
            with shortened(self._model, short):
                for spec, trial in _DECODERS.items():
                    texts.append(_Texts(spec, short, []))
                    for many in trial.batches:
                        texts[-1].batches.append(self._texts(spec, prompts, ends, many))
                        done += len(prompts)
                        progress(done, total)
        return _Ours(self._about(), self.dtype, prompts, ends, texts, self._logits(prompts), total)

    def _prompts(self) -> Prompts:
        """Draw tokens from the vocabulary, as many as the context holds."""
        context = self._context(self._model) or _LONGEST + 1
        draw, known, begin = random.Random(0), self.vocabulary, self._prompting.begin
        drawn = [((*begin, *draw.choices(known, k=length)), room) for length, room in _LENGTHS]
        return [(tokens, room) for tokens, room in drawn if len(tokens) + room <= context]

    def _conditions(self) -> list[Sequence[str]]:
        """Return the model as it is, and with each window shortened that no prompt exceeds."""
        from newwiki.models.engine.thresholds import windows

        lengths = windows(self._model.config.get_text_config())
        return [[], *([name] for name, value in lengths.items() if value > _LONGEST)]

    def _texts(self, spec: str, prompts: Prompts, ends: frozenset[int], many: int | None) -> list["Text"]:
        streams = [Stream(page, 0, tokens, room) for page, (tokens, room) in enumerate(prompts)]
        self._require_room(max(len(tokens) + room for tokens, room in prompts))
        writing = Writing(batch_size=many and many * _DECODERS[spec].rows)
        batches = self._written(streams, parse(spec)[0], writing, Ending(ends), read=[self._model], slack=FLOAT32_SLACK)
        made = {stream.page_id: (text.tokens, text.ended) for batch in batches for stream, text in batch}
        return [made[page] for page in range(len(prompts))]

    def _logits(self, prompts: Prompts) -> list["Tensor"]:
        from newwiki.models.engine.reference import one_by_one
        from newwiki.registry import decoders

        search = decoders.get("greedy").search(parse("greedy")[0])
        _, reader = self._engine(search, [self._model])
        (first, _), *others = prompts
        return [
            one_by_one(
                lambda rows: reader(self._model, rows),
                first[:_READ_WHOLE],
                first[_READ_WHOLE:],
                [tokens for tokens, _ in others[: len(others) if many is None else many - 1]],
            )
            for many in _DECODERS["greedy"].batches
        ]

    def _about(self) -> list[Finding]:
        path = OWN_CACHE if self.settings.get("path") == "own-cache" else SLOTS
        words = f"{type(self._model).__name__}, {self.dtype} on {self.versions['device']}, hash {self.sha256[:12]}"
        findings = [Finding("checkpoint", "ok", words), Finding("path", "ok", path)]
        findings += self._told()
        if self.quantised:
            findings.append(Finding("quantized", "note", f"{self.quantised}: its layers stay as they are"))
        return findings

    def _told(self) -> list[Finding]:
        """Return what the model is told: with the bare prompt, and with its chat template if it has one."""
        is_chat = self._prompting.template is not None
        sheets = [("chat prompt" if is_chat else "prompt", self.prompt_sheet)]
        if not is_chat and self._tokenizer.chat_template:
            chat = Prompting(self.name, self._tokenizer, self._model.config, chat=True, bos="auto")
            ends = chat.end_tokens(self._end_tokens(), ())
            sheets.append(("chat prompt", PromptSheet(chat, self._tokenizer, ends)))
        return [finding for what, sheet in sheets for finding in _described(what, json.loads(sheet.of(_EXAMPLE)))]


def _described(what: str, sheet: Mapping[str, Any]) -> list[Finding]:
    """Describe a prompt sheet. A BOS token that comes twice is a problem: no model was trained on it."""
    bos, rendered = sheet["bos"], sheet["rendered"]
    doubled = bos is not None and rendered.removeprefix(bos).startswith(bos)
    begins = "begins with two BOS tokens" if doubled else f"begins with {bos}" if bos else "begins without BOS"
    told = f"{json.dumps(rendered, ensure_ascii=False)}, {len(sheet['ids'])} tokens, {begins}"
    findings = [Finding(what, "problem" if doubled else "ok", told)]
    findings.append(Finding(f"{what}: ends", "ok", f"an answer ends at {', '.join(sheet['ends']) or 'no token'}"))
    if sheet["date"]:
        findings.append(Finding(f"{what}: date", "ok", f"the template gets {sheet['date']}, and never the clock"))
    if marks := sheet["thinking"]:
        order = "may come first" if marks["first"] else "is off"
        findings.append(Finding(f"{what}: thinking", "ok", f"{order}, between {marks['open']} and {marks['close']}"))
    return findings


def _compare_with_transformers(
    name: str, arguments: Mapping[str, str], ours: _Ours, progress: Progress
) -> list[Finding]:
    from newwiki.models.engine.reference import in_one_pass, largest_share
    from newwiki.models.engine.rotary import rotate_rows_separately
    from newwiki.models.engine.thresholds import shortened

    plain, _ = load(HuggingFaceModel.find(name, **arguments), ours.dtype, arguments.get("device", "auto"))
    rotate_rows_separately(plain)  # otherwise dynamic NTK keeps the frequencies of the longest text so far
    off = largest_share(ours.logits[0], in_one_pass(plain, ours.prompts[0][0])[_READ_WHOLE:])
    moved = max(largest_share(logits, ours.logits[0]) for logits in ours.logits[1:])
    findings = [_read(off, ours.dtype), _batched(moved, ours.dtype)]
    done = ours.total - len(ours.texts) * len(ours.prompts)
    for texts in ours.texts:
        expected = []
        with shortened(plain, texts.short):
            for prompt, room in ours.prompts:
                expected.append(_expected(plain, prompt, room, ours.ends, _DECODERS[texts.spec].rows))
                done += 1
                progress(done, ours.total)
            findings.append(_compared(ours, texts, expected, plain, moved))
    return findings


def _expected(plain: Any, prompt: Sequence[int], room: int, ends: frozenset[int], beams: int) -> "Text":
    from newwiki.models.engine.reference import generated

    try:
        return generated(plain, prompt, room, ends, beams)
    except ValueError:  # beams with a cache whose rows transformers cannot reorder
        return generated(plain, prompt, room, ends, beams, cached=False)


def _read(off: float, dtype: str) -> Finding:
    """Report the error of logits of tokens that were read one by one, as a share of the largest."""
    words = f"logits differ by {off:.1g} of the largest from those of one pass over the whole text"
    if dtype == "float32" and not off <= FLOAT32_SLACK:
        return Finding("token by token", "note", f"{words}, which is more than newwiki corrects; {_ALONE}")
    return Finding("token by token", "ok", words)


def _batched(moved: float, dtype: str) -> Finding:
    """Report by how much a row's logits change between batches."""
    if moved == 0:
        return Finding("batches", "ok", "a row's logits have the same bits in every batch")
    words = f"a row's logits change by up to {moved:.1g} of the largest"
    if dtype == "float32" and moved <= FLOAT32_SLACK:
        return Finding("batches", "ok", f"{words}, which newwiki corrects")
    return Finding("batches", "note", f"{words}, so the batch may decide a text; {_ALONE}")


def _compared(ours: _Ours, texts: _Texts, expected: list["Text"], plain: Any, moved: float) -> Finding:
    """Report whether texts are the same in each batch, and equal to those of `generate()`."""
    from newwiki.models.engine.reference import gap, generated

    what = ", with a shortened ".join([texts.spec, *texts.short])
    first, beams, exact = texts.batches[0], _DECODERS[texts.spec].rows, ours.dtype == "float32"
    pages = range(len(expected))
    if uneven := [page for page in pages if any(batch[page] != first[page] for batch in texts.batches)]:
        state = "problem" if moved == 0 or (exact and beams == 1) else "note"
        return Finding(what, state, f"{len(uneven)} of {len(pages)} texts depend on the batch; {_ALONE}")
    different = [page for page in pages if first[page] != expected[page]]
    if not different:
        return Finding(what, "ok", f"{len(pages)} texts equal those of generate(), in every batch")
    words = f"{len(different)} of {len(pages)} texts differ from those of generate()"
    cases = [(page, *ours.prompts[page]) for page in different]
    if beams == 1:
        gaps = [gap(plain, prompt, first[page], expected[page], ours.ends) for page, prompt, _ in cases]
        if max(gaps) <= _TIE[ours.dtype]:
            return Finding(what, "note", f"{words}, starting where rounding decides between two tokens")
    if all(
        first[page] == generated(plain, prompt, room, ours.ends, beams, cached=False) for page, prompt, room in cases
    ):
        return Finding(what, "ok", f"{len(pages)} texts equal those of generate(use_cache=False), in every batch")
    if beams > 1 and not exact:
        return Finding(what, "note", f"{words}: {ours.dtype} is too coarse to compare beams")
    return Finding(what, "problem", words)
