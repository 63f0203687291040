"""The data card of an exported snapshot: what Hugging Face's `datasets` reads first, and what its users must know."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from newwiki.records import Snapshot

_CARD = """\
---
pretty_name: New-Wiki Eval {snapshot_id}
license: cc-by-sa-4.0
task_categories:
- text-generation
source_datasets:
- original
configs:
- config_name: articles
  default: true
  data_files:
  - split: test
    path: data/articles.parquet
- config_name: candidates
  data_files:
  - split: test
    path: data/candidates.parquet
---

# New-Wiki Eval {snapshot_id}

{articles:,} articles of {wiki}, created {created}, as they stood on {cutoff:%Y-%m-%d %H:%M:%S} UTC. Each is split
into its first sentence, which is the prompt (with the title), and the rest, which is the reference.

- `articles` (the default): `title`, `first_sentence`, `completion`, times, revision, hashes, `permalink`.
- `candidates`: all {candidates:,} pages that were considered, and what became of each.

## The funnel

| verdict | pages | share |
| --- | ---: | ---: |
{funnel}

## What makes it this snapshot

| | |
| --- | --- |
| content hash (SHA-256) | `{content_sha256}` |
| parameters | `{parameters}` |
| extractor version | `{extractor_version}` |
| published | {published_at:%Y-%m-%d %H:%M:%S} UTC |

The hash covers parameters, extractor version and articles. `manifest.json` names every revision with its SHA-1, and
rebuilds the same snapshot from the wiki, or names the pages that are gone:

    newwiki snapshots rebuild manifest.json

## Licence and attribution

The texts are Wikipedia's, under the [Creative Commons Attribution-ShareAlike 4.0 licence]\
(https://creativecommons.org/licenses/by-sa/4.0/). Their authors are named in each page's history: every row has the
`title` and the `permalink` of the revision that it was taken from. The texts were changed: markup, tables, lists,
references and tail sections were left out. Whoever passes them on says so, gives title and permanent link, and keeps
the licence.
"""


def card(snapshot: Snapshot, funnel: Sequence[tuple[Any, ...]]) -> str:
    """The README.md of a `datasets` folder, with YAML header; `funnel` is what the query of that name answers."""
    last_day = f"{snapshot.window_end - timedelta(days=1):%Y-%m-%d}"
    created = f"up to {last_day}" if snapshot.kind == "old" else f"from {snapshot.window_start:%Y-%m-%d} to {last_day}"
    rows = "\n".join(f"| {verdict} | {pages:,} | {share} |" for verdict, pages, share, _ in funnel)
    return _CARD.format(**{**vars(snapshot), "created": created, "funnel": rows})
