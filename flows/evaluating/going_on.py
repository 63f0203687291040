"""Build the command that resumes a run, as far as the stored run records its request."""

import json
import shlex
from datetime import date
from typing import Any

from flows.evaluating.run_identity import stored_settings
from newwiki.decoding.grammar import parse
from newwiki.errors import UsageError
from newwiki.fields import as_typed
from newwiki.models.backend import NUMERICS
from newwiki.records import Run
from newwiki.registry import decoders
from newwiki.request import EvaluationRequest
from newwiki.settings import Settings

# Settings that the command expresses, or that follow from the checkpoint
_EXPRESSED = {
    "bos", "chat", "path", "ends", "tokenizer_json", "system", "chat_template_args", "thinking", "max_thinking_tokens",
    "date", "cleaning",
}  # fmt: skip


def command(run: Run, articles: int | None, database: str) -> str | None:
    """Return the command line that resumes this run on a snapshot of `articles` articles in this database.

    Returns None if the stored run does not contain the full request:

    - texts from a file, or a prompt set (`articles` is None)
    - a model behind a server address
    - a third-party decoder or backend
    - a chat whose template, or marks of thinking, came from a file
    - a run of another numerics version, which newwiki does not resume

    The command leaves out options that do not affect the texts (device, batch size), the metrics, and permission for
    pickle files and model code.
    """
    request = request_of(run, articles) if articles is not None and run.numerics == NUMERICS else None
    if request is None:
        return None
    template = "" if run.prompt_template == Settings.template else f" --template {shlex.quote(run.prompt_template)}"
    file = "" if database == Settings.db else f" --db {shlex.quote(database)}"
    return f"newwiki evaluate {as_typed(request)}{template}{file}"


def request_of(run: Run, articles: int) -> EvaluationRequest | None:
    """Return the request that a stored run on a snapshot of `articles` articles records, as far as texts depend on it.

    Returns None where the stored run does not contain it.
    """
    versions, settings = json.loads(run.versions), stored_settings(run)
    if set(settings) - _EXPRESSED or any(name.endswith("_code_sha256") for name in versions):
        return None
    loading = {
        **{name: settings.get(name) for name in ("bos", "tokenizer_json")},
        "revision": versions.get("revision"),
        "base": versions.get("adapter_base"),
    }
    about: dict[str, Any] = {
        "models": (run.model,),
        "backend": run.backend,
        "model_args": {name: value for name, value in loading.items() if value not in (None, "template")},
        "dtype": EvaluationRequest.dtype if run.dtype == "float32" else run.dtype,
        **_chat_fields(settings),
        "snapshot": run.snapshot_id,
        "prompts": run.prompts if run.prompts < articles else None,
    }
    writing = _writing_fields(run, versions) if run.samples else {"likelihood_only": True}
    return None if writing is None else EvaluationRequest(**about, **writing)


def _chat_fields(settings: dict[str, str]) -> dict[str, Any]:
    is_chat = settings.get("chat") == "yes"
    cleaning = "prose" if "cleaning" in settings else "none"
    fields: dict[str, Any] = {"chat": is_chat, "cleaning": "auto" if is_chat == (cleaning == "prose") else cleaning}
    arguments = json.loads(settings.get("chat_template_args", "{}"))
    fields["chat_template_args"] = {
        name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in arguments.items()
    }
    for name, read in (("system", str), ("thinking", str), ("max_thinking_tokens", int), ("date", date.fromisoformat)):
        if name in settings:
            fields[name] = read(settings[name])
    return fields


def _writing_fields(run: Run, versions: dict[str, Any]) -> dict[str, Any] | None:
    try:
        [decoder] = parse(run.decoder)
    except (UsageError, ValueError):
        return None
    once = decoders.get(decoder.name).is_deterministic(decoder)
    return {
        "decoder": (decoder.short,),
        **({} if once else {"samples": run.samples, "keep": run.keep}),
        "max_new_tokens": run.max_new_tokens,
        "seed": run.seed,
        "stop": tuple(versions.get("stop", ())),
        "strict": versions.get("strict", False),
    }
