"""Use models behind a server with OpenAI's API: GPT-style services, vLLM, llama.cpp, TGI, `transformers serve`."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from newwiki.decoding.grammar import Decoder
from newwiki.errors import UsageError
from newwiki.models.backend import Writing, model
from newwiki.models.remote.asking import Asking, Request, reported
from newwiki.models.remote.bill import Bill
from newwiki.models.remote.server_arguments import ServerArguments, read_arguments
from newwiki.models.remote.side_by_side import side_by_side
from newwiki.models.sampling import refuse_others
from newwiki.records import Completion, Prompt

# The reported fields of a model that do not change by themselves.
_LASTING = ("id", "root", "parent", "owned_by", "meta")


@dataclass(frozen=True)
class Served:
    """A model by its name, and what its server reports about it; None if it reports nothing."""

    arguments: ServerArguments
    reported: Mapping[str, Any] | None


@model("openai")
class OpenAIModel:
    """A model that is requested over HTTP, one request per completion.

    The weights are not visible here, so `sha256` does not cover them: it is `served:` and a hash of the server's
    address, the model's name, and what /models reports. If someone changes the weights behind that name, new
    completions look like those of the same run; `completions.served_by` keeps what each answer says about its origin.

    Each request has a seed of its own, derived from run seed, page and sample. Whether the same seed gives the same
    text depends on the server. Tokens are as the server counts them.
    """

    backend = "openai"
    dtype = "served"

    def __init__(self, name: str, **arguments: str) -> None:
        served = self.find(name, **arguments)
        self.name = name
        self._arguments = served.arguments
        self.sha256 = f"served:{_hash([self._arguments.server.base_url, name, served.reported])}"
        self.settings: Mapping[str, str] = {
            "server": self._arguments.kind,
            "chat": "yes" if self._arguments.chat else "no",
            "seeds": "yes" if self._arguments.seeds else "no",
        }
        prices = {"prompt_price": self._arguments.prices.prompt, "completion_price": self._arguments.prices.completion}
        self.versions: Mapping[str, str] = {
            **{package: version(package) for package in ("newwiki-eval", "openai")},
            "base_url": self._arguments.server.base_url,
            "reported": json.dumps(served.reported, sort_keys=True),
            **{name: str(price) for name, price in prices.items() if price is not None},
        }

    @classmethod
    def find(cls, name: str, **arguments: str) -> Served:
        """Request the server's list of models, which also checks that it is reachable and accepts the key. Raises
        UsageError for an argument, TerminalError and TransientError for the server's errors."""
        parsed = read_arguments(arguments)
        entry = reported(name, parsed) if parsed.dialect.lists_models else None
        return Served(parsed, entry and {key: entry[key] for key in _LASTING if key in entry})

    def others(self, decoder: Decoder) -> Mapping[str, str]:
        refuse_others(
            f"a server of kind '{self._arguments.kind}'",
            decoder,
            self._arguments.dialect.takes,
            "name its kind with --model-args server=…, or use a checkpoint with --backend hf",
        )
        return {}

    def complete(
        self, requests: Sequence[tuple[Prompt, int]], decoder: Decoder, writing: Writing
    ) -> Iterator[list[Completion]]:
        """Yield completions. Raises UsageError at once for what no server can do; during generation TerminalError for
        what the server refuses, and TransientError if it does not answer after all retries."""
        self.others(decoder)
        if writing.strict:
            raise UsageError("--strict has no effect on a server, which forms its own batches; omit it")
        if writing.batch_size is not None:
            raise UsageError(
                "a server forms its own batches: omit --batch-size; set the number of parallel requests with "
                "--model-args concurrency=N"
            )
        asking = Asking(self.name, self._arguments, decoder, writing)
        return self._written(asking, requests, writing.note)

    def _written(
        self, asking: Asking, requests: Sequence[Request], note: Callable[[str], None]
    ) -> Iterator[list[Completion]]:
        bill, makers = Bill(self._arguments.prices), Counter[str]()
        try:
            for answered in side_by_side(asking.opened, requests, self._arguments.concurrency):
                if answered is None:
                    yield []
                    continue
                completion, again = answered
                bill.add(completion.prompt_tokens, completion.tokens, again)
                makers[completion.served_by or "no name"] += 1
                yield [completion]
        finally:
            note(f"requests to {self._arguments.server.base_url}: {bill}")
            if len(makers) > 1:
                counted = "; ".join(f"{self._arguments.server.clean(maker)} ({n:,})" for maker, n in makers.items())
                note(f"more than one model answered as '{self.name}': {counted}")


def _hash(what: object) -> str:
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()
