# Every target sets itself up in .venv first; that costs nothing when neither pyproject.toml nor a lock changed.
#
#   make demo     the whole loop on a made-up hospital, and its report
#   make test     everything: format, lint, types, architecture, tests (what .ci/run runs)
#   make lint     the same without the tests
#   make bench    the benchmarks
#   make mutation the code made wrong on purpose, one thing at a time: which of it do the tests notice? (hours; goes on where it stopped)
#   make docs     regenerate the reference pages and the picture, and build the site into site/
#   make dist     wheel and source archive, built twice and compared; the wheel tried in an empty environment
#   make sbom     what is installed, with versions, licences and digests: dist/sbom.cdx.json (CycloneDX)
#   make lock     write the locks anew from constraints.txt and the indexes that pip uses
#   make clean    remove what was built, including .venv
#
# Another Python:   make test PYTHON=python3.12        More test processes:   make test WORKERS=4
# Some mutants:     make mutation MUTANTS="--module 'privet.ledger.*' --sample 40"

PYTHON  ?= python3
WORKERS ?= 2
BIN     := .venv/bin
BASE    := .venv/.base
READY   := .venv/.ready
INSTALL := $(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help demo test lint bench mutation recipes docs dist sbom lock clean
.SILENT:

help:
	sed -n 's/^#   make/  make/p' Makefile

# What people install, each file by its digest; the demonstration needs no more.
$(BASE): pyproject.toml requirements-base.lock
	command -v $(PYTHON) >/dev/null || { echo "error: $(PYTHON) was not found. Install Python 3.11 or newer, or name one: make PYTHON=python3.12 ..." >&2; exit 1; }
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "error: Privet needs Python 3.11 or newer, and $(PYTHON) is $$($(PYTHON) --version 2>&1). Name another: make PYTHON=python3.12 ..." >&2; exit 1; }
	$(BIN)/python -m pip --version >/dev/null 2>&1 || { echo "setting up .venv (once; this downloads about 200 MB)"; $(PYTHON) -m venv .venv; }
	$(INSTALL) --require-hashes --no-deps --requirement requirements-base.lock
	$(INSTALL) --no-deps --no-build-isolation --editable .
	touch $(BASE)

# What tests, benchmarks and documentation need beside it: torch first, so that nothing else chooses its version. What torch
# brings for a graphics card differs from machine to machine and has no digest in the lock; all else has.
$(READY): $(BASE) requirements.lock constraints.txt
	echo "adding what development needs (once; torch and Spark are large)"
	$(INSTALL) --constraint constraints.txt --no-deps torch
	$(INSTALL) --require-hashes --no-deps --requirement requirements.lock
	$(INSTALL) --constraint constraints.txt torch
	touch $(READY)

demo: $(BASE)
	$(BIN)/privet demo

lint: $(READY)
	$(BIN)/ruff format --check --quiet . || { echo "error: some files are not formatted: run $(BIN)/ruff format ." >&2; exit 1; }
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy --no-error-summary
	$(BIN)/lint-imports --no-logo
	$(BIN)/python tools/draw_house.py --check

test: lint
	$(BIN)/python -m pytest -n $(WORKERS)

bench: $(READY)
	for file in bench/[a-z]*.py; do module=$$(basename "$$file" .py); echo "== $$module"; $(BIN)/python -m "bench.$$module" || exit 1; done

mutation: $(READY)
	$(BIN)/python -m tools.mutation --jobs $(WORKERS) $(MUTANTS)

recipes: $(READY)
	PRIVET_EVERY_STEP=1 $(BIN)/python -m pytest -q tests/test_recipes.py

dist: $(READY)
	$(BIN)/python tools/build_twice.py

sbom: $(READY)
	$(BIN)/python tools/write_sbom.py dist/sbom.cdx.json

lock: $(READY)
	$(BIN)/python tools/write_lock.py

docs: $(READY)
	$(BIN)/python tools/draw_house.py
	$(BIN)/python tools/write_public_types.py
	$(BIN)/python tools/write_reference.py
	$(BIN)/zensical build --clean --strict

clean:
	rm -rf .venv site build dist demo-output .bench .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
