"""Tables of what was measured, as Markdown, and the places in a page that they are written into."""

import re


def table(heads: list[str], rows: list[list[str]]) -> str:
    lines = [heads, ["---"] + ["---:"] * (len(heads) - 1), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def written_into(page: str, of: str, tables: dict[str, str]) -> str:
    """The page with these tables between their marks, `<!-- OF: NAME -->` and `<!-- end -->`. Raises ValueError where
    a mark is missing."""
    for name, lines in tables.items():
        mark = re.compile(rf"(<!-- {of}: {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        page, found = mark.subn(lambda match, lines=lines: f"{match[1]}{lines}\n{match[2]}", page)  # type: ignore[misc]
        if found != 1:
            raise ValueError(f"the page has no place for the table '{name}'")
    return page
