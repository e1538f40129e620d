# The two commands are `make lab` and `make test`; `make help` lists the rest.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

.DEFAULT_GOAL := help
.PHONY: help install lab test verify lint format bench clean

help:  ## Show this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

# Everything, into .venv; again only when pyproject.toml changes.
$(INSTALLED): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Playproof needs Python 3.11 or newer: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing Playproof into $(VENV) (a minute or two the first time) ..."
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[all]'
	@touch $@

install: $(INSTALLED)  ## Set up .venv with all extras

lab: $(INSTALLED)  ## Open the lab: a game in the terminal against an agent
	@$(BIN)/playproof play othello --first human --second greedy

test: $(INSTALLED)  ## Run every test (under 10 minutes the first time)
	@$(BIN)/python -m pytest

verify: $(INSTALLED)  ## Run the long checks; a second call goes on where the first stopped
	@$(BIN)/python tests/verify/run.py

lint: $(INSTALLED)  ## Check style and types
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/mypy

format: $(INSTALLED)  ## Put the sources into the house style
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

bench: $(INSTALLED)  ## Measure our engines beside their peers, in one run
	@$(BIN)/playproof bench engines

clean:  ## Remove what was built; .verify keeps its results
	rm -rf $(VENV) build dist src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
