"""Request completions from a server, and retry until they arrive or fail for good."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from newwiki.models.backend import Writing
from newwiki.models.remote.answers import read
from newwiki.models.remote.bill import Allowance
from newwiki.models.remote.patience import backoff, until_answered
from newwiki.models.remote.request_fields import RequestFields
from newwiki.models.remote.server_arguments import ServerArguments
from newwiki.models.remote.side_by_side import side_by_side
from newwiki.records import Completion, Prompt

if TYPE_CHECKING:
    from openai import AsyncOpenAI

_WRONG_ANSWERS = 5  # invalid answers to one request before it fails
# Of the first request, because its address may be wrong
_FIRST_RETRIES, _FIRST_TIMEOUT = 2, 30.0

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
    """Requests the completions of a run, one by one."""

    def __init__(
        self, arguments: ServerArguments, fields: RequestFields, writing: Writing, allowance: Allowance
    ) -> None:
        self._arguments, self._fields, self._writing, self._allowance = arguments, fields, writing, allowance
        self._requests, self._tokens = Pace(arguments.requests_per_minute), Pace(arguments.tokens_per_minute)

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Callable[[Request], Awaitable[tuple[Completion, int]]]]:
        """Yield a function that returns the completion of a request and the number of repeated requests.

        It raises TerminalError for what the server refuses and at the limit of costs, TransientError if the server
        gives no answer.
        """
        async with self._arguments.server.opened() as client:
            yield lambda request: self._within_allowance(client, request)

    async def _within_allowance(self, client: "AsyncOpenAI", request: Request) -> tuple[Completion, int]:
        most, completion = self._fields.most_cost(request[0]), None
        await self._allowance.hold(most)
        try:
            completion, again = await self._ask(client, request)
        finally:
            await self._allowance.settle(most, completion)
        return completion, again

    async def _ask(self, client: "AsyncOpenAI", request: Request) -> tuple[Completion, int]:
        prompt, sample = request
        what, again = f"the completion of page {prompt.page_id}", 0
        estimate = len(prompt.text) // 4 + self._fields.limit
        for attempt in range(_WRONG_ANSWERS):
            await self._requests.take()
            await self._tokens.take(estimate)
            with self._arguments.server.asked(what):
                body, repeated = await until_answered(lambda: self._response(client, request))
            again += repeated
            try:
                answer = read(body, self._arguments.options.families)
            except ValueError as error:
                problem, again = str(error), again + 1
                await asyncio.sleep(backoff(attempt))
            else:
                self._tokens.correct((answer.prompt_tokens or 0) + (answer.tokens or estimate) - estimate)
                return answer.completion(prompt, sample, self._fields.limit, self._writing.stop), again
        raise self._arguments.server.wrong(what, problem)

    async def _response(self, client: "AsyncOpenAI", request: Request) -> bytes:
        """Send the request; fields that the client does not know are in `extra_body`."""
        fields = self._fields.of(*request)
        known = {name: fields.pop(name) for name in ("model", "messages", "prompt") if name in fields}
        endpoint: Any = client.chat.completions if self._arguments.chat else client.completions
        async with asyncio.timeout(self._arguments.server.timeout):  # the client's own is of each piece of an answer
            response = await endpoint.with_raw_response.create(**known, extra_body=fields)
        content: bytes = response.http_response.content
        return content


def reported(name: str, arguments: ServerArguments) -> Mapping[str, Any] | None:
    """Return the entry of this model in the server's list of models; None if there is no list, or no entry."""

    @asynccontextmanager
    async def opened() -> AsyncIterator[Callable[[None], Awaitable[bytes]]]:
        async with arguments.server.opened() as client:
            yield lambda _: _models(client, arguments)

    (body,) = [body for body in side_by_side(opened, [None], 1) if body is not None]
    try:
        entries = json.loads(body)["data"]
        return next((dict(entry) for entry in entries if entry["id"] == name), None)
    except (ValueError, TypeError, KeyError):
        raise arguments.server.wrong("the request for its models", "not a list of models in JSON") from None


async def _models(client: "AsyncOpenAI", arguments: ServerArguments) -> bytes:
    from openai import APIStatusError

    timeout = min(arguments.server.timeout, _FIRST_TIMEOUT)

    async def listed() -> bytes:
        async with asyncio.timeout(timeout):
            return (await client.models.with_raw_response.list()).http_response.content

    with arguments.server.asked("its list of models", timeout):
        try:
            return (await until_answered(listed, _FIRST_RETRIES))[0]
        except APIStatusError as error:
            if error.status_code in (404, 405, 501):
                return b'{"data": []}'
            raise
