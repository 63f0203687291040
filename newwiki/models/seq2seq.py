"""Run encoder-decoders (T5, BART and others) from a local folder or the Hugging Face hub, through transformers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from newwiki.decoding.grammar import Decoder
from newwiki.decoding.stream import Search, Stream
from newwiki.errors import TerminalError
from newwiki.models.backend import Writing, model
from newwiki.models.huggingface import FLOAT32_SLACK
from newwiki.models.loading import load
from newwiki.models.local import LocalModel
from newwiki.models.prompt_sheet import PromptSheet
from newwiki.models.prompting import Prompting
from newwiki.records import Completion, Passage, Prompt, Reading, Unscorable

if TYPE_CHECKING:
    from newwiki.models.engine.loop import Engine
    from newwiki.models.engine.reader import Reader
    from newwiki.models.engine.replay import TokenVerdicts

_DECODERS = ("greedy", "sample", "beam", "group-beam", "sibling-beam")


@model("seq2seq")
class Seq2SeqModel(LocalModel):
    """A checkpoint whose encoder reads the prompt and whose decoder writes the completion. `auto` computes in float32.

    The prompt's tokens are the tokenizer's, including special ones. The decoder begins as in `generate`: with the
    checkpoint's decoder_start_token_id, then its forced_bos_token_id if it has one, which counts as written; it never
    writes suppress_tokens or the single tokens of bad_words_ids. N-gram blocking and the repetition penalty look at the
    decoder's tokens, not at the prompt. forced_eos_token_id is ignored, because it would make truncated texts look
    finished.
    """

    backend = "seq2seq"

    def __init__(self, name: str, **loading: str) -> None:
        super().__init__(name, **loading)
        self._prompting = Prompting(name, self._tokenizer, self._model.config, chat=False, bos="no")
        self.settings: Mapping[str, str] = self._token_settings()
        self.prompt_sheet = PromptSheet(self._prompting, self._tokenizer, self._end_tokens())

    def others(self, decoder: Decoder) -> Mapping[str, str]:
        _refuse(decoder)
        return {}

    def complete(
        self, requests: Sequence[tuple[Prompt, int]], decoder: Decoder, writing: Writing
    ) -> Iterator[list[Completion]]:
        """Yield completions. Raises TerminalError: at once for an unsupported decoder or a prompt that does not fit;
        during generation for NaN logits, and if not even one completion's rows fit into memory."""
        _refuse(decoder)
        streams = self._streams(requests, writing)
        return self._run(streams, decoder, writing, read=[self._model], slack=FLOAT32_SLACK)

    def replay(
        self, written: Sequence[tuple[Prompt, Completion]], decoder: Decoder, writing: Writing, tolerance: float
    ) -> "Iterator[TokenVerdicts]":
        _refuse(decoder)
        streams = self._streams([(prompt, completion.sample) for prompt, completion in written], writing)
        texts = (
            [self._passage(stream, completion, writing)]
            for stream, (_, completion) in zip(streams, written, strict=True)
        )
        return self._replayed(texts, decoder, writing, read=[self._model], tolerance=tolerance)

    @property
    def reading(self) -> Mapping[str, str]:
        """How articles are read: the decoder's reading window in tokens, and its maximum length."""
        return {"window": str(self._window()), "model_context": str(self._positions("decoder") or "unlimited")}

    def readings(self, pairs: Sequence[tuple[Prompt, str]], *, standardised: bool) -> list[Reading]:
        """Score the rest of articles with the decoder, while the encoder reads the prompt, one article at a time, so
        its numbers depend on no other. A rest that does not fit has no score."""
        return [self._reading(prompt.text, rest, standardised) for prompt, rest in pairs]

    def _reading(self, prompt: str, rest: str, standardised: bool) -> Reading:
        from newwiki.models.engine.encoder_decoder import decoder_start
        from newwiki.models.engine.likelihood import read_after
        from newwiki.models.engine.memory import fits_into_memory

        source, tokens = self._tokenizer(prompt)["input_ids"], self._prompting.encode_text(rest)
        longest, forced = self._positions("encoder"), self._model.generation_config.forced_bos_token_id
        begun = [decoder_start(self._model), *([] if forced is None else [forced])]
        prompt_reading = Unscorable("the encoder reads the prompt, and gives no log-probabilities")
        if longest is not None and len(source) > longest:
            return Reading(prompt_reading, Unscorable(f"the prompt is longer than the encoder's {longest} tokens"))
        if len(begun) + len(tokens) - 1 > self._window():
            return Reading(
                prompt_reading, Unscorable(f"longer than the {self._window()} tokens that the decoder reads")
            )
        with fits_into_memory("an article"):
            read = read_after(self._model, source, begun, tokens, standardised=standardised)
        return Reading(
            prompt_reading, Passage(tuple(read.log_probabilities), len(rest.encode()), tuple(read.standardised))
        )

    def _window(self) -> int:
        from newwiki.models.engine.reading_windows import LONGEST

        return min(self._positions("decoder") or LONGEST, LONGEST)

    def _loaded(self, checkpoint: Any) -> tuple[Any, Any]:
        loaded, tokenizer = load(checkpoint, self.dtype, self._device, encoder_decoder=True)

        from newwiki.models.engine.encoder_decoder import largest_difference
        from newwiki.models.engine.memory import fits_into_memory
        from newwiki.models.engine.packed import pack_linear_layers
        from newwiki.models.engine.selftest import check_reading

        pack_linear_layers(loaded)
        with fits_into_memory("the model with a few tokens"):
            check_reading(loaded, largest_difference)
        return loaded, tokenizer

    def _engine(self, search: Search, read: Sequence[Any]) -> "tuple[type[Engine], Callable[[Any, int], Reader]]":
        from newwiki.models.engine.encoder_decoder import Cohorts, EncoderDecoderReader

        return Cohorts, EncoderDecoderReader

    def _streams(self, requests: Sequence[tuple[Prompt, int]], writing: Writing) -> list[Stream]:
        from newwiki.models.engine.encoder_decoder import Encoded, decoder_start

        longest = self._positions("encoder")
        encoded = {prompt: tuple(self._tokenizer(prompt.text)["input_ids"]) for prompt, _ in requests}
        for prompt, tokens in encoded.items():
            if longest is not None and len(tokens) > longest:
                raise TerminalError(
                    f"the prompt of page {prompt.page_id} has {len(tokens)} tokens, but the model's encoder reads at "
                    f"most {longest}; choose a model with a longer encoder, or a shorter --template"
                )
        room = min(writing.max_new_tokens, self._positions("decoder") or writing.max_new_tokens)
        begun = (decoder_start(self._model),)
        return [Encoded(prompt.page_id, n, begun, room, source=encoded[prompt]) for prompt, n in requests]

    def _length(self, stream: Stream) -> int:
        from newwiki.models.engine.encoder_decoder import Encoded

        assert isinstance(stream, Encoded)
        return len(stream.source) + super()._length(stream)

    def _positions(self, part: str) -> int | None:
        """Return the maximum number of tokens of a part of the model; None if unlimited, as in T5."""
        config = self._model.config
        own: int | None = getattr(config, f"max_{part}_position_embeddings", None)
        return own or getattr(config, "max_position_embeddings", None)


def _refuse(decoder: Decoder) -> None:
    if decoder.name not in _DECODERS:
        raise TerminalError(
            f"--backend seq2seq has no decoder '{decoder.name}'; it supports: {', '.join(_DECODERS)}; "
            "use one of these, or a causal language model with --backend hf"
        )
