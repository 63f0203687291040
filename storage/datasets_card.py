"""The data card of an exported snapshot: what Hugging Face's `datasets` reads first, and what its users must know."""

import json
import re
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from newwiki.snapshot import Snapshot, Window
from storage.datasets_configs import configs

_CARD = """\
---
pretty_name: New-Wiki Eval {snapshot_id}
{head}
task_categories:
- text-generation
source_datasets:
- original
configs:
{configs}
---

# New-Wiki Eval {snapshot_id}

{articles:,} articles of {wiki}, created {created}, as they stood on {cutoff:%Y-%m-%d %H:%M:%S} UTC. Each is split
into its first sentence, which is the prompt (with the title), and the rest, which is the reference.

- `articles` (the default): `title`, `first_sentence`, `completion`, times, revision, hashes, `permalink`.
- `candidates`: all {candidates:,} pages that were considered, and what became of each.
- `structure`: of each article, how many infoboxes, citations, links, images and sections it has, and its templates.
- `facts`: what the articles' infoboxes say, a row a parameter.
- `citations`: what the articles cite, a row a citation.

A table without rows has a file and no configuration, as `datasets` refuses it.

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

{licence} Their authors are named in each page's history: every row has the
`title` and the `permalink` of the revision that it was taken from. The texts were changed: markup, tables, lists,
references and tail sections were left out. Whoever passes them on says so, gives title and permanent link, and keeps
the licence.
"""
_CREATIVE_COMMONS = re.compile(r"https?://creativecommons\.org/(?:licenses|publicdomain)/([a-z-]+)/(\d\.\d)(?:/|$)")


def card(snapshot: Snapshot, funnel: Sequence[tuple[Any, ...]], files: Sequence[Path]) -> str:
    """The README.md of a `datasets` folder with these files, with YAML header; `funnel` is what the query of that name
    answers."""
    is_old = Window(snapshot.window_start, snapshot.window_end).is_old
    last_day = f"{snapshot.window_end - timedelta(days=1):%Y-%m-%d}"
    created = f"up to {last_day}" if is_old else f"from {snapshot.window_start:%Y-%m-%d} to {last_day}"
    rows = "\n".join(f"| {verdict} | {pages:,} | {share} |" for verdict, pages, share, _ in funnel)
    told = {"configs": configs(files), "created": created, "funnel": rows}
    told |= {"head": _head(snapshot), "licence": _licence(snapshot)}
    return _CARD.format(**{**vars(snapshot), **told})


def _head(snapshot: Snapshot) -> str:
    """Language and licence for the YAML header, the licence by its name on the hub."""
    found = _CREATIVE_COMMONS.match(snapshot.licence_url or "")
    if found:
        kind = "cc0" if found[1] == "zero" else f"cc-{found[1]}"
        lines = [f"license: {kind}-{found[2]}"]
    elif snapshot.licence or snapshot.licence_url:
        lines = ["license: other", f"license_name: {json.dumps(snapshot.licence or snapshot.licence_url)}"]
        lines += [f"license_link: {json.dumps(snapshot.licence_url)}"] if snapshot.licence_url else []
    else:
        lines = ["license: unknown"]
    if snapshot.language:
        lines += ["language:", f"- {json.dumps(snapshot.language)}"]
    return "\n".join(lines)


def _licence(snapshot: Snapshot) -> str:
    if not (snapshot.licence or snapshot.licence_url):
        return (
            f"The licence of {snapshot.wiki}'s texts is not known here: the wiki was not asked or did not say, and a "
            "dump holds\nno licence. The pages that the permanent links lead to name it at their foot."
        )
    name = snapshot.licence or snapshot.licence_url
    link = f"[{name}]({snapshot.licence_url})" if snapshot.licence_url else str(name)
    return f"The texts are those of {snapshot.wiki}, which gives their licence as {link}."
