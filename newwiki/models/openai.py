"""Use models behind a server with OpenAI's API: GPT-style services, vLLM, SGLang, llama.cpp, Ollama, TGI."""

import hashlib
import json
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any

from newwiki.decoding.grammar import Decoder
from newwiki.errors import TerminalError, UsageError
from newwiki.models.backend import Writing, model
from newwiki.models.chat_options import CHAT_ARGUMENTS
from newwiki.models.remote.answers import model_name
from newwiki.models.remote.asking import Asking, Request, reported
from newwiki.models.remote.batches import BatchAsking, by_custom_id
from newwiki.models.remote.bill import Allowance, Bill
from newwiki.models.remote.request_fields import RequestFields, RequestSheet
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
    A run whose answers begin to come from a model of another name ends.

    Each request has a seed of its own, derived from run seed, page and sample. Whether the same seed gives the same
    text depends on the server. Tokens are as the server counts them.
    """

    backend = "openai"
    chat_arguments = CHAT_ARGUMENTS
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
            **(self._arguments.options.settings if self._arguments.chat else {}),
            **({"begun": "no"} if self._arguments.chat and not self._arguments.begins else {}),
        }
        self.prompt_sheet = RequestSheet(name, self._arguments)
        prices = {f"{name}_price": price for name, price in vars(self._arguments.prices).items()}
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
        if writing.max_cost is not None and self._arguments.prices.prompt is None:
            raise UsageError(
                "--max-cost needs the prices per million tokens: add --model-args prompt_price=…,completion_price=…"
            )
        fields = RequestFields(self.name, self._arguments, decoder, writing)
        maxima = [fields.most_cost(prompt) for prompt, _ in requests]
        allowance = Allowance(writing.max_cost, self._arguments.prices, writing.stored, maxima)
        return self._written(self._answers(requests, fields, writing, allowance), writing)

    def _answers(
        self, requests: Sequence[Request], fields: RequestFields, writing: Writing, allowance: Allowance
    ) -> Generator[list[tuple[Completion, int]], None, None]:
        """Yield completions, each with the number of repeated requests: first those of batches, then one by one."""
        left = by_custom_id(requests)
        if writing.batches is not None:
            for batch in BatchAsking(self._arguments, fields, writing, allowance).completions(left):
                yield [(completion, 0) for completion in batch]
        asking = Asking(self._arguments, fields, writing, allowance)
        with closing(side_by_side(asking.opened, [*left.values()], self._arguments.concurrency)) as answers:
            for answer in answers:
                yield [] if answer is None else [answer]

    def _written(
        self, answers: Generator[list[tuple[Completion, int]], None, None], writing: Writing
    ) -> Iterator[list[Completion]]:
        bill, makers = Bill(self._arguments.prices), Counter[str]()
        names = {model_name(served_by) for served_by in writing.stored.served_by}
        try:
            with closing(answers):
                for batch in answers:
                    for place, (completion, again) in enumerate(batch):
                        bill.add(completion, again)
                        name = model_name(completion.served_by or "")
                        if name and names and name not in names:
                            yield [completion for completion, _ in batch[:place]]
                            raise self._renamed(name, names)
                        names |= {name} - {""}
                        makers[completion.served_by or "no name"] += 1
                    yield [completion for completion, _ in batch]
        finally:
            writing.note(f"requests to {self._arguments.server.base_url}: {bill}")
            if len(makers) > 1:
                counted = "; ".join(f"{maker} ({n:,})" for maker, n in makers.items())
                writing.note(f"more than one configuration answered as '{self.name}': {counted}")

    def _renamed(self, name: str, earlier: Iterable[str]) -> TerminalError:
        return TerminalError(
            f"the server at {self._arguments.server.base_url} now answers with the model '{name}', and the run's texts "
            f"so far, which stay stored, are of '{', '.join(sorted(earlier))}': serve that model again and repeat the "
            "command to resume, or request a model by its full name, for a run of its own"
        )


def _hash(what: object) -> str:
    return hashlib.sha256(json.dumps(what, sort_keys=True).encode()).hexdigest()
