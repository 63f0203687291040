"""The data card of exported runs. Hugging Face's `datasets` reads its YAML header; users read the rest."""

from collections.abc import Sequence
from pathlib import Path

from newwiki.private_places import public_decoder, public_name
from newwiki.visible import code_in_markdown
from storage.datasets_configs import configs
from storage.run_names import Contender

_CARD = """\
---
pretty_name: New-Wiki Eval runs
task_categories:
- text-generation
configs:
{configs}
---

# What language models wrote of new Wikipedia articles, and its scores

| run | model | decoder | snapshot |
| --- | --- | --- | --- |
{runs}

- `completions` (the default, where there are any): every text, with the page that it was written for; `kept` ones are
  scored.
- `scores`: a row a text and metric, `value` is null where `status` says why. `scores_wide`: a row a text.
- `summaries`: mean, standard deviation and 95 % interval (clustered by prompt) of each run and metric; `status` says on
  how many of the run's texts it stands, where these are not all.
- `claims`: a row a sentence that was checked beside evidence (`claims_article`, `claims_wiki`), with verdict and
  evidence.
- `judgements`: a row an answer of a person or a model on a pair of these runs' texts, with what was asked.
- `runs`, `metrics`, `evaluators`: how it was written, what was measured, and by whom, to the hash of the weights.

A table without rows has a file and no configuration, as `datasets` refuses it.

Every score names its `evaluator_id`. Numbers of different evaluators are not to be averaged or compared. A score of
`reference:SNAPSHOT` is that of the article itself.
"""


def card(files: Sequence[Path], runs: Sequence[Contender]) -> str:
    """Return the README.md of a `datasets` folder with these files."""
    named = [(run.run_id, public_name(run.model), public_decoder(run.decoder), run.snapshot_id) for run in runs]
    rows = [f"| {' | '.join(map(code_in_markdown, cells))} |" for cells in named]
    return _CARD.format(configs=configs(files), runs="\n".join(rows))
