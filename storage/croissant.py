"""Describe an exported snapshot in `croissant.json`, according to version 1.1 of the Croissant specification.

The file states the license, the files with their hashes, and the meaning of each column, which comes from the comments
in the database. Source: https://mlcommons.org/croissant/1.1
"""

import json
from collections.abc import Iterable, Mapping
from hashlib import file_digest
from pathlib import Path
from typing import Any

import pyarrow as pa

from newwiki.snapshot import Snapshot
from newwiki.visible import in_json
from storage.card_words import CardWords, words_for
from storage.database import Database

_VERSION = "http://mlcommons.org/croissant/1.1"
_CONTEXT: Mapping[str, Any] = {
    "@vocab": "https://schema.org/",
    "arrayShape": "cr:arrayShape",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "containedIn": "cr:containedIn",
    "cr": "http://mlcommons.org/croissant/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "description": {"@container": "@language"},
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileProperty": "cr:fileProperty",
    "fileObject": "cr:fileObject",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isArray": "cr:isArray",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "name": {"@container": "@language"},
    "parentField": "cr:parentField",
    "path": "cr:path",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
_ENCODINGS = {".parquet": "application/x-parquet", ".jsonl": "application/jsonlines"}
_TYPES = {
    "string": "sc:Text",
    "int64": "sc:Integer",
    "double": "sc:Float",
    "bool": "sc:Boolean",
    "timestamp[us, tz=UTC]": "sc:DateTime",
}
_ENGLISH = "en"  # the language of the column comments in the database
_STORED_AS = {
    "structure": "article_structure",
    "facts": "article_facts",
    "citations": "article_citations",
    "tags": "article_tags",
}


def describe(
    database: Database, snapshot: Snapshot, base_url: str, folder: Path, files: Mapping[Path, pa.Schema]
) -> dict[str, Any]:
    """Return the content of `croissant.json` for these files in `folder`. Each file is a table with the given columns.

    `base_url` is the address of the wiki. Raises KeyError for a column type without a Croissant data type.
    """
    words = words_for(snapshot.language)
    licence = snapshot.licence_url or snapshot.licence
    return {
        "@context": {"@language": words.language, **_CONTEXT},
        "@type": "sc:Dataset",
        "conformsTo": _VERSION,
        "name": f"newwiki-{snapshot.snapshot_id}",
        "description": words.joined(words.summary(snapshot), words.licence(snapshot)),
        **({"license": licence} if licence else {}),
        "url": base_url,
        "creator": {"@type": "sc:Organization", "name": words.authors.format(wiki=snapshot.wiki), "url": base_url},
        "citeAs": f"New-Wiki Eval {snapshot.snapshot_id}, content hash (SHA-256) {snapshot.content_sha256}, {base_url}",
        "datePublished": snapshot.published_at.isoformat(),
        **({"inLanguage": snapshot.language} if snapshot.language else {}),
        "isLiveDataset": False,
        "version": "1.0.0",
        "distribution": [_file(folder, path) for path in files],
        "recordSet": [_records(database, snapshot, words, path, columns) for path, columns in files.items()],
    }


def to_json(described: Mapping[str, Any]) -> str:
    return in_json(json.dumps(described, indent=1, ensure_ascii=False)) + "\n"


def _file(folder: Path, path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        sha256 = file_digest(file, "sha256").hexdigest()
    return {
        "@type": "cr:FileObject",
        "@id": path.name,
        "name": path.name,
        "contentUrl": path.relative_to(folder).as_posix(),
        "contentSize": f"{path.stat().st_size} B",
        "encodingFormat": _ENCODINGS[path.suffix],
        "sha256": sha256,
    }


def _records(
    database: Database, snapshot: Snapshot, words: CardWords, path: Path, columns: pa.Schema
) -> dict[str, Any]:
    meanings = dict(_meanings(database, path.stem))
    return {
        "@type": "cr:RecordSet",
        "@id": path.stem,
        "name": path.stem,
        "description": words.table(snapshot, path.stem),
        "field": [_field(path, column, meanings[column.name]) for column in columns],
    }


def _field(path: Path, column: pa.Field, meaning: str) -> dict[str, Any]:
    described = _described(f"{path.stem}/{column.name}", column.name) | {"description": {_ENGLISH: meaning}}
    source = {"fileObject": {"@id": path.name}, "extract": {"column": column.name}}
    if not pa.types.is_list(column.type):
        return described | {"dataType": _TYPES[str(column.type)], "source": source}
    parts = [
        _described(f"{described['@id']}/{part.name}", part.name)
        | {"dataType": _TYPES[str(part.type)], "source": source | {"transform": {"jsonPath": part.name}}}
        for part in column.type.value_type
    ]
    return described | {"isArray": True, "arrayShape": "-1", "subField": parts}


def _described(name_in_file: str, name: str) -> dict[str, Any]:
    return {"@type": "cr:Field", "@id": name_in_file, "name": name}


def _meanings(database: Database, table: str) -> Iterable[tuple[str, str]]:
    """Yield the meaning of each column.

    The titles and links in other tables have the meaning that they have in `articles`.
    """
    for stored in ("articles", _STORED_AS.get(table, table)):
        for column, _, comment in database.rows("columns", stored):
            yield column, comment
