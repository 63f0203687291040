"""One completion asked of a server, again and again until it is there or will not come."""

import asyncio
import json
import random
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from newwiki.decoding.grammar import Decoder
from newwiki.models.backend import Writing
from newwiki.models.remote.answers import read
from newwiki.models.remote.pace import Pace
from newwiki.models.remote.server_arguments import ServerArguments
from newwiki.models.remote.side_by_side import side_by_side
from newwiki.models.sampling import request_seed, sampling_parameters
from newwiki.records import Completion, Prompt

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_WRONG_ANSWERS = 5  # to one request, after which it is given up
_FIRST_WAIT = 0.5  # seconds, doubled each time
_FIRST_RETRIES = 2  # of the first question, as its address may be wrong

Request = tuple[Prompt, int]


class Asking:
    """How the completions of a run are asked for."""

    def __init__(self, name: str, arguments: ServerArguments, decoder: Decoder, writing: Writing) -> None:
        self._name = name
        self._asked = arguments
        self._decoder = decoder
        self._writing = writing

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Callable[[Request], Awaitable[tuple[Completion, int]]]]:
        """What gives the completion of a request, and how often it was asked for again.

        It raises TerminalError for what the server refuses, TransientError where it gives no answer.
        """
        requests, tokens = Pace(self._asked.requests_per_minute), Pace(self._asked.tokens_per_minute)
        async with self._asked.server.opened() as client:
            yield lambda request: self._ask(client, request, requests, tokens)

    async def _ask(
        self, client: "AsyncOpenAI", request: Request, requests: Pace, tokens: Pace
    ) -> tuple[Completion, int]:
        prompt, sample = request
        what, again = f"the completion of page {prompt.page_id}", 0
        estimate = len(prompt.text) // 4 + self._writing.max_new_tokens
        endpoint: Any = client.chat.completions if self._asked.chat else client.completions
        for attempt in range(_WRONG_ANSWERS):
            await requests.take()
            await tokens.take(estimate)
            with self._asked.server.asked(what):
                came = await endpoint.with_raw_response.create(**self._words(prompt, sample))
            again += came.retries_taken
            try:
                answer = read(came.http_response.content)
            except ValueError as error:
                problem, again = str(error), again + 1
                await asyncio.sleep(_FIRST_WAIT * 2**attempt * random.uniform(0.5, 1))
            else:
                tokens.correct((answer.prompt_tokens or 0) + (answer.tokens or estimate) - estimate)
                return answer.completion(prompt, sample, self._writing.max_new_tokens, self._writing.stop), again
        raise self._asked.server.wrong(what, problem)

    def _words(self, prompt: Prompt, sample: int) -> dict[str, Any]:
        """The fields of a request; those that the client does not know by name go beside the others."""
        spoken, writing = self._asked.dialect, self._writing
        asked: dict[str, Any] = {"prompt": prompt.text}
        if self._asked.chat:
            asked = {"messages": [{"role": "user", "content": prompt.text}]}
        beside: dict[str, Any] = {
            spoken.chat_length if self._asked.chat else spoken.length: writing.max_new_tokens,
            **spoken.words(sampling_parameters(self._decoder)),
        }
        if self._asked.seeds and self._decoder.name != "greedy":
            beside["seed"] = request_seed(writing.seed, prompt.page_id, sample)
        if writing.stop:
            beside["stop"] = list(writing.stop)
        return {"model": self._name, **asked, "extra_body": beside}


def reported(name: str, arguments: ServerArguments) -> Mapping[str, Any] | None:
    """What the server's list of models says of this one; None where it has no list, or not this one in it."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[Callable[[None], Awaitable[bytes]]]:
        async with arguments.server.opened(_FIRST_RETRIES) as client:
            yield lambda _: _models(client, arguments)

    (body,) = [body for body in side_by_side(opened, [None], 1) if body is not None]
    try:
        found = json.loads(body)["data"]
        return next((dict(entry) for entry in found if entry["id"] == name), None)
    except (ValueError, TypeError, KeyError):
        raise arguments.server.wrong("the question for its models", "not a list of models in JSON") from None


async def _models(client: "AsyncOpenAI", arguments: ServerArguments) -> bytes:
    from openai import APIStatusError

    with arguments.server.asked("its list of models"):
        try:
            return (await client.models.with_raw_response.list()).http_response.content
        except APIStatusError as error:
            if error.status_code in (404, 405, 501):
                return b'{"data": []}'
            raise
