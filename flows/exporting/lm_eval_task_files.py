"""The texts of a task's folder: what lm-evaluation-harness reads, and what people read."""

import json
from collections.abc import Mapping, Sequence
from pprint import pformat

from newwiki.records import Metric
from newwiki.snapshot import Snapshot
from newwiki.visible import code_in_markdown

DOCUMENTS = "documents.parquet"

_YAML = """\
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

_MODULE = '''\
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

_README = """\
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

`--limit N` takes the N longest articles, as `--prompts N` does. With `--log_samples`, the log of the completions is
read by {score_code}.

`documents.parquet` holds the texts, `manifest.json` names every article's revision. The texts are Wikipedia's, under
CC BY-SA 4.0, with their markup, tables, lists and references left out; their authors are in the history of each page
(`title` in the documents).
"""


def yaml(task: str, max_new_tokens: int, metrics: Sequence[Mapping[str, object]]) -> str:
    """The task's configuration; a metric is an entry of its `metric_list`."""
    entries = "".join(f"  - {json.dumps(metric)}\n" for metric in metrics)
    return _YAML.format(task=task, max_new_tokens=max_new_tokens, metrics=entries.rstrip())


def module(about: Mapping[str, str], metrics: str, scoring: Mapping[str, str]) -> str:
    """The Python file that the configuration names; `about` becomes the task's metadata, `scoring` are settings."""
    arguments = "\n".join(f"    {name}={value!r}," for name, value in scoring.items())
    described = pformat(dict(about), sort_dicts=False).replace("\n", "\n    ")
    return _MODULE.format(metrics=metrics, scoring=arguments, about=described, documents=DOCUMENTS)


def readme(task: str, snapshot: Snapshot, documents: int, metrics: Sequence[Metric]) -> str:
    return _README.format(
        task=task,
        documents=documents,
        metrics=", ".join(code_in_markdown(metric.name) for metric in metrics),
        content_sha256=snapshot.content_sha256,
        snapshot_code=code_in_markdown(snapshot.snapshot_id),
        score_code=code_in_markdown(f"newwiki score SAMPLES.jsonl --snapshot {snapshot.snapshot_id}"),
    )
