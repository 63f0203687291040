"""What a user may ask, each field once: its type, default, bound, and a line of help.

The command line's options, the Python API's arguments, the keys of newwiki.toml and the parameters of Prefect's flows
are made of these records (`newwiki/fields.py`). A field is named as its option and its argument are.
"""

from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Literal

from newwiki.amounts import in_bytes
from newwiki.errors import UsageError
from newwiki.fields import asked, check_values, fields_of
from newwiki.knowledge_cutoff import last_day
from newwiki.records import Stratum
from newwiki.snapshot import OLD_SELECTION, Selection, Window

# What is asked for in several places, in the same words
_ACROSS = "Compare runs that differ in this setting of their protocol all the same (may be repeated)."
_AFTER = "Of each run only the articles that are later than its model's knowledge cutoff."
_CUTOFF = "The last month or day of what {} can have seen (newwiki.toml, or what the checkpoint says)."
_DUMP = "An XML export with full history: a file, a folder, a pattern, or - for stdin; again for each further part."

# What only a run has that writes
OF_WRITING = ("decoder", "samples", "keep", "max_new_tokens", "seed", "stop", "strict")


def _by_kind(name: str) -> str:
    return f"{getattr(Selection, name)}; {getattr(OLD_SELECTION, name)} with --kind old"


@dataclass(frozen=True, kw_only=True)
class Request:
    """Raises UsageError for a number that is out of bounds, and for a word that is none of a field's choices."""

    def __post_init__(self) -> None:
        check_values(self)


@dataclass(frozen=True, kw_only=True)
class RefreshRequest(Request):
    """Which pages become a snapshot, and from where. The dates name one window; the source is one of api, wiki, dump.

    `kind` is `new` for all pages that were created in the window, or `old` for a random walk over page ids until the
    sample is full.
    """

    month: str | None = asked(None, "The pages created in this month.", metavar="YYYY-MM")
    from_: date | None = asked(None, "The pages created from this day …")
    to: date | None = asked(None, "… to this day, both counted in.")
    api: str | None = asked(None, "A MediaWiki's api.php.", metavar="URL", example="https://wiki.example/w/api.php")
    wiki: str | None = asked(None, "A Wikipedia by its database name, such as enwiki.", metavar="NAME")
    dump: tuple[str, ...] = asked((), _DUMP, metavar="FILE", example="parts/*.7z")
    min_revisions: int = asked(Selection.min_revisions, "Revisions up to the cutoff.", at_least=1)
    min_words: int | None = asked(None, "Words of its prose.", at_least=1, usually=_by_kind("min_words"))
    sample: int | None = asked(None, "How many articles are drawn.", at_least=1, usually=_by_kind("sample"))
    seed: int = asked(Selection.seed, "Of the draw.")
    cutoff: datetime | None = asked(None, "Pages as of then (now), UTC.")
    limit: int | None = asked(
        Selection.limit, "For a quick look: only the so many pages created first.", at_least=1, example=1000
    )
    novel_against: tuple[str, ...] = asked(
        (), "Drop what nearly repeats an article of this snapshot; more than once for several.", metavar="SNAPSHOT"
    )
    kind: Literal["new", "old"] = asked("new", "All pages of the window, or a sample of old ones.")
    before: date | None = asked(None, "With --kind old: the pages created before this day.")

    @property
    def window(self) -> Window:
        """Raises UsageError unless the dates name one."""
        if self.kind == "old" or self.before:
            if self.kind != "old" or not self.before or self.month or self.from_ or self.to:
                raise UsageError("which old pages? Give --kind old and --before 2020-01-01, and no other dates")
            return Window.before(_day(self.before))
        if self.month and not self.from_ and not self.to:
            return Window.month(self.month)
        if self.from_ and self.to and not self.month:
            return Window.days(_day(self.from_), _day(self.to))
        raise UsageError("which pages? Give --month 2026-10, or --from and --to")

    @property
    def selection(self) -> Selection:
        usual = OLD_SELECTION if self.kind == "old" else Selection()
        min_words, sample = self.min_words or usual.min_words, self.sample or usual.sample
        return Selection(self.min_revisions, min_words, sample, self.seed, self.limit)

    @property
    def place(self) -> str | tuple[str, ...]:
        """An address, a file, or the files, folders and patterns that are one dump. Raises UsageError unless exactly
        one source is named."""
        if sum(map(bool, (self.api, self.wiki, self.dump))) != 1:
            raise UsageError("from where? Give one of --api URL, --wiki enwiki, --dump FILE")
        if self.dump:
            return self.dump if len(self.dump) > 1 else self.dump[0]
        if self.api:
            return self.api
        name = self.wiki or ""
        language = name.removesuffix("wiki").replace("_", "-")
        if not name.endswith("wiki") or not language:
            raise UsageError(f"'{name}' is not the name of a Wikipedia; write it as enwiki, or give --api URL")
        return f"https://{language}.wikipedia.org/w/api.php"


@dataclass(frozen=True, kw_only=True)
class EvaluationRequest(Request):
    """Models, the decoders under which they write a snapshot's articles, and what their texts are scored by; the
    defaults are those of the New-Wiki Eval paper (Experiments)."""

    models: tuple[str, ...] = asked(
        help="A folder, or what its backend knows by this name.", argument=True, metavar="MODEL"
    )
    decoder: tuple[str, ...] = asked((), "Such as greedy, or sample:top_p=[0.5,0.9].", metavar="SPEC")
    likelihood_only: bool = asked(False, "Only read the articles: bits per byte and the like, without a decoder.")
    backend: str = asked("hf", "Who runs the models.")
    model_args: dict[str, str] = asked(
        {}, "Such as revision=main,device=cpu.", metavar="K=V,…", aliases=("--model_args",)
    )
    snapshot: str = asked("latest", "Whose articles are written.", metavar="ID")
    prompts: int | None = asked(
        None, "Only the longest so many articles (all).", at_least=1, aliases=("--limit",), example=100
    )
    samples: int = asked(20, "Completions a prompt.", at_least=1)
    keep: int = asked(10, "The longest so many of them are scored.", at_least=1)
    max_new_tokens: int = asked(512, "Of a completion.", at_least=1, aliases=("--max_new_tokens",))
    batch_size: int | None = asked(
        None,
        "Completions at once (as many as are fastest, and fit).",
        at_least=1,
        none="auto",
        metavar="N|auto",
        aliases=("--batch_size",),
        example=16,
    )
    memory: str | None = asked(
        None, "Of a batch's rows, beside the model (half of what is free).", metavar="SIZE", example="1GB"
    )
    dtype: str = asked("auto", "auto is float32.", metavar="NAME")
    seed: int = asked(0, "Of the sampling.")
    stop: tuple[str, ...] = asked((), "A completion ends before this text (may be repeated).", metavar="TEXT")
    strict: bool = asked(False, "Each completion alone, in the same shapes always; slower.")
    chat: bool = asked(False, "The prompt is the user's turn of the model's chat template.")
    allow_pickle: bool = asked(False, "Read weights that are pickles, which can run code.")
    trust_remote_code: bool = asked(False, "Run the code that a model brings along.", aliases=("--trust_remote_code",))
    metrics: str = asked("core", "What is measured.", metavar="core|claims|all|NAME,…", names=True)
    budget: int = asked(200, "Texts a run for costly evaluators.", at_least=1)
    knowledge_cutoff: str | None = asked(None, _CUTOFF.format("the models"), metavar="YYYY-MM[-DD]", example="2025-06")

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require_one_task()
        _check_cutoff(self.knowledge_cutoff)
        if self.memory is not None:
            in_bytes(self.memory)
        if self.keep > self.samples:
            raise UsageError(
                f"{self.keep} completions cannot be kept of {self.samples}; lower --keep or raise --samples"
            )
        if "" in self.stop:
            raise UsageError("a stop string (--stop) must have a character")

    def _require_one_task(self) -> None:
        if not self.likelihood_only:
            if not self.decoder:
                raise UsageError("how are articles written? Give --decoder greedy, say; --likelihood-only writes none")
            return
        usual = {one.name: one.default for one in fields_of(type(self))}
        if given := [name for name in OF_WRITING if getattr(self, name) != usual[name]]:
            raise UsageError(
                f"--likelihood-only reads articles and writes none; leave --{given[0].replace('_', '-')} out"
            )

    @property
    def loading(self) -> dict[str, str]:
        """What a backend is loaded with: a flag that is set is `yes`."""
        flags = ("chat", "allow_pickle", "trust_remote_code")
        return {"dtype": self.dtype, **{name: "yes" for name in flags if getattr(self, name)}, **self.model_args}


@dataclass(frozen=True, kw_only=True)
class TrialRequest(Request):
    """Which checkpoint is tried, and how it is loaded: by --backend hf."""

    model: str | None = asked(None, "A checkpoint to try: a folder, or an id on the Hugging Face hub.", metavar="MODEL")
    model_args: dict[str, str] = asked(
        {}, "What it is loaded with: revision=main,device=cpu.", metavar="K=V,…", aliases=("--model_args",)
    )
    dtype: str = asked(EvaluationRequest.dtype, "auto is float32.", metavar="NAME")
    allow_pickle: bool = asked(False, "Read weights that are pickles, which can run code.")
    trust_remote_code: bool = asked(False, "Run the code that a model brings along.", aliases=("--trust_remote_code",))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.model is None and self.loading != type(self)(model="").loading:
            raise UsageError("which checkpoint is to be tried? Add --model FOLDER")

    @property
    def loading(self) -> dict[str, str]:
        """What the backend is loaded with: a flag that is set is `yes`."""
        flags = ("allow_pickle", "trust_remote_code")
        return {"dtype": self.dtype, **{name: "yes" for name in flags if getattr(self, name)}, **self.model_args}


@dataclass(frozen=True, kw_only=True)
class WatchRequest(Request):
    """Which folder is watched for checkpoints, and how."""

    folder: Path = asked(help="Where a training run writes them.", argument=True, metavar="DIR")
    once: bool = asked(False, "Evaluate what is there, and end.")
    poll: float = asked(30.0, "Between two looks.", at_least=0.1, metavar="SECONDS")
    settle: float = asked(
        10.0, "A checkpoint that has not changed for so long is whole.", at_least=0, metavar="SECONDS"
    )


@dataclass(frozen=True, kw_only=True)
class ScoringRequest(Request):
    """What is scored, stored runs or files of texts from elsewhere, and by what. The files' texts are about articles of
    `snapshot`, written by `model` under `decoder`."""

    files: tuple[Path, ...] = asked((), "Texts that were written elsewhere.", argument=True, metavar="FILE.jsonl")
    run: tuple[str, ...] = asked((), "A stored run (may be repeated).", metavar="ID")
    missing: bool = asked(False, "Every stored run that lacks some of the scores.")
    snapshot: str = asked(EvaluationRequest.snapshot, "What the files' texts are about.", metavar="ID")
    model: str | None = asked(None, "Who wrote the files' texts (the file's name).", metavar="NAME")
    decoder: str | None = asked(None, "How they were written (unknown).", metavar="TEXT")
    metrics: str = asked(EvaluationRequest.metrics, "What is measured.", metavar="core|claims|all|NAME,…", names=True)
    budget: int = asked(EvaluationRequest.budget, "Texts a run for costly evaluators.", at_least=1)
    knowledge_cutoff: str | None = asked(
        None, _CUTOFF.format("who wrote the files' texts"), metavar="YYYY-MM[-DD]", example="2025-06"
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_cutoff(self.knowledge_cutoff)
        if self.knowledge_cutoff and not self.files:
            raise UsageError(
                "--knowledge-cutoff is of the texts of a FILE.jsonl; for a stored run ask for its evaluation again "
                "with it, which writes nothing anew"
            )


@dataclass(frozen=True, kw_only=True)
class LeaderboardRequest(Request):
    """Which scored runs are set beside each other, and how."""

    snapshot: str | None = asked(None, "Only this one, or latest (all).", metavar="ID")
    metrics: str = asked("all", "By which, in this order.", metavar="all|NAME,…", names=True)
    rank: str | None = asked(
        None, "The best first, with groups of runs that cannot be told apart.", metavar="METRIC", example="sbert"
    )
    seed: int = asked(0, "Of the test that the groups rest on.")
    by_evaluator: bool = asked(False, "A column for each evaluator that scored by a metric.")
    by: Stratum | None = asked(None, "Cut by what the articles are.")
    after_cutoff: bool = asked(False, _AFTER)
    across: tuple[str, ...] = asked((), _ACROSS, metavar="NAME")
    linked: bool = asked(False, "The runs of all months on the scale of the newest, or of --snapshot.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rank and self.by:
            raise UsageError(
                f"a leaderboard is ranked or cut; `newwiki compare --by {self.by}` says in which parts runs differ"
            )
        if self.linked and (self.rank or self.by or self.by_evaluator or self.after_cutoff):
            raise UsageError(
                "--linked goes without --rank, --by, --by-evaluator and --after-cutoff; `newwiki compare RUN RUN "
                "--across snapshot` says whether runs of two months differ"
            )


@dataclass(frozen=True, kw_only=True)
class ComparisonRequest(Request):
    """Which runs are compared with the first of them, and by what."""

    runs: tuple[str, ...] = asked(help="What tells it from others.", argument=True, metavar="RUN RUN")
    metrics: str = asked("all", "The fewer, the less it takes to differ.", metavar="all|NAME,…", names=True)
    seed: int = asked(0, "Of the bootstrap and of the sign flips.")
    by: Stratum | None = asked(LeaderboardRequest.by, "Cut by what the articles are.")
    after_cutoff: bool = asked(False, "Only the articles that are later than the cutoff of either run's model.")
    across: tuple[str, ...] = asked(
        (),
        f"{_ACROSS[:-1]}; snapshot is for runs of two months, on one scale, wiki for runs of two wikis, on what is new "
        "in both.",
        metavar="NAME",
    )


@dataclass(frozen=True, kw_only=True)
class GateRequest(Request):
    """A run, another, and how far the other may be from it."""

    baseline: str = asked(help="The run that is held to.", metavar="RUN", example="gpt2/greedy")
    candidate: str = asked(help="The run that is judged.", metavar="RUN", example="gpt2/sample:top_p=0.9")
    fail_if: str = asked(help="Such as 'sbert < -0.01, rep_4 > +0.02'.", metavar="BOUNDS", example="sbert < -0.05")


@dataclass(frozen=True, kw_only=True)
class ReportRequest(Request):
    """What a report is on, and what it shows."""

    snapshot: str = asked(EvaluationRequest.snapshot, "The snapshot that was run on.", metavar="ID")
    by: Stratum | None = asked(None, "Cut by this alone of what the articles are (by each).")
    after_cutoff: bool = asked(LeaderboardRequest.after_cutoff, _AFTER)
    texts_by: str | None = asked(
        None, "What worst, median and best texts are chosen by (sbert where there is).", metavar="METRIC"
    )


@dataclass(frozen=True, kw_only=True)
class RebuildRequest(Request):
    """Which manifest is made a snapshot of again, and from where."""

    manifest: Path = asked(help="Of a snapshot that was exported.", argument=True, metavar="MANIFEST")
    api: str | None = asked(
        None, "A MediaWiki's api.php (that of the Wikipedia which the manifest names).", metavar="URL"
    )
    dump: tuple[str, ...] = asked((), _DUMP, metavar="FILE")


@dataclass(frozen=True, kw_only=True)
class RevisitRequest(Request):
    """Which snapshot's articles are looked at again, as of when, from where, and what its runs are scored by."""

    snapshot: str = asked(help="Whose articles are looked at again.", argument=True, metavar="ID")
    cutoff: datetime | None = asked(None, "As of then (the beginning of today), UTC.")
    api: str | None = asked(None, "A MediaWiki's api.php (/w/api.php where its permanent links lead).", metavar="URL")
    dump: tuple[str, ...] = asked((), _DUMP, metavar="FILE")
    metrics: str = asked(
        EvaluationRequest.metrics,
        "What its runs are scored by beside both editions.",
        metavar="core|claims|all|NAME,…",
        names=True,
    )


@dataclass(frozen=True, kw_only=True)
class FinetuneRequest(Request):
    """Which model is fitted to which articles, and how. Ten epochs are the New-Wiki Eval paper's, the rest is
    transformers' or ours, as neither that paper nor the one on DistilGPT-2 says more.

    `max_length` counts the tokens of prompt and article for `hf`, of the article for `seq2seq`.
    """

    model: str = asked(help="A folder, or an id on the Hugging Face hub.", argument=True, metavar="MODEL[@REVISION]")
    snapshot: tuple[str, ...] = asked(help="To train on (may be repeated).", metavar="ID")
    backend: Literal["hf", "seq2seq"] = asked("hf", "A causal language model, or an encoder-decoder.")
    epochs: int = asked(10, "How often each article is read.", at_least=1)
    batch_size: int = asked(8, "Articles a step.", at_least=1, aliases=("--batch_size",))
    learning_rate: float = asked(5e-5, "At the start; it falls to 0.", above=0)
    max_length: int = asked(1024, "Tokens of an article.", at_least=2)
    validation: float = asked(0.1, "The share of articles held out.")
    lora: int | None = asked(
        None, "Train an adapter of this rank on all linear layers, and nothing else.", at_least=1, metavar="RANK"
    )
    dtype: Literal["float32", "bfloat16"] = asked("float32", "In which it computes.")
    seed: int = asked(0, "Of what is held out, and of the order.")
    checkpoint_every: int | None = asked(None, "Between two checkpoints (an epoch).", at_least=1, metavar="STEPS")
    keep_checkpoints: int = asked(0, "In --out.", at_least=0)
    evaluate_on: tuple[str, ...] = asked(
        (),
        "Whose articles are refused (the newest of each wiki; may be repeated).",
        metavar="ID",
        aliases=("--evaluation-snapshot",),
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.validation < 1:
            raise UsageError(f"--validation is a share from 0 to below 1, not {self.validation:g}")


@dataclass(frozen=True, kw_only=True)
class TrainScorerRequest(Request):
    """What is fitted to graded texts, and how: an `lstm`, or a `transformer` (a small BERT from nothing, or `base`)."""

    kind: Literal["lstm", "transformer"] = asked("lstm", "What is fitted.")
    base: str | None = asked(
        None, "A checkpoint that a transformer begins with (from nothing).", metavar="NAME[@REVISION]"
    )
    name: str = asked("quality", "The metric's name.")
    reads: Literal["text", "sentence"] = asked("text", "What it reads at a time.")
    held_out: float = asked(0.1, "The share of texts to test it with.")
    epochs: int = asked(10, "How often each text is read.", at_least=1)
    width: int | None = asked(None, "Of the widest layer (300 for lstm, 256 for transformer).", at_least=4)
    vocabulary: int = asked(20_000, "Words at most.", at_least=10)
    seed: int = asked(0, "Of what is held out, and of the fit.")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.base and self.kind != "transformer":
            raise UsageError("--base goes with --kind transformer")
        if not 0 < self.held_out < 1:
            raise UsageError(f"--held-out is a share between 0 and 1, not {self.held_out:g}")


@dataclass(frozen=True, kw_only=True)
class PlanRequest(Request):
    """A workload, each model under each decoder, and the machines that are to do it."""

    prompts: int = asked(2000, "Articles that are written.", at_least=1)
    samples: int = asked(EvaluationRequest.samples, "Completions a prompt.", at_least=1)
    keep: int = asked(EvaluationRequest.keep, "The longest so many of them are scored.", at_least=1)
    models: int = asked(1, "How many write.", at_least=1)
    decoders: int = asked(1, "Each model under each of so many.", at_least=1)
    metrics: int = asked(9, "Numbers that each text gets.", at_least=1)
    machines: int | None = asked(None, "How many machines there are (1, or what the deadline takes).", at_least=1)
    deadline: float | None = asked(None, "How many machines are done by then?", above=0, metavar="HOURS")
    price_per_hour: float | None = asked(None, "Of one machine.", above=0, metavar="MONEY")
    tokens: float | None = asked(None, "Tokens a completion, in the place of what was measured.", above=0)
    tokens_per_second: float | None = asked(None, "Of one machine, in the place of what was measured.", above=0)
    score_seconds: float | None = asked(None, "A text, of one machine, in the place of what was measured.", above=0)
    load_seconds: float | None = asked(None, "Until a model is loaded, in the place of a guess.", above=0)

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
    """A snapshot as a task of lm-evaluation-harness: which of its articles, and what is measured."""

    snapshot: str = asked(EvaluationRequest.snapshot, "Which one.", argument=True)
    prompts: int | None = asked(None, "Only the longest so many articles (all).", at_least=1, aliases=("--limit",))
    max_new_tokens: int = asked(
        EvaluationRequest.max_new_tokens, "Of a completion.", at_least=1, aliases=("--max_new_tokens",)
    )
    metrics: str = asked(EvaluationRequest.metrics, "What is measured.", metavar="core|claims|all|NAME,…", names=True)


def _day(moment: date) -> date:
    return moment.date() if isinstance(moment, datetime) else moment


def _check_cutoff(said: str | None) -> None:
    try:
        if said is not None:
            last_day(said)
    except ValueError as error:
        raise UsageError(f"--knowledge-cutoff: {error}") from None
