"""The wheel, in an environment and a folder where there is nothing else of ours."""

import os
import shutil
import subprocess
import sys
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


def test_the_wheel_holds_every_file_of_the_packages(wheel: Path) -> None:
    ours = {
        str(path.relative_to(_ROOT))
        for name in _PACKAGES
        for path in (_ROOT / name).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert ours - set(ZipFile(wheel).namelist()) == set()


def test_help_speaks_in_an_empty_folder(newwiki: Path, tmp_path: Path) -> None:
    ended = run(newwiki, "--help", folder=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert "evaluate" in ended.stdout


def test_the_demonstration_runs_in_an_empty_folder(newwiki: Path, toy_checkpoint: Path, tmp_path: Path) -> None:
    """The toy checkpoint is there already, as its training is what takes long."""
    shutil.copytree(toy_checkpoint, tmp_path / "demo" / "toy-gpt2")
    ended = run(newwiki, "demo", "--entities", "rules-v1", folder=tmp_path)
    assert ended.returncode == 0, ended.stderr
    assert "Wikipedia" in ended.stdout
    assert (tmp_path / "demo" / "reports").is_dir()
    assert os.listdir(tmp_path) == ["demo"]
