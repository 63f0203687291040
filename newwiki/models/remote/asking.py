"""Request completions from a server, and retry until they arrive or fail for good."""

import asyncio
import json
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from newwiki.decoding.grammar import Decoder
from newwiki.models.backend import Writing
from newwiki.models.remote.answers import read
from newwiki.models.remote.server_arguments import ServerArguments
from newwiki.models.remote.side_by_side import side_by_side
from newwiki.models.sampling import request_seed, sampling_parameters
from newwiki.records import Completion, Prompt

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_WRONG_ANSWERS = 5  # invalid answers to one request before it fails
_FIRST_WAIT = 0.5  # seconds, doubled each time
_FIRST_RETRIES = 2  # of the first request, because its address may be wrong

Request = tuple[Prompt, int]


class Pace:
    """A rate limit of `per_minute` requests or tokens; None for no limit."""

    def __init__(self, per_minute: float | None) -> None:
        self._seconds_each = 60 / per_minute if per_minute else 0.0
        self._free = 0.0  # the event loop's time from which the next amount may be taken

    async def take(self, amount: float = 1) -> None:
        """Wait until earlier amounts have used up their time, then take this amount."""
        now = asyncio.get_running_loop().time()
        start = max(now, self._free)
        self._free = start + amount * self._seconds_each
        await asyncio.sleep(start - now)

    def correct(self, amount: float) -> None:
        """Take more, or give back a negative amount, because what was taken was an estimate."""
        self._free += amount * self._seconds_each


class Asking:
    """Requests the completions of a run."""

    def __init__(self, name: str, arguments: ServerArguments, decoder: Decoder, writing: Writing) -> None:
        self._name = name
        self._arguments = arguments
        self._decoder = decoder
        self._writing = writing

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Callable[[Request], Awaitable[tuple[Completion, int]]]]:
        """Yield a function that returns the completion of a request and the number of repeated requests.

        It raises TerminalError for what the server refuses, TransientError if the server gives no answer.
        """
        requests, tokens = Pace(self._arguments.requests_per_minute), Pace(self._arguments.tokens_per_minute)
        async with self._arguments.server.opened() as client:
            yield lambda request: self._ask(client, request, requests, tokens)

    async def _ask(
        self, client: "AsyncOpenAI", request: Request, requests: Pace, tokens: Pace
    ) -> tuple[Completion, int]:
        prompt, sample = request
        what, again = f"the completion of page {prompt.page_id}", 0
        estimate = len(prompt.text) // 4 + self._writing.max_new_tokens
        endpoint: Any = client.chat.completions if self._arguments.chat else client.completions
        for attempt in range(_WRONG_ANSWERS):
            await requests.take()
            await tokens.take(estimate)
            with self._arguments.server.asked(what):
                response = await endpoint.with_raw_response.create(**self._words(prompt, sample))
            again += response.retries_taken
            try:
                answer = read(response.http_response.content)
            except ValueError as error:
                problem, again = str(error), again + 1
                await asyncio.sleep(_FIRST_WAIT * 2**attempt * random.uniform(0.5, 1))
            else:
                tokens.correct((answer.prompt_tokens or 0) + (answer.tokens or estimate) - estimate)
                return answer.completion(prompt, sample, self._writing.max_new_tokens, self._writing.stop), again
        raise self._arguments.server.wrong(what, problem)

    def _words(self, prompt: Prompt, sample: int) -> dict[str, Any]:
        """Return the fields of a request; fields that the client does not know are in `extra_body`."""
        dialect, writing = self._arguments.dialect, self._writing
        content: dict[str, Any] = {"prompt": prompt.text}
        if self._arguments.chat:
            content = {"messages": [{"role": "user", "content": prompt.text}]}
        extra: dict[str, Any] = {
            dialect.chat_length if self._arguments.chat else dialect.length: writing.max_new_tokens,
            **dialect.words(sampling_parameters(self._decoder)),
        }
        if self._arguments.seeds and self._decoder.name != "greedy":
            extra["seed"] = request_seed(writing.seed, prompt.page_id, sample)
        if writing.stop:
            extra["stop"] = list(writing.stop)
        return {"model": self._name, **content, "extra_body": extra}


def reported(name: str, arguments: ServerArguments) -> Mapping[str, Any] | None:
    """Return the entry of this model in the server's list of models; None if there is no list, or no entry."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[Callable[[None], Awaitable[bytes]]]:
        async with arguments.server.opened(_FIRST_RETRIES) as client:
            yield lambda _: _models(client, arguments)

    (body,) = [body for body in side_by_side(opened, [None], 1) if body is not None]
    try:
        entries = json.loads(body)["data"]
        return next((dict(entry) for entry in entries if entry["id"] == name), None)
    except (ValueError, TypeError, KeyError):
        raise arguments.server.wrong("the request for its models", "not a list of models in JSON") from None


async def _models(client: "AsyncOpenAI", arguments: ServerArguments) -> bytes:
    from openai import APIStatusError

    with arguments.server.asked("its list of models"):
        try:
            return (await client.models.with_raw_response.list()).http_response.content
        except APIStatusError as error:
            if error.status_code in (404, 405, 501):
                return b'{"data": []}'
            raise
