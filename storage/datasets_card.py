"""The data card of an exported snapshot, in the language of its wiki.

Hugging Face's `datasets` reads its YAML header; users read the rest.
"""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from newwiki.snapshot import Snapshot
from newwiki.visible import code_in_markdown, in_markdown
from storage.card_words import CardWords, words_for
from storage.datasets_configs import configs

_CARD = """\
---
pretty_name: {pretty_name}
{head}
task_categories:
- text-generation
source_datasets:
- original
{configs}---

# New-Wiki Eval {title}

{summary}

{tables}

## {funnel}

| {verdict} | {pages} | {share} |
| --- | ---: | ---: |
{verdicts}

## {identity}

| | |
| --- | --- |
| {content_hash} | `{content_sha256}` |
| {parameters} | {asked} |
| {extractor_version} | {extractor} |
| {published} | {published_at:%Y-%m-%d %H:%M:%S} UTC |

{rebuild}

    newwiki snapshots rebuild manifest.json

## {licence}

{licence_and_attribution}
"""
_CREATIVE_COMMONS = re.compile(r"https?://creativecommons\.org/(?:licenses|publicdomain)/([a-z-]+)/(\d\.\d)(?:/|$)")
_PLAIN = re.compile(r"[\w@.-]+(?: [\w@.-]+)*", re.ASCII)


def card(snapshot: Snapshot, funnel: Sequence[tuple[Any, ...]], files: Sequence[Path], *, loaded: bool = True) -> str:
    """Return the README.md, with a YAML header, of a folder with these files.

    `funnel` is the result of the query `funnel`. If `loaded`, the header tells `datasets` to load the files, which are
    then Parquet files in `data/`.
    """
    words = words_for(snapshot.language)
    return _CARD.format(
        pretty_name=_plain_or_quoted(f"New-Wiki Eval {snapshot.snapshot_id}"),
        title=in_markdown(snapshot.snapshot_id),
        head=_head(snapshot),
        configs=f"configs:\n{configs(files)}\n" if loaded else "",
        summary=words.summary(snapshot),
        tables=_tables(snapshot, files, words, loaded=loaded),
        verdicts="\n".join(
            f"| {in_markdown(verdict)} | {words.number(pages)} | {share} |" for verdict, pages, share, _ in funnel
        ),
        content_sha256=snapshot.content_sha256,
        asked=code_in_markdown(snapshot.parameters),
        extractor=code_in_markdown(snapshot.extractor_version),
        published_at=snapshot.published_at,
        rebuild=words.rebuild,
        licence_and_attribution=words.licence(snapshot),
        **words.headings,
    )


def _tables(snapshot: Snapshot, files: Sequence[Path], words: CardWords, *, loaded: bool) -> str:
    lines = []
    for place, path in enumerate(files):
        name = f"`{path.stem}`"
        named = words.default.format(table=name) if loaded and place == 0 else name
        lines.append(f"- {named}: {words.table(snapshot, path.stem)}")
    return "\n".join([*lines, *(["", words.empty] if loaded else [])])


def _plain_or_quoted(text: str) -> str:
    """Return a text as a YAML value."""
    return text if _PLAIN.fullmatch(text) else json.dumps(text)


def _head(snapshot: Snapshot) -> str:
    """Return the lines for license and language in the YAML header.

    The license has its name on the Hugging Face hub.
    """
    match = _CREATIVE_COMMONS.match(snapshot.licence_url or "")
    if match:
        kind = "cc0" if match[1] == "zero" else f"cc-{match[1]}"
        lines = [f"license: {kind}-{match[2]}"]
    elif snapshot.licence or snapshot.licence_url:
        lines = ["license: other", f"license_name: {json.dumps(snapshot.licence or snapshot.licence_url)}"]
        lines += [f"license_link: {json.dumps(snapshot.licence_url)}"] if snapshot.licence_url else []
    else:
        lines = ["license: unknown"]
    if snapshot.language:
        lines += ["language:", f"- {json.dumps(snapshot.language)}"]
    return "\n".join(lines)
