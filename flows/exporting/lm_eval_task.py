"""Export a snapshot as a task of lm-evaluation-harness: a relocatable folder for `lm_eval --include_path`."""

import json
import re
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from pprint import pformat

import pyarrow as pa
import pyarrow.parquet as parquet

from evaluators.scorer_metrics import is_preset, scorer_of
from flows.progress import Progress
from flows.scoring.score_run import choose
from newwiki.errors import UsageError
from newwiki.file_names import file_name
from newwiki.private_places import public_decoder
from newwiki.records import Metric
from newwiki.registry import Evaluator, ReadingEvaluator, SetEvaluator
from newwiki.request import TaskRequest
from newwiki.settings import Settings
from newwiki.snapshot import Article, Snapshot
from newwiki.text.prompts import continued, fill
from newwiki.visible import code_in_markdown
from storage import snapshots
from storage.database import Database
from storage.export_snapshot import write_folder
from storage.folders import whole, write_text

TASK_VERSION = "1.0"  # raise it whenever the same snapshot would give a task with other numbers
_SCORING = ("entities", "embedder", "embedder_dtype", "embedder_backend", "lexicon", "likelihood_model")
HIGHER_IS_BETTER = {"higher": True, "lower": False, "none": None}

DOCUMENTS = "documents.parquet"
_BITS = "bits_per_byte"

_BITS_YAML_TEXT = """\
# How many bits a model needs for each byte of the articles, which it reads and does not write: see README.md.
task: {task}
custom_dataset: !function newwiki_articles.documents
test_split: test
output_type: loglikelihood_rolling
doc_to_text: ""
doc_to_target: text
metric_list:
  - {{"metric": "bits_per_byte", "aggregation": "bits_per_byte", "higher_is_better": false}}
metadata: !function newwiki_articles.METADATA
"""

_BITS_MODULE_TEXT = '''\
"""The articles that `lm_eval` lets a model read. It needs no other package than lm_eval's."""

from pathlib import Path

METADATA = {about}


def documents(**metadata):
    """The whole articles: prompt and completion."""
    import datasets
    import pyarrow.parquet

    file = Path(__file__).parent / {documents!r}
    return {{"test": datasets.Dataset(pyarrow.parquet.read_table(file, columns=["page_id", "title", "text"]))}}
'''

_YAML_TEXT = """\
# The prompts, the references and who scores are in the files beside this one: see README.md.
task: {task}
custom_dataset: !function newwiki_task.documents
test_split: test
output_type: generate_until
num_fewshot: 0
doc_to_text: prompt
doc_to_target: completion
target_delimiter: ""
process_results: !function newwiki_task.process_results
generation_kwargs:
  do_sample: false
  temperature: 0.0
  repetition_penalty: 1.0
  max_gen_toks: {max_new_tokens}
  until: []
metric_list:
{metrics}
metadata: !function newwiki_task.METADATA
"""

_MODULE_TEXT = '''\
"""What `lm_eval` asks of this task: its documents, and the scores of a completion, by New-Wiki Eval's evaluators."""

from pathlib import Path

try:
    from newwiki import DocumentScorer
except ImportError as error:
    raise ImportError(
        f"this task is scored by New-Wiki Eval, which cannot be had here ({{error}}): pip install newwiki-eval"
    ) from error

_SCORER = DocumentScorer(
    {metrics!r},
{scoring}
)
METADATA = {{
    **{about},
    "evaluators": _SCORER.scored_by,  # who scores on this machine
}}


def documents(**metadata):
    """The articles of the snapshot, in memory."""
    import datasets
    import pyarrow.parquet

    return {{"test": datasets.Dataset(pyarrow.parquet.read_table(Path(__file__).parent / {documents!r}))}}


def process_results(doc, results):
    """The completion's scores; those that cannot be computed are left out of the mean."""
    return _SCORER.score(doc, results[0])
'''

_README_TEXT = """\
# {task}

{documents:,} articles of the snapshot {snapshot_code} (content `{content_sha256}`) as a task of
[lm-evaluation-harness](https://github.com/EleutherAI/lm-evaluation-harness):

    pip install newwiki-eval 'lm-eval[hf]==0.4.13'
    lm_eval --model hf --model_args pretrained=MODEL,dtype=float32 --tasks {task} --include_path FOLDER

FOLDER is this folder, wherever it stands. The completions are scored by New-Wiki Eval's evaluators: {metrics}.
What scored is in the results under `configs.{task}.metadata.evaluators`, with versions and the hashes of weights;
numbers of different evaluators are not to be compared. A completion that a metric cannot be computed of (for some, an
empty one) is left out of that metric's mean, and lm_eval then warns how many it had.

The numbers are those of `newwiki evaluate MODEL --decoder greedy` with the same `--max-new-tokens`, where these hold:

- A prompt and `max_gen_toks` fit together into the model's context. Otherwise lm_eval cuts the prompt from the left,
  and warns; New-Wiki Eval keeps the prompt and writes less.
- lm_eval loads weights in the checkpoint's own precision, New-Wiki Eval in float32: hence `dtype=float32` above.
- Both end a completion at the `eos_token_id` of the model's generation config; lm_eval also at the tokenizer's.
- lm_eval decodes by the tokenizer's own `clean_up_tokenization_spaces`, New-Wiki Eval never cleans up.
- A model's chat template is applied by neither, unless asked for: `--apply_chat_template` here, `--chat` there.

`{task}_bits_per_byte` is a second task in this folder: how many bits the model needs for each byte of the articles. It
needs no New-Wiki Eval. It is lm_eval's own `bits_per_byte` (`loglikelihood_rolling`), like that of its task `wikitext`:

    lm_eval --model hf --model_args pretrained=MODEL,dtype=float32 --tasks {task}_bits_per_byte --include_path FOLDER

It counts the whole article, prompt included, and all bytes of all articles as one text. `bits_per_byte` of `newwiki
evaluate` counts what follows the prompt, and is the mean over articles; long articles are read in windows that overlap
by half, where lm_eval's do not. So compare each only with its own kind.

`--limit N` takes the N longest articles, as `--prompts N` does. With `--log_samples`, the log of the completions is
read by {score_code}.

`documents.parquet` holds the texts, `manifest.json` names every article's revision. The texts are Wikipedia's, under
CC BY-SA 4.0, with their markup, tables, lists and references left out; their authors are in the history of each page
(`title` in the documents).
"""


def task_name(snapshot_id: str) -> str:
    """Return the name of the task, such as `newwiki_enwiki_2026_10`."""
    return f"newwiki_{re.sub(r'[^a-z0-9]+', '_', file_name(snapshot_id.lower()))}"


def export_task(
    database: Database, request: TaskRequest, settings: Settings, folder: Path, progress: Progress
) -> list[Path]:
    """Write the folder of the task, and of a second task in which models read the articles, and return its files.

    The task holds the prompts by `settings.template`, the references, the metrics, and the evaluators' models as the
    settings name them. A note lists models that are paths on this machine. Raises UsageError for a metric that a task
    cannot use, and TerminalError for a folder with other content.
    """
    _note_private_paths(settings, progress)
    evaluators = _evaluators(choose(request.metrics, settings, progress), everything=request.metrics == "all")
    metrics = [metric for evaluator in evaluators for metric in evaluator.metrics]

    def write(database: Database, snapshot: Snapshot, folder: Path) -> Sequence[Path]:
        articles = snapshots.articles(database, snapshot.snapshot_id)[: request.prompts]
        task = task_name(snapshot.snapshot_id)
        about = {
            "version": TASK_VERSION,
            "snapshot_id": snapshot.snapshot_id,
            "content_sha256": snapshot.content_sha256,
            "prompt_template": settings.template,
            "newwiki_version": version("newwiki-eval"),
        }
        scoring = {setting: getattr(settings, setting) for setting in _SCORING}
        texts = {
            f"{task}.yaml": _yaml(task, request.max_new_tokens, [_entry(metric) for metric in metrics]),
            "newwiki_task.py": _module(about, ",".join(metric.name for metric in metrics), scoring),
            f"{task}_{_BITS}.yaml": _BITS_YAML_TEXT.format(task=f"{task}_{_BITS}"),
            "newwiki_articles.py": _BITS_MODULE_TEXT.format(about=_described(about), documents=DOCUMENTS),
            "README.md": _readme(task, snapshot, len(articles), metrics),
        }
        for place, text in texts.items():
            write_text(folder / place, text)
        with whole(folder / DOCUMENTS) as part:
            parquet.write_table(_documents(articles, settings.template), part, compression="zstd")
        return [folder / place for place in (*texts, DOCUMENTS)]

    return write_folder(database, request.snapshot, folder, write)


def _note_private_paths(settings: Settings, progress: Progress) -> None:
    """Note local paths of models. They remain in the task, because it must find its models again."""
    for name in _SCORING:
        if (value := str(getattr(settings, name) or "")) != public_decoder(value):
            progress.note(
                f"the task names --{name.replace('_', '-')} {value}: whoever gets it reads this path and does not have "
                "the file; to share the task, name a model of the Hub or a relative path"
            )


def _evaluators(chosen: Sequence[Evaluator], everything: bool) -> list[Evaluator]:
    """Return the evaluators that score one text by itself.

    Refuse any other evaluator, or drop it if `everything` was chosen.
    """
    unfit = {evaluator.metrics[0].name: why for evaluator in chosen if (why := _unfit(evaluator))}
    if unfit and not everything:
        name, why = next(iter(unfit.items()))
        raise UsageError(f"lm_eval cannot score by {name}: {why}")
    return [evaluator for evaluator in chosen if evaluator.metrics[0].name not in unfit]


def _unfit(evaluator: Evaluator) -> str | None:
    """Return the reason why a task cannot use this evaluator, or None."""
    if isinstance(evaluator, SetEvaluator):
        return "it is one number a run; log the samples, and give the log to `newwiki score`"
    if isinstance(evaluator, ReadingEvaluator):
        return "it is of no text that a model writes; `newwiki evaluate MODEL --likelihood-only` has it"
    if evaluator.verdicts:
        return "its verdicts are kept sentence by sentence; log the samples, and give the log to `newwiki score`"
    scorer = scorer_of(evaluator)
    if (scorer and not is_preset(scorer)) or evaluator.function.__module__.startswith("newwiki_plugin_"):
        return "it comes from a file of yours, which the task would not find; install it by an entry point"
    return None


def _entry(metric: Metric) -> dict[str, object]:
    better = HIGHER_IS_BETTER[metric.direction]
    return {"metric": metric.name, "aggregation": "mean", "higher_is_better": better}


def _documents(articles: Sequence[Article], template: str) -> pa.Table:
    """Return a row for each article, the longest first, so that lm_eval's --limit and newwiki's --prompts agree."""
    columns = ("page_id", "title", "first_sentence", "completion")
    table = {column: [getattr(article, column) for article in articles] for column in columns}
    prompts = [fill(template, article.title, article.first_sentence) for article in articles]
    texts = [prompt + continued(prompt, article.completion) for prompt, article in zip(prompts, articles, strict=True)]
    return pa.table(table | {"prompt": prompts, "text": texts})


def _yaml(task: str, max_new_tokens: int, metrics: Sequence[Mapping[str, object]]) -> str:
    """Return the task's configuration, with an entry of `metric_list` for each metric."""
    entries = "".join(f"  - {json.dumps(metric)}\n" for metric in metrics)
    return _YAML_TEXT.format(task=task, max_new_tokens=max_new_tokens, metrics=entries.rstrip())


def _module(about: Mapping[str, str], metrics: str, scoring: Mapping[str, str]) -> str:
    """Return the Python file that the configuration names.

    `about` becomes the task's metadata; `scoring` holds settings.
    """
    arguments = "\n".join(f"    {name}={value!r}," for name, value in scoring.items())
    described = _described(about).replace("\n", "\n    ")
    return _MODULE_TEXT.format(metrics=metrics, scoring=arguments, about=described, documents=DOCUMENTS)


def _described(about: Mapping[str, str]) -> str:
    return pformat(dict(about), sort_dicts=False)


def _readme(task: str, snapshot: Snapshot, documents: int, metrics: Sequence[Metric]) -> str:
    return _README_TEXT.format(
        task=task,
        documents=documents,
        metrics=", ".join(code_in_markdown(metric.name) for metric in metrics),
        content_sha256=snapshot.content_sha256,
        snapshot_code=code_in_markdown(snapshot.snapshot_id),
        score_code=code_in_markdown(f"newwiki score SAMPLES.jsonl --snapshot {snapshot.snapshot_id}"),
    )
