# `make` lists the targets. The first one you run sets up .venv; nothing is installed twice.
# PYTHON=python3.12 make test   uses another interpreter (3.11 or newer).

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check
LIGHT  := $(VENV)/demo-is-ready
FULL   := $(VENV)/all-is-ready

.DEFAULT_GOAL := help
.PHONY: help setup demo test check bench clean

help:  ## this list
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 15

setup: $(FULL)  ## .venv with everything

demo: $(LIGHT)  ## the PUMA by every formulation: a figure and a report in appell-demo/
	$(BIN)/appell demo

test: $(FULL)  ## all tests
	$(BIN)/python -m pytest -n auto --dist worksteal

check: $(FULL)  ## lint, types and the fast tests
	$(BIN)/ruff check .
	$(BIN)/pyright
	$(BIN)/python -m pytest -q -m "not slow" -n auto --dist worksteal

bench: $(FULL)  ## Appell against its peers; writes docs/benchmarks.md and docs/formulations
	$(BIN)/python -m benchmarks.run --markdown docs/benchmarks.md --json benchmarks/results/bench.json
	$(BIN)/python -m appell.show.formulations docs/formulations --times benchmarks/results/bench.json

clean:  ## remove what make made, .venv excepted
	rm -rf build dist appell-demo appell-papers .pytest_cache .ruff_cache .hypothesis
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit("Appell needs Python 3.11 or newer, and $(PYTHON) is " \
	  + sys.version.split()[0] + "; try: make PYTHON=python3.12" if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

# The build tools are pinned too, so the package is built with them and not in an environment of its own.
$(LIGHT): pyproject.toml constraints.txt | $(BIN)/python
	$(PIP) install --quiet -c constraints.txt hatchling editables
	$(PIP) install --quiet -c constraints.txt --no-build-isolation -e ".[cli,plot]"
	@touch $@

$(FULL): pyproject.toml constraints.txt | $(LIGHT)
	$(PIP) install --quiet -c constraints.txt --no-build-isolation -e ".[all]"
	@touch $@
