"""Use the batch interface of a server (/files and /batches of OpenAI's API): a file of requests in, a file of answers
out, within a day and at a lower price."""

import json
import time
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from newwiki.errors import TransientError
from newwiki.models.backend import Writing
from newwiki.models.remote.answers import read_object
from newwiki.models.remote.asking import Request
from newwiki.models.remote.bill import Allowance
from newwiki.models.remote.request_fields import RequestFields
from newwiki.models.remote.server_arguments import ServerArguments
from newwiki.records import Completion

if TYPE_CHECKING:
    from openai import OpenAI

_MOST_REQUESTS, _MOST_BYTES = 50_000, 150 << 20  # of a file; OpenAI accepts 200 MB
_ENDED = ("completed", "failed", "expired", "cancelled")
_FIRST_POLL, _LONGEST_POLL = 5.0, 60.0  # seconds between two looks at a batch, growing by half
_FAILED_POLLS = 10  # in a row
_AT_ONCE = 512  # completions


@dataclass(frozen=True)
class _Outcome:
    """A batch that has ended: its state, its answers by custom id, and the first error among them."""

    state: str
    answers: Mapping[str, Any]
    error: str | None


class BatchAsking:
    """Requests the completions of a run as batches.

    The id of a batch is stored as soon as the server has accepted it. The next command asks for the earlier batches of
    its run before anything else, even if it sends no batches itself, so that no request is paid for twice.
    """

    def __init__(
        self, arguments: ServerArguments, fields: RequestFields, writing: Writing, allowance: Allowance
    ) -> None:
        assert writing.batches is not None
        self._server, self._families = arguments.server, arguments.options.families
        self._fields, self._writing, self._batches, self._allowance = fields, writing, writing.batches, allowance

    def completions(self, left: dict[str, Request]) -> Iterator[list[Completion]]:
        """Yield the completions as batches end, and an empty list whenever nothing has ended yet.

        `left` has the requests by their ids in a batch; those that are answered are taken out. Raises TerminalError
        for what the server refuses and at the limit of costs, and TransientError for a batch that ended without all
        its answers.
        """
        with self._server.opened_for_batches() as client:
            for batch_id in self._batches.ids:
                if left:
                    yield from self._collected(client, batch_id, left, earlier=True)
            while left and self._batches.sends:
                batch_id = self._sent(client, left)
                self._batches.store(batch_id)
                self._writing.note(f"batch {batch_id}: the server may take a day; an interrupted command resumes it")
                yield from self._collected(client, batch_id, left, earlier=False)

    def _sent(self, client: "OpenAI", left: Mapping[str, Request]) -> str:
        """Upload as many requests as a file and the limit of costs allow, and return the id of their batch."""
        lines, size, most = list[bytes](), 0, 0.0
        for custom_id, (prompt, sample) in left.items():
            url, body = f"/v1{self._fields.path}", self._fields.of(prompt, sample)
            line = json.dumps({"custom_id": custom_id, "method": "POST", "url": url, "body": body}).encode()
            cost = self._fields.most_cost(prompt)
            if not lines and not self._allowance.fits(cost):
                raise self._allowance.exceeded(cost)
            if not self._allowance.fits(most + cost) or len(lines) == _MOST_REQUESTS or size + len(line) > _MOST_BYTES:
                break
            lines.append(line)
            size, most = size + len(line) + 1, most + cost
        with self._server.asked("its batch interface (/files and /batches)"):
            file = client.files.create(file=("requests.jsonl", b"\n".join(lines) + b"\n"), purpose="batch")
            # Not repeated by the client: a second batch would cost as much again.
            batch = client.with_options(max_retries=0).batches.create(
                input_file_id=file.id,
                endpoint=f"/v1{self._fields.path}",  # type: ignore[arg-type]
                completion_window="24h",
            )
        return str(batch.id)

    def _collected(
        self, client: "OpenAI", batch_id: str, left: dict[str, Request], *, earlier: bool
    ) -> Iterator[list[Completion]]:
        """Wait for a batch, and yield the completions of requests that are left, which are then left no more."""
        ended = yield from self._ended(client, batch_id, earlier=earlier)
        outcome = None if ended is None else self._outcome(client, ended, earlier=earlier)
        if outcome is None:
            self._writing.note(f"batch {batch_id} of this run is gone from the server; its requests are sent again")
            return
        wrong = None
        answered = [custom_id for custom_id in outcome.answers if custom_id in left]
        for start in range(0, len(answered), _AT_ONCE):
            completions = []
            for custom_id in answered[start : start + _AT_ONCE]:
                prompt, sample = left[custom_id]
                try:
                    answer = read_object(outcome.answers[custom_id], self._families)
                except ValueError as error:
                    wrong = wrong or str(error)
                    continue
                completion = answer.completion(prompt, sample, self._fields.limit, self._writing.stop)
                self._allowance.spend(self._fields.most_cost(prompt), completion)
                completions.append(completion)
                del left[custom_id]
            yield completions
        if earlier:
            return
        if not answered:
            wrong = wrong or "its file of answers has none of them"
        if problem := outcome.error or wrong or (None if outcome.state == "completed" else outcome.state):
            raise TransientError(
                f"batch {batch_id} at {self._server.base_url} is {outcome.state}, and {len(left):,} of the requests "
                f"have no answer: {self._server.clean(problem)}; repeat the command to send these again"
            )

    def _ended(self, client: "OpenAI", batch_id: str, *, earlier: bool) -> Generator[list[Completion], None, Any]:
        """Poll a batch until it has ended, and return it; None if the server does not know an earlier one any more."""
        import openai

        wait, failures = _FIRST_POLL, 0
        while True:
            try:
                with self._server.asked(f"batch {batch_id}"):
                    try:
                        batch = client.batches.retrieve(batch_id)
                    except openai.NotFoundError:
                        if earlier:
                            return None
                        raise
                if batch.status in _ENDED:
                    return batch
                failures = 0
            except TransientError:
                failures += 1
                if failures > _FAILED_POLLS:
                    raise
            yield []
            time.sleep(wait)
            wait = min(1.5 * wait, _LONGEST_POLL)

    def _outcome(self, client: "OpenAI", batch: Any, *, earlier: bool) -> _Outcome | None:
        """Download the files of answers and of errors; a batch may have either, both or none. Return None if the
        server has deleted those of an earlier batch."""
        import openai

        answers, error = dict[str, Any](), None
        for failure in getattr(batch.errors, "data", None) or ():
            error = error or failure.message
        for file_id in filter(None, (batch.output_file_id, batch.error_file_id)):
            with self._server.asked(f"the file {file_id} of batch {batch.id}"):
                try:
                    content = client.files.content(file_id).content
                except openai.NotFoundError:
                    if earlier:
                        return None
                    raise
            for line in filter(None, content.splitlines()):
                custom_id, body, problem = _entry(line)
                if problem is None:
                    answers[custom_id] = body
                else:
                    error = error or problem
        return _Outcome(batch.status, answers, error)


def by_custom_id(requests: Iterable[Request]) -> dict[str, Request]:
    """Return the requests by their ids in a batch."""
    return {f"{prompt.page_id}:{sample}": (prompt, sample) for prompt, sample in requests}


def _entry(line: bytes) -> tuple[str, Any, str | None]:
    """Return the custom id of a line of a batch's files, its answer, and the problem if it has no answer."""
    try:
        entry = json.loads(line)
        response, error = entry.get("response") or {}, entry.get("error")
        body = response.get("body") or {}
        if error or response.get("status_code") != 200:
            error = error or body.get("error") or f"HTTP status {response.get('status_code')}"
            return str(entry.get("custom_id")), None, str(error.get("message") if isinstance(error, dict) else error)
        return str(entry["custom_id"]), body, None
    except (ValueError, AttributeError, KeyError) as error:
        return "", None, f"a line of its files is invalid ({type(error).__name__})"
