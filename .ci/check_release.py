"""Says what is wrong with the distributions of a release, a line each, and ends with 1 where anything is.

    python .ci/check_release.py dist [TAG]

The folder must hold a wheel and a source distribution of the version in pyproject.toml, and nothing else. Both must
have every file of our packages as it is here, the wheel no other. The tag, where there is one, must be v and that
version, and CHANGELOG.md must have a section of it.
"""

import sys
import tarfile
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from zipfile import ZipFile

ROOT = Path(__file__).parents[1]
PACKAGES = ("newwiki", "evaluators", "storage", "flows")


def problems(folder: Path, tag: str | None) -> Iterator[str]:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    name = f"newwiki_eval-{version}"
    found = sorted(path.name for path in folder.iterdir())
    expected = [f"{name}-py3-none-any.whl", f"{name}.tar.gz"]
    if found != expected:
        yield f"'{folder}' holds {', '.join(found) or 'nothing'}, and should hold {', '.join(expected)}"
        return
    yield from _of_wheel(folder / expected[0], f"{name}.dist-info/")
    yield from _of_source(folder / expected[1], f"{name}/")
    if tag is not None:
        yield from _of_tag(tag, version)


def ours() -> set[str]:
    """The files of our packages, by their paths from the root."""
    files = (path for package in PACKAGES for path in (ROOT / package).rglob("*"))
    return {str(path.relative_to(ROOT)) for path in files if path.is_file() and "__pycache__" not in path.parts}


def _of_wheel(wheel: Path, about: str) -> Iterator[str]:
    with ZipFile(wheel) as archive:
        names = set(archive.namelist())
        yield from _of_files(wheel, names, archive.read)
        others = sorted(name for name in names - ours() if not name.startswith(about))
        yield from (f"{wheel.name} has {name}, which is no file of ours" for name in others)
        if f"{about}licenses/LICENSE" not in names:
            yield f"{wheel.name} lacks the licence"
        if b"newwiki = newwiki:main" not in archive.read(f"{about}entry_points.txt"):
            yield f"{wheel.name} installs no command newwiki"


def _of_source(source: Path, top: str) -> Iterator[str]:
    with tarfile.open(source) as archive:
        names = {member.name.removeprefix(top): member for member in archive.getmembers() if member.isfile()}

        def read(name: str) -> bytes:
            file = archive.extractfile(names[name])
            return file.read() if file else b""

        yield from _of_files(source, set(names), read)


def _of_files(distribution: Path, names: set[str], read: Callable[[str], bytes]) -> Iterator[str]:
    for name in sorted(ours()):
        if name not in names:
            yield f"{distribution.name} lacks {name}"
        elif read(name) != (ROOT / name).read_bytes():
            yield f"{distribution.name} has another {name}"


def _of_tag(tag: str, version: str) -> Iterator[str]:
    if tag != f"v{version}":
        yield f"the tag is {tag}, and pyproject.toml says {version}"
    if f"\n## [{version}] - " not in (ROOT / "CHANGELOG.md").read_text("utf-8"):
        yield f"CHANGELOG.md has no section [{version}] with a date"


if __name__ == "__main__":
    wrong = list(problems(Path(sys.argv[1]), *(sys.argv[2:] or [None])))
    print("\n".join(wrong) or "nothing is wrong")
    sys.exit(bool(wrong))
