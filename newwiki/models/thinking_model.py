"""The shared part of backends whose chat models may think before they answer (see `newwiki.models.thoughts`)."""

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from newwiki.decoding.grammar import Decoder
from newwiki.decoding.stream import Hypothesis, Stream
from newwiki.errors import TerminalError
from newwiki.models.backend import Writing
from newwiki.models.local import LocalModel, Passage
from newwiki.models.thoughts import FULL, Thinker, Thought, answer_seed
from newwiki.records import Completion, FinishReason, Prompt

_AT_ONCE = 512  # completions that think before the first of them is answered; an interruption loses their thoughts

Requests = Sequence[tuple[Prompt, int]]


class ThinkingModel(LocalModel):
    """A loaded checkpoint whose prompts may be chats."""

    def is_text_of(self, completion: Completion, stop: Sequence[str]) -> bool:
        if completion.thinking_ids is None or completion.no_answer:
            return super().is_text_of(completion, stop)
        ids = completion.token_ids or ()
        carried = self._thinker.thought(completion.thinking_ids, "", ended=False).carried
        forms = {ids, (*carried, *ids)}  # with and without a given beginning
        return any(super(ThinkingModel, self).is_text_of(replace(completion, token_ids=form), stop) for form in forms)

    def _after_thinking(
        self, requests: Requests, decoder: Decoder, writing: Writing, *, read: Sequence[Any], slack: float
    ) -> Iterator[list[Completion]]:
        """Yield the completions of a model that may think first. Raises TerminalError at once for a prompt that does
        not fit."""
        streams = self._streams(requests, self._thinker.most, read)
        begun = {(prompt.page_id, sample): prompt.begun for prompt, sample in requests}
        ending = self._thinker.ending(self._ending(writing).sentence)

        def written() -> Iterator[list[Completion]]:
            for start in range(0, len(streams), _AT_ONCE):
                thoughts: list[tuple[Stream, Thought]] = []
                part = streams[start : start + _AT_ONCE]
                for batch in self._written(part, decoder, writing, ending, read=read, slack=slack):
                    thoughts += [(stream, self._thought(stream, result, begun)) for stream, result in batch]
                    yield []
                yield from self._answers(thoughts, decoder, writing, read=read, slack=slack)

        return written()

    def _thought(self, stream: Stream, written: Hypothesis, begun: Mapping[tuple[int, int], str]) -> Thought:
        by_token = written.ended and not self._thinker.stops(written.tokens)
        return self._thinker.thought(written.tokens, begun[stream.page_id, stream.sample], ended=by_token)

    def _answers(
        self,
        thoughts: Sequence[tuple[Stream, Thought]],
        decoder: Decoder,
        writing: Writing,
        *,
        read: Sequence[Any],
        slack: float,
    ) -> Iterator[list[Completion]]:
        done, by_text, streams = [], {}, []
        for stream, thought in thoughts:
            answer = self._answer_stream(stream, thought, writing, read)
            if answer is None:
                done.append(self._without_answer(stream, thought, writing))
            else:
                streams.append(answer)
                by_text[answer.page_id, answer.sample] = thought
        yield done
        ending = self._ending(writing)
        for batch in self._written(streams, decoder, writing, ending, read=read, slack=slack) if streams else ():
            yield [
                self._with_thought(stream, result, by_text[stream.page_id, stream.sample], writing)
                for stream, result in batch
            ]

    def _answer_stream(self, stream: Stream, thought: Thought, writing: Writing, read: Sequence[Any]) -> Stream | None:
        """Return the stream of the answer, or None if there is none, or none that is still to be written."""
        prompt = (*stream.prompt, *thought.following)
        room = self._room(len(prompt), writing.max_new_tokens, read)
        if thought.no_answer or thought.finished or room < 1:
            return None
        return Stream(stream.page_id, stream.sample, prompt, room, seed=answer_seed(writing.seed))

    def _without_answer(self, stream: Stream, thought: Thought, writing: Writing) -> Completion:
        if thought.finished:
            return self._with_thought(stream, Hypothesis(ended=True), thought, writing)
        full: FinishReason = "length" if len(thought.tokens) == self._thinker.most else "context"
        reason: FinishReason = "stop" if thought.no_answer and len(thought.tokens) < stream.room else full
        completion = self._completion(stream, Hypothesis(ended=True), writing)
        return replace(
            completion,
            finish_reason=reason,
            truncated=reason != "stop",
            no_answer=thought.no_answer or FULL,
            **thought.fields,
        )

    def _with_thought(self, stream: Stream, written: Hypothesis, thought: Thought, writing: Writing) -> Completion:
        completion = self._completion(stream, written, writing, thought.carried)
        return replace(completion, **thought.fields)

    def _passages(self, prompt: Prompt, completion: Completion, writing: Writing, read: Sequence[Any]) -> list[Passage]:
        """Return the passages of a completion: its thought, if the model thinks first, and its answer. Raises
        ValueError as `replay` does."""
        request = [(prompt, completion.sample)]
        if not self._prompting.thinks_first:
            [stream] = self._streams(request, writing.max_new_tokens, read)
            return [self._passage(stream, completion, writing)]
        [stream] = self._streams(request, self._thinker.most, read)
        ids = completion.thinking_ids
        if ids is None:
            raise ValueError("the tokens of its thinking are missing")
        places = [place for place in range(1, len(ids) + 1) if self._thinker.stops(ids[:place])]
        if places[:1] not in ([], [len(ids)]) or set(ids) & self._thinker.ends:
            raise ValueError("its thinking goes on after its end")
        ended = not places and len(ids) < stream.room
        thought = self._thinker.thought(ids, prompt.begun, ended=ended)
        thinking: Passage = stream, ids, self._thinker.ends if ended else ()
        answer = self._answer_stream(stream, thought, writing, read)
        if answer is None:
            again = self._without_answer(stream, thought, writing)
            if (again.no_answer, again.text, again.token_ids) != (
                completion.no_answer, completion.text, completion.token_ids,
            ):  # fmt: skip
                raise ValueError("its thinking is not followed by an answer")
            return [thinking]
        return [thinking, self._passage(answer, completion, writing)]

    def _streams(self, requests: Requests, most: int, read: Sequence[Any]) -> list[Stream]:
        """Return a stream of at most `most` tokens for each request. Raises TerminalError for a prompt that does not
        fit."""
        encoded = {prompt: self._prompting.encode(prompt.text, prompt.begun) for prompt, _ in requests}
        for prompt, tokens in encoded.items():
            if self._room(len(tokens), most, read) < 1:
                raise TerminalError(
                    f"the prompt of page {prompt.page_id} has {len(tokens)} tokens, which leaves no room in the "
                    f"model's context of {self._shortest_context(read)}; choose a model with a longer context, or a "
                    "shorter --template"
                )
        rooms = {prompt: self._room(len(tokens), most, read) for prompt, tokens in encoded.items()}
        return [Stream(prompt.page_id, sample, encoded[prompt], rooms[prompt]) for prompt, sample in requests]

    def _room(self, before: int, most: int, read: Sequence[Any]) -> int:
        """Return how many tokens may follow `before` others, in the contexts of all models that are read."""
        context = self._shortest_context(read)
        return most if context is None else min(most, context - before)

    def _shortest_context(self, read: Sequence[Any]) -> int | None:
        return min((context for model in read if (context := self._context(model)) is not None), default=None)

    @cached_property
    def _thinker(self) -> Thinker:
        return Thinker(self._prompting, self._end_tokens())

    @abstractmethod
    def _context(self, loaded: Any) -> int | None:
        """Return the maximum number of tokens of a text, or None if there is no limit."""
