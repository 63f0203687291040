"""Format measurements as Markdown tables, and write them into the marked places of a page."""

import re


def table(heads: list[str], rows: list[list[str]]) -> str:
    lines = [heads, ["---"] + ["---:"] * (len(heads) - 1), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def written_into(page: str, of: str, tables: dict[str, str]) -> str:
    """Return the page with these tables between their marks, `<!-- OF: NAME -->` and `<!-- end -->`.

    Raises ValueError if a mark is missing.
    """
    for name, lines in tables.items():
        mark = re.compile(rf"(<!-- {of}: {name} -->\n).*?(<!-- end -->)", re.DOTALL)
        page, found = mark.subn(lambda match, lines=lines: f"{match[1]}{lines}\n{match[2]}", page)  # type: ignore[misc]
        if found != 1:
            raise ValueError(f"the page has no place for the table '{name}'")
    return page
