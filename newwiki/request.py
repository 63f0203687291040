"""The requests: every setting of a command once, with its type, default, bound and a line of help.

The options of the command line, the arguments of the Python API, the keys of newwiki.toml and the parameters of the
Prefect flows are derived from these records (`newwiki/fields.py`). A field has the name of its option and argument.
"""

import datetime as dt
import json
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import ClassVar, Literal

from newwiki.amounts import in_bytes
from newwiki.errors import UsageError
from newwiki.fields import check_values, field, fields_of
from newwiki.knowledge_cutoff import last_day
from newwiki.models.chat_options import CHAT_ARGUMENTS, MOST_THINKING, ChatOptions, read_chat_options, typed_argument
from newwiki.settings import CHAT, MODEL, SCORING
from newwiki.snapshot import OLD_SELECTION, Selection, Window

# Help that several requests share
_CUTOFF = "Last month or day covered by the training data of {} (default: newwiki.toml, then the checkpoint)."
_DUMP = "XML export with full history: a file, a folder, a pattern, or - for stdin (may be repeated for further parts)."
_METRICS = "Metrics to compute."
_BUDGET = "Maximum number of texts per run that costly evaluators score."
_DTYPE = "Data type of the weights; auto is float32."
_PICKLE = "Allow weights stored as pickles, which can run code."
_REMOTE_CODE = "Allow code that comes with a model to run."

# Fields that apply only to runs that generate text
GENERATION_FIELDS = ("decoder", "samples", "keep", "max_new_tokens", "seed", "stop", "strict")


def _by_kind(name: str) -> str:
    return f"{getattr(Selection, name)}, or {getattr(OLD_SELECTION, name)} with --kind old"


@dataclass(frozen=True, kw_only=True)
class Request:
    """The base of all requests. Raises UsageError for a number out of bounds and for a word that is not a choice."""

    def __post_init__(self) -> None:
        check_values(self)


@dataclass(frozen=True, kw_only=True)
class RefreshRequest(Request):
    """The pages that become a snapshot, and their source: exactly one of api, wiki and dump.

    `kind` is `new` for all pages created in the window, or `old` for a random walk over page ids until the sample is
    full.
    """

    month: str | None = field(None, "Month in which the pages were created.", metavar="YYYY-MM")
    from_: date | None = field(None, "First day on which the pages were created; needs --to.")
    to: date | None = field(None, "Last day on which the pages were created (inclusive); needs --from.")
    api: str | None = field(
        None, "Address of a MediaWiki's api.php.", metavar="URL", example="https://wiki.example/w/api.php"
    )
    wiki: str | None = field(None, "Database name of a Wikipedia, such as enwiki.", metavar="NAME")
    dump: tuple[str, ...] = field((), _DUMP, metavar="FILE", example="parts/*.7z")
    min_revisions: int = field(Selection.min_revisions, "Minimum number of revisions up to the cutoff.", at_least=1)
    min_words: int | None = field(None, "Minimum number of words of prose.", at_least=1, usually=_by_kind("min_words"))
    sample: int | None = field(None, "Number of articles to draw.", at_least=1, usually=_by_kind("sample"))
    seed: int = field(Selection.seed, "Random seed for the draw.")
    cutoff: datetime | None = field(None, "Time as of which pages are read, in UTC (default: now).")
    limit: int | None = field(
        Selection.limit, "Read only the N pages created first, for a quick look.", at_least=1, example=1000
    )
    max_holes: int | None = field(
        Selection.max_holes,
        "Maximum number of templates in the prose whose text is missing (default: any number).",
        at_least=0,
        example=2,
    )
    novel_against: tuple[str, ...] = field(
        (), "Drop pages that nearly repeat an article of this snapshot (may be repeated).", metavar="SNAPSHOT"
    )
    kind: Literal["new", "old"] = field("new", "All new pages of the window, or a sample of old pages.")
    before: date | None = field(None, "Day before which the pages were created, with --kind old.")

    @property
    def window(self) -> Window:
        """The window of creation. Raises UsageError unless the dates name exactly one."""
        if self.kind == "old" or self.before:
            if self.kind != "old" or not self.before or self.month or self.from_ or self.to:
                raise UsageError(
                    "--kind old and --before go together and without other dates: give --kind old --before 2020-01-01"
                )
            return Window.before(_day(self.before))
        if self.month and not self.from_ and not self.to:
            return Window.month(self.month)
        if self.from_ and self.to and not self.month:
            return Window.days(_day(self.from_), _day(self.to))
        raise UsageError("no window of creation: give --month 2026-10, or --from and --to")

    @property
    def selection(self) -> Selection:
        usual = OLD_SELECTION if self.kind == "old" else Selection()
        min_words, sample = self.min_words or usual.min_words, self.sample or usual.sample
        return Selection(self.min_revisions, min_words, sample, self.seed, self.limit, self.max_holes)

    @property
    def place(self) -> str | tuple[str, ...]:
        """The source: an address, a file, or the files, folders and patterns of one dump. Raises UsageError unless
        exactly one is named."""
        if sum(map(bool, (self.api, self.wiki, self.dump))) != 1:
            raise UsageError("exactly one source is needed: give one of --api URL, --wiki enwiki, --dump FILE")
        if self.dump:
            return self.dump if len(self.dump) > 1 else self.dump[0]
        if self.api:
            return self.api
        name = self.wiki or ""
        language = name.removesuffix("wiki").replace("_", "-")
        if not name.endswith("wiki") or not language:
            raise UsageError(
                f"--wiki '{name}' is not the database name of a Wikipedia: write it as enwiki, or give --api URL"
            )
        return f"https://{language}.wikipedia.org/w/api.php"


@dataclass(frozen=True, kw_only=True)
class EvaluationRequest(Request):
    """The models and decoders that generate a snapshot's articles, and the metrics that score the texts.

    The defaults are those of the New-Wiki Eval paper (section Experiments).
    """

    INHERITED: ClassVar = "Evaluation options"  # the heading of these fields in the help of an experiment

    models: tuple[str, ...] = field(
        help="Model to evaluate: a folder written by save_pretrained, an id on the Hugging Face Hub, or any name that "
        "the backend knows.",
        argument=True,
        metavar="MODEL",
    )
    decoder: tuple[str, ...] = field(
        (), "Decoder, such as greedy or sample:top_p=[0.5,0.9] (may be repeated).", metavar="SPEC"
    )
    likelihood_only: bool = field(
        False, "Only read the articles, without a decoder: measures bits per byte and similar."
    )
    backend: str = field("hf", "Model backend: hf, seq2seq, vllm or openai.", group=MODEL)
    model_args: dict[str, str] = field(
        {},
        "Arguments that load the model, such as revision=main,device=cpu.",
        metavar="K=V,…",
        aliases=("--model_args",),
        group=MODEL,
    )
    snapshot: str = field("latest", "Snapshot to evaluate on.", metavar="ID")
    prompts: int | None = field(
        None, "Use only the N longest articles (default: all).", at_least=1, aliases=("--limit",), example=100
    )
    samples: int = field(20, "Number of completions per prompt.", at_least=1)
    keep: int = field(10, "Score only the N longest completions of each prompt.", at_least=1)
    max_new_tokens: int = field(
        512, "Maximum number of new tokens per completion.", at_least=1, aliases=("--max_new_tokens",)
    )
    batch_size: int | None = field(
        None,
        "Number of completions generated at once; auto is the fastest number that fits into memory.",
        at_least=1,
        none="auto",
        metavar="N|auto",
        aliases=("--batch_size",),
        example=16,
        group=MODEL,
    )
    memory: str | None = field(
        None,
        "Maximum memory for a batch, besides the model (default: half of the free memory).",
        metavar="SIZE",
        example="1GB",
        group=MODEL,
    )
    dtype: str = field("auto", _DTYPE, metavar="NAME", group=MODEL)
    seed: int = field(0, "Random seed for sampling.")
    stop: tuple[str, ...] = field((), "Text before which a completion ends (may be repeated).", metavar="TEXT")
    strict: bool = field(False, "Generate each completion alone, in tensors of fixed shape; slower.", group=MODEL)
    max_cost: float | None = field(
        None,
        "Highest cost of a run at a server, in the currency of its prices; the run stops before a request exceeds it.",
        above=0,
        metavar="AMOUNT",
        example=5,
        group=MODEL,
    )
    server_batch: bool = field(
        False, "Send the requests to the server's batch interface, as a file that it answers within a day.", group=MODEL
    )
    allow_pickle: bool = field(False, _PICKLE, group=MODEL)
    trust_remote_code: bool = field(False, _REMOTE_CODE, aliases=("--trust_remote_code",), group=MODEL)
    chat: bool = field(False, "Put the prompt into the user turn of the model's chat template.", group=CHAT)
    system: str | None = field(
        None, "System turn before the user's.", metavar="TEXT", group=CHAT, example="You write encyclopedia articles."
    )
    chat_template_args: dict[str, str] = field(
        {}, "Arguments of the chat template, such as reasoning_effort=low.", metavar="K=V,…", group=CHAT
    )
    chat_template: str | None = field(
        None,
        "File with a chat template that replaces the model's own.",
        metavar="FILE",
        group=CHAT,
        example="chat_template.jinja",
    )
    thinking: Literal["auto", "on", "off"] = field(
        "auto", "Let a model think before it answers; auto is what its authors do.", group=CHAT
    )
    max_thinking_tokens: int = field(
        MOST_THINKING,
        "Maximum number of tokens of the thinking, apart from those of the answer.",
        at_least=1,
        group=CHAT,
    )
    thinking_markers: str | None = field(
        None,
        "File that describes how a family of models marks its thinking.",
        metavar="FILE.toml",
        group=CHAT,
        example="thinking.toml",
    )
    date: dt.date | None = field(
        None, "Day for chat templates that ask for the date (default: the snapshot's cutoff).", group=CHAT
    )
    cleaning: Literal["auto", "none", "prose"] = field(
        "auto", "Score answers as written (none), or without markup (prose); auto is prose for chats.", group=CHAT
    )
    metrics: str = field("core", _METRICS, metavar="core|claims|all|NAME,…", names=True, group=SCORING)
    budget: int = field(200, _BUDGET, at_least=1, group=SCORING)
    knowledge_cutoff: str | None = field(
        None, _CUTOFF.format("the models"), metavar="YYYY-MM[-DD]", example="2025-06", group=MODEL
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require_one_task()
        _check_cutoff(self.knowledge_cutoff)
        if self.memory is not None:
            in_bytes(self.memory)
        if self.keep > self.samples:
            raise UsageError(
                f"--keep {self.keep} is more than --samples {self.samples}: lower --keep or raise --samples"
            )
        if (self.max_cost is not None or self.server_batch) and self.backend != "openai":
            option = "--server-batch" if self.server_batch else "--max-cost"
            raise UsageError(f"{option} applies to servers only: add --backend openai, or omit it")
        if "" in self.stop:
            raise UsageError("--stop is empty: give a text of at least one character")

    def _require_one_task(self) -> None:
        if not self.likelihood_only:
            if not self.decoder:
                raise UsageError("--decoder is required: give one, such as --decoder greedy, or --likelihood-only")
            return
        defaults = {field.name: field.default for field in fields_of(type(self))}
        if unused := [name for name in GENERATION_FIELDS if getattr(self, name) != defaults[name]]:
            raise UsageError(f"--likelihood-only generates no texts: leave out --{unused[0].replace('_', '-')}")

    @property
    def loading(self) -> dict[str, str]:
        """The arguments that load a backend; a flag that is set is `yes`."""
        flags = ("chat", "allow_pickle", "trust_remote_code")
        loading = {"dtype": self.dtype, **{name: "yes" for name in flags if getattr(self, name)}}
        return {**loading, **self._chat_texts, **self.model_args}

    @property
    def chat_options(self) -> ChatOptions:
        """The options of a chat. Raises UsageError."""
        return read_chat_options(chat=self.chat, **self._chat_texts)

    @property
    def _chat_texts(self) -> dict[str, str]:
        """The options of a chat that differ from their defaults, as texts."""
        defaults = {field.name: field.default for field in fields_of(type(self))}
        given = {name: getattr(self, name) for name in CHAT_ARGUMENTS if getattr(self, name) != defaults[name]}
        if self.chat_template_args:
            typed = {name: typed_argument(value) for name, value in self.chat_template_args.items()}
            given["chat_template_args"] = json.dumps(typed, sort_keys=True)
        return {name: str(value) for name, value in given.items()}


@dataclass(frozen=True, kw_only=True)
class TrialRequest(Request):
    """The checkpoint to try with the backend `hf`, and how to load it."""

    model: str | None = field(None, "Checkpoint to try: a folder, or an id on the Hugging Face Hub.", metavar="MODEL")
    model_args: dict[str, str] = field(
        {},
        "Arguments that load the checkpoint, such as revision=main,device=cpu.",
        metavar="K=V,…",
        aliases=("--model_args",),
    )
    dtype: str = field(EvaluationRequest.dtype, _DTYPE, metavar="NAME")
    allow_pickle: bool = field(False, _PICKLE)
    trust_remote_code: bool = field(False, _REMOTE_CODE, aliases=("--trust_remote_code",))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.model is None and self.loading != type(self)(model="").loading:
            raise UsageError("no checkpoint to load: add --model FOLDER")

    @property
    def loading(self) -> dict[str, str]:
        """The arguments that load the backend; a flag that is set is `yes`."""
        flags = ("allow_pickle", "trust_remote_code")
        return {"dtype": self.dtype, **{name: "yes" for name in flags if getattr(self, name)}, **self.model_args}


@dataclass(frozen=True, kw_only=True)
class WatchRequest(Request):
    """The folder to watch for checkpoints, and the intervals."""

    folder: Path = field(help="Folder to which a training run writes checkpoints.", argument=True, metavar="DIR")
    once: bool = field(False, "Evaluate the checkpoints that are there, then exit.")
    poll: float = field(30.0, "Seconds between two checks of the folder.", at_least=0.1, metavar="SECONDS")
    settle: float = field(
        10.0, "Seconds without a change after which a checkpoint counts as complete.", at_least=0, metavar="SECONDS"
    )


@dataclass(frozen=True, kw_only=True)
class ScoringRequest(Request):
    """The stored runs, or the files of texts from elsewhere, to score, and the metrics.

    The texts of the files are about articles of `snapshot`; `model` wrote them under `decoder`.
    """

    files: tuple[Path, ...] = field(
        (), "File of texts that were generated elsewhere.", argument=True, metavar="FILE.jsonl"
    )
    run: tuple[str, ...] = field(
        (), "Stored run to score, named as for `newwiki compare` (may be repeated).", metavar="RUN"
    )
    missing: bool = field(False, "Score every stored run that lacks some of the scores.")
    snapshot: str = field(
        EvaluationRequest.snapshot,
        "Snapshot whose articles the texts of FILE are about, and of the runs of --run.",
        metavar="ID",
    )
    model: str | None = field(
        None, "Name of the model that wrote the texts of FILE (default: the file name).", metavar="NAME"
    )
    decoder: str | None = field(
        None, "Decoder under which the texts of FILE were written (default: unknown).", metavar="TEXT"
    )
    metrics: str = field(
        EvaluationRequest.metrics, _METRICS, metavar="core|claims|all|NAME,…", names=True, group=SCORING
    )
    budget: int = field(EvaluationRequest.budget, _BUDGET, at_least=1, group=SCORING)
    knowledge_cutoff: str | None = field(
        None, _CUTOFF.format("the model that wrote the texts of FILE"), metavar="YYYY-MM[-DD]", example="2025-06"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_cutoff(self.knowledge_cutoff)
        if self.knowledge_cutoff and not self.files:
            raise UsageError(
                "--knowledge-cutoff applies to a FILE.jsonl only: for a stored run, repeat its `newwiki evaluate` with "
                "--knowledge-cutoff, which generates nothing again"
            )


@dataclass(frozen=True, kw_only=True)
class RebuildRequest(Request):
    """The manifest from which to publish a snapshot again, and the source of its pages."""

    manifest: Path = field(help="Manifest of an exported snapshot.", argument=True, metavar="MANIFEST")
    api: str | None = field(
        None, "Address of a MediaWiki's api.php (default: the Wikipedia that the manifest names).", metavar="URL"
    )
    dump: tuple[str, ...] = field((), _DUMP, metavar="FILE")


@dataclass(frozen=True, kw_only=True)
class RevisitRequest(Request):
    """The snapshot whose articles are read again, the new cutoff, the source, and the metrics for its runs."""

    snapshot: str = field(help="Snapshot whose articles are read again.", argument=True, metavar="ID")
    cutoff: datetime | None = field(
        None, "Time as of which articles are read, in UTC (default: the beginning of today)."
    )
    api: str | None = field(
        None,
        "Address of a MediaWiki's api.php (default: /w/api.php on the host of the permanent links).",
        metavar="URL",
    )
    dump: tuple[str, ...] = field((), _DUMP, metavar="FILE")
    metrics: str = field(
        EvaluationRequest.metrics,
        "Metrics that score its runs against both editions.",
        metavar="core|claims|all|NAME,…",
        names=True,
        group=SCORING,
    )


@dataclass(frozen=True, kw_only=True)
class PlanRequest(Request):
    """The workload (each model under each decoder) and the machines for it."""

    prompts: int = field(2000, "Number of articles to generate.", at_least=1)
    samples: int = field(EvaluationRequest.samples, "Number of completions per prompt.", at_least=1)
    keep: int = field(EvaluationRequest.keep, "Number of completions per prompt to score, longest first.", at_least=1)
    models: int = field(1, "Number of models.", at_least=1)
    decoders: int = field(1, "Number of decoders per model.", at_least=1)
    metrics: int = field(9, "Number of metrics per text.", at_least=1)
    machines: int | None = field(None, "Number of machines (default: 1, or as many as the deadline needs).", at_least=1)
    deadline: float | None = field(None, "Hours within which all machines must finish.", above=0, metavar="HOURS")
    price_per_hour: float | None = field(None, "Price of one machine per hour.", above=0, metavar="MONEY")
    tokens: float | None = field(None, "Tokens per completion, in place of the measured number.", above=0)
    tokens_per_second: float | None = field(
        None, "Tokens per second of one machine, in place of the measured rate.", above=0
    )
    score_seconds: float | None = field(
        None, "Seconds to score one text on one machine, in place of the measured time.", above=0
    )
    load_seconds: float | None = field(None, "Seconds to load a model, in place of the built-in estimate.", above=0)
    checkpoint: str | None = field(None, "Local model whose memory to add to the plan.", metavar="MODEL")

    @property
    def runs(self) -> int:
        return self.models * self.decoders

    @property
    def completions(self) -> int:
        return self.runs * self.prompts * self.samples

    @property
    def kept(self) -> int:
        return self.runs * self.prompts * min(self.keep, self.samples)


@dataclass(frozen=True, kw_only=True)
class TaskRequest(Request):
    """A snapshot as a task of lm-evaluation-harness: its articles, and the metrics."""

    snapshot: str = field(EvaluationRequest.snapshot, "Snapshot to export.", argument=True)
    prompts: int | None = field(
        None, "Use only the N longest articles (default: all).", at_least=1, aliases=("--limit",)
    )
    max_new_tokens: int = field(
        EvaluationRequest.max_new_tokens,
        "Maximum number of new tokens per completion.",
        at_least=1,
        aliases=("--max_new_tokens",),
    )
    metrics: str = field(EvaluationRequest.metrics, _METRICS, metavar="core|claims|all|NAME,…", names=True)


def _day(moment: date) -> date:
    return moment.date() if isinstance(moment, datetime) else moment


def _check_cutoff(cutoff: str | None) -> None:
    try:
        if cutoff is not None:
            last_day(cutoff)
    except ValueError as error:
        raise UsageError(f"--knowledge-cutoff: {error}") from None
