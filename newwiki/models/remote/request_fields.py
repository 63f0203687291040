"""Build the fields of a request for one completion: model, messages, sampling, chat template and thinking."""

import json
from collections.abc import Mapping
from typing import Any

from newwiki.decoding.grammar import Decoder, parse
from newwiki.errors import UsageError
from newwiki.models.backend import Writing
from newwiki.models.remote.server_arguments import ServerArguments
from newwiki.models.sampling import request_seed, sampling_parameters
from newwiki.records import Prompt

# Tokens that a chat template adds to its messages, at most
_TEMPLATE_TOKENS = 64


class RequestFields:
    """The fields of the requests of a run. `limit` is the maximum number of tokens of an answer, with its thinking."""

    def __init__(self, name: str, arguments: ServerArguments, decoder: Decoder, writing: Writing) -> None:
        """Raises UsageError for an argument of the chat template that would replace a field of the request."""
        self._name, self._arguments, self._decoder, self._writing = name, arguments, decoder, writing
        options = arguments.options
        self.limit = writing.max_new_tokens + (options.max_thinking_tokens if options.thinking == "on" else 0)
        self._constant = self._same_for_all()
        self._template = self._of_template()
        if taken := sorted(self._template.keys() & {"model", "messages", "prompt", "n", "stream", *self._constant}):
            raise UsageError(
                f"chat_template_args cannot set {', '.join(taken)}, which newwiki sets in each request; leave it out"
            )

    @property
    def path(self) -> str:
        return "/chat/completions" if self._arguments.chat else "/completions"

    def of(self, prompt: Prompt, sample: int) -> dict[str, Any]:
        """Return the fields of the request for one completion."""
        fields = {"model": self._name, **self._content(prompt), **self._constant, **self._template}
        if self._arguments.seeds and self._decoder.name != "greedy":
            fields["seed"] = request_seed(self._writing.seed, prompt.page_id, sample)
        return fields

    def told(self, prompt: Prompt) -> dict[str, Any]:
        """Return the fields of a request that say what the model is told."""
        return {"model": self._name, **self._content(prompt), **self._template}

    def most_cost(self, prompt: Prompt) -> float:
        """Return the highest possible cost of a completion; a prompt has at most as many tokens as bytes."""
        content = self._content(prompt)
        texts = [message["content"] for message in content["messages"]] if "messages" in content else [prompt.text]
        most = sum(len(text.encode()) + _TEMPLATE_TOKENS for text in texts)
        return self._arguments.prices.cost(most, 0, self.limit) or 0.0

    def _content(self, prompt: Prompt) -> dict[str, Any]:
        if not self._arguments.chat:
            return {"prompt": prompt.text}
        options, begins = self._arguments.options, bool(prompt.begun) and self._arguments.begins
        user = prompt.text if begins or not prompt.begun else _instructed(prompt)
        turns = [("system", options.system), ("user", user), ("assistant", prompt.begun if begins else None)]
        messages = [{"role": role, "content": text} for role, text in turns if text is not None]
        return {"messages": messages, **((self._arguments.dialect.begins or {}) if begins else {})}

    def _same_for_all(self) -> dict[str, Any]:
        dialect = self._arguments.dialect
        fields = {
            dialect.chat_length if self._arguments.chat else dialect.length: self.limit,
            **dialect.words(sampling_parameters(self._decoder)),
        }
        return {**fields, "stop": list(self._writing.stop)} if self._writing.stop else fields

    def _of_template(self) -> Mapping[str, Any]:
        """Return the arguments of the chat template, where this kind of server reads them."""
        dialect, options = self._arguments.dialect, self._arguments.options
        switch = (dialect.switches or {}).get(options.thinking == "on", {}) if options.thinking != "auto" else {}
        arguments = {**switch, **options.template_args}
        if not dialect.takes_template_args or not arguments:
            return arguments
        effort = {name: arguments[name] for name in ("reasoning_effort",) if name in arguments and dialect.reads_effort}
        return {"chat_template_kwargs": arguments, **effort}


class RequestSheet:
    """Describes the requests of a run: all fields but those of the sampling."""

    def __init__(self, name: str, arguments: ServerArguments) -> None:
        self._name, self._arguments = name, arguments

    def of(self, prompt: Prompt) -> str:
        """Return a JSON object with the fields of the request for a prompt, under `request`."""
        [greedy] = parse("greedy")
        return json.dumps(
            {"request": RequestFields(self._name, self._arguments, greedy, Writing()).told(prompt)}, ensure_ascii=False
        )


def _instructed(prompt: Prompt) -> str:
    """Return the user's turn where an answer cannot be begun. Raises UsageError for a template of the user's own."""
    if not prompt.instructed:
        raise UsageError(
            "this kind of server cannot begin an answer, as {answer} in --template asks; use --template chat, whose "
            "instruction can hold the first sentence, or a template without {answer}"
        )
    return prompt.instructed
