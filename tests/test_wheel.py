"""What a release is checked for, and the wheel in an environment and a folder where there is nothing else of ours."""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
import venv
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.flows.conftest import environment

pytestmark = pytest.mark.slow

_ROOT = Path(__file__).parents[1]
_PACKAGES = ("newwiki", "evaluators", "storage", "flows")
_DESCRIBED_BY = ("pyproject.toml", "README.md", "LICENSE")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy, as what an earlier build left beside the sources would go into it too."""
    folder = tmp_path_factory.mktemp("wheel")
    for name in _PACKAGES:
        shutil.copytree(_ROOT / name, folder / "source" / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in _DESCRIBED_BY:
        shutil.copy(_ROOT / name, folder / "source" / name)
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir"]
    subprocess.run([*build, folder, folder / "source"], check=True)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def newwiki(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command that the wheel installs, beside the packages that this environment has of others."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, with_pip=False)
    python = home / "bin" / "python"
    asked = [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"]
    packages = Path(subprocess.check_output(asked, text=True).strip())
    (packages / "others.pth").write_text("\n".join(path for path in sys.path if path.endswith("site-packages")))
    install = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*install, wheel], check=True)
    return home / "bin" / "newwiki"


def run(command: Path, *arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in environment().items() if name != "PYTHONPATH"}
    return subprocess.run([command, *arguments], cwd=folder, env=env, capture_output=True, text=True, timeout=400)


@pytest.fixture
def dist(wheel: Path, tmp_path: Path) -> Path:
    """What a release publishes: the wheel, and the sources that it was built from."""
    folder = tmp_path / "dist"
    folder.mkdir()
    shutil.copy(wheel, folder)
    name = "-".join(wheel.name.split("-")[:2])
    with tarfile.open(folder / f"{name}.tar.gz", "w:gz") as archive:
        archive.add(wheel.parent / "source", name, filter=lambda one: None if "build" in one.name.split("/") else one)
    return folder


def check(dist: Path, *tag: str) -> tuple[int, str]:
    command = [sys.executable, str(_ROOT / ".ci" / "check_release.py"), str(dist), *tag]
    ended = subprocess.run(command, capture_output=True, text=True)
    assert ended.stderr == ""
    return ended.returncode, ended.stdout


def test_wheel_and_sources_hold_every_file_of_the_packages_and_the_wheel_no_other(dist: Path) -> None:
    assert check(dist) == (0, "nothing is wrong\n")


def test_a_wheel_that_lacks_a_file_or_has_another_is_no_release(dist: Path) -> None:
    [path] = dist.glob("*.whl")
    with ZipFile(path) as built:
        whole = {name: built.read(name) for name in built.namelist()}
    del whole["storage/sql/comments.sql"]
    whole |= {"newwiki/errors.py": b"", "tests/conftest.py": b""}
    with ZipFile(path, "w") as wheel:
        for name, data in whole.items():
            wheel.writestr(name, data)
    assert check(dist) == (
        1,
        f"{path.name} has another newwiki/errors.py\n"
        f"{path.name} lacks storage/sql/comments.sql\n"
        f"{path.name} has tests/conftest.py, which is no file of ours\n",
    )


def test_a_release_is_a_wheel_and_its_sources_of_the_version_that_is_tagged(dist: Path) -> None:
    status, said = check(dist, "v99.1")
    assert status == 1
    assert "the tag is v99.1, and pyproject.toml says " in said
    next(dist.glob("*.tar.gz")).unlink()
    status, said = check(dist)
    assert status == 1
    assert ".tar.gz" in said


def test_a_release_has_a_section_of_the_changelog() -> None:
    version = tomllib.loads((_ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    heads = [line for line in (_ROOT / "CHANGELOG.md").read_text("utf-8").splitlines() if line.startswith("## ")]
    assert heads[0] == "## [Unreleased]"
    assert re.fullmatch(rf"## \[{re.escape(version)}\] - \d{{4}}-\d\d-\d\d", heads[1])


def test_help_speaks_in_an_empty_folder(newwiki: Path, tmp_path: Path) -> None:
    ended = run(newwiki, "--help", folder=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert "evaluate" in ended.stdout


_WALK = """
from importlib.resources import files
import newwiki
newwiki.refresh(dump=files("newwiki.sample") / "wiki.xml", month="2026-09")
newwiki.score("texts.jsonl", snapshot="latest", metrics="rep_4,bleu,entity_overlap", entities="rules-v1")
print(newwiki.report())
"""


def test_from_a_wiki_to_a_report_in_an_empty_folder(newwiki: Path, tmp_path: Path) -> None:
    """With the wheel's own files: the sample wiki, SQL, templates, styles."""
    (tmp_path / "texts.jsonl").write_text('{"title": "Low Water Hymns", "text": "It was recorded in Orlow."}')
    ended = run(newwiki.with_name("python"), "-c", _WALK, folder=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == "report-samplewiki-2026-09.html\n"
    assert sorted(os.listdir(tmp_path)) == [
        "newwiki.duckdb",
        "newwiki.duckdb.commits",
        "report-samplewiki-2026-09.html",
        "texts.jsonl",
    ]
