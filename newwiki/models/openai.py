"""Models behind a server that speaks OpenAI's API: GPT-style services, vLLM, llama.cpp, TGI, `transformers serve`."""

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

# What a server reports of a model that does not change by itself.
_LASTING = ("id", "root", "parent", "owned_by", "meta")


@dataclass(frozen=True)
class Served:
    """A model by its name, and what its server reports of it; None where it reports nothing."""

    arguments: ServerArguments
    reported: Mapping[str, Any] | None


@model("openai")
class OpenAIModel:
    """A model that is asked over HTTP, a request a completion.

    Nobody here has seen its weights, so `sha256` is not of them: it is `served:` and a hash of the server's address,
    the model's name, and what /models reports of it. Whoever changes the weights behind that name makes completions
    that look like the same run's; `completions.served_by` keeps what each answer says of its maker.

    Each request has a seed of its own, made of run seed, page and sample. Whether the same seed gives the same text is
    the server's affair. Tokens are as the server counts them.
    """

    backend = "openai"
    dtype = "served"

    def __init__(self, name: str, **arguments: str) -> None:
        served = self.find(name, **arguments)
        self.name = name
        self._asked = served.arguments
        self.sha256 = f"served:{_hash([self._asked.server.base_url, name, served.reported])}"
        self.settings: Mapping[str, str] = {
            "server": self._asked.kind,
            "chat": "yes" if self._asked.chat else "no",
            "seeds": "yes" if self._asked.seeds else "no",
        }
        prices = {"prompt_price": self._asked.prices.prompt, "completion_price": self._asked.prices.completion}
        self.versions: Mapping[str, str] = {
            **{package: version(package) for package in ("newwiki-eval", "openai")},
            "base_url": self._asked.server.base_url,
            "reported": json.dumps(served.reported, sort_keys=True),
            **{name: str(price) for name, price in prices.items() if price is not None},
        }

    @classmethod
    def find(cls, name: str, **arguments: str) -> Served:
        """Asks the server for its models, and so whether it is there and takes the key. Raises UsageError for an
        argument, TerminalError and TransientError as the server does."""
        asked = read_arguments(arguments)
        found = reported(name, asked) if asked.dialect.lists_models else None
        return Served(asked, found and {key: found[key] for key in _LASTING if key in found})

    def others(self, decoder: Decoder) -> Mapping[str, str]:
        refuse_others(
            f"a server of the kind '{self._asked.kind}'",
            decoder,
            self._asked.dialect.takes,
            "say what it is with --model-args server=…, or take a checkpoint with --backend hf",
        )
        return {}

    def complete(
        self, requests: Sequence[tuple[Prompt, int]], decoder: Decoder, writing: Writing
    ) -> Iterator[list[Completion]]:
        """Raises UsageError at once for what no server can do, on the way TerminalError for what the server refuses
        and TransientError where it does not answer, however often it is asked."""
        self.others(decoder)
        if writing.strict:
            raise UsageError("--strict is of no use with a server, whose batches are its own; leave it out")
        if writing.batch_size is not None:
            raise UsageError(
                "a server makes its own batches: leave --batch-size out; --model-args concurrency=N says how many "
                "requests it gets at a time"
            )
        asking = Asking(self.name, self._asked, decoder, writing)
        return self._written(asking, requests, writing.note)

    def _written(
        self, asking: Asking, requests: Sequence[Request], note: Callable[[str], None]
    ) -> Iterator[list[Completion]]:
        bill, makers = Bill(self._asked.prices), Counter[str]()
        try:
            for answered in side_by_side(asking.opened, requests, self._asked.concurrency):
                if answered is None:
                    yield []
                    continue
                completion, again = answered
                bill.add(completion.prompt_tokens, completion.tokens, again)
                makers[completion.served_by or "nobody that says so"] += 1
                yield [completion]
        finally:
            note(f"asked {self._asked.server.base_url}: {bill}")
            if len(makers) > 1:
                counted = "; ".join(f"{self._asked.server.clean(maker)} ({many:,})" for maker, many in makers.items())
                note(f"more than one thing answered as '{self.name}': {counted}")


def _hash(what: object) -> str:
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()
