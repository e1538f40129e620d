# The two commands are `make lab` and `make test`; `make help` lists the rest.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CORE := $(VENV)/.core
LAB := $(VENV)/.lab
INSTALLED := $(VENV)/.installed
ifneq ($(shell command -v uv 2>/dev/null),)
MAKE_VENV := uv venv --quiet --seed --python $(PYTHON) $(VENV)
PIP := uv pip install --quiet --python $(BIN)/python
ifdef PIP_FIND_LINKS  # uv reads none of pip's settings
export UV_FIND_LINKS ?= $(PIP_FIND_LINKS)
endif
else
MAKE_VENV := $(PYTHON) -m venv $(VENV)
# Not all that is installed is used: byte code is made of what is imported.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
endif
# Tests wait for browsers, servers and disks: more workers than cores keep the cores busy.
WORKERS ?= $(shell $(PYTHON) -c 'import os; print(min(4, 2 + len(os.sched_getaffinity(0))))' 2>/dev/null || echo 4)
PYTEST := $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder
# Debian packages, each with a program of the same name, that tests play against, look or solve with.
SYSTEM := gnugo stockfish chromium cadical minisat
# Hundreds of processes start in the tests: each would read all sources again without byte code.
export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help install kernels ready system firstmove lab test quick slow screenshots verify lint format bench wheel clean

help:  ## Show this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

# The core alone comes first: it is enough to compile the kernels, beside the rest of the installing.
$(CORE): pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
		|| { echo "Playproof needs Python 3.11 or newer: make PYTHON=/path/to/python3.11 $(MAKECMDGOALS)"; exit 1; }
	@test -x $(BIN)/python || $(MAKE_VENV)
	@echo "Installing Playproof into $(VENV) (a minute or two the first time) ..."
	@$(PIP) --editable .
	@touch $@

# What the lab needs: learning and proofs, no cluster, browser, linter or peer.
$(LAB): $(CORE)
	@$(PIP) --editable '.[learn,prove]'
	@touch $@

# Everything, into .venv; again only when pyproject.toml changes.
$(INSTALLED): $(CORE)
	@$(PIP) --editable '.[all]'
	@$(BIN)/python -c 'import torch'  # its byte code is made once, not by every worker of the tests
	@touch $@ $(LAB)

install: $(INSTALLED)  ## Set up .venv with all extras

kernels: $(CORE)
	@PYTHONPATH=src $(BIN)/python -m playproof compile

ready:  ## Install everything and compile the kernels, side by side
	@$(MAKE) --no-print-directory --jobs 3 $(INSTALLED) kernels system

# Where we may not install, the tests that need a program say so and are skipped.
system:  ## Install the programs that tests play against, where that is allowed
	@missing=""; for program in $(SYSTEM); do \
		PATH="$$PATH:/usr/games" command -v $$program >/dev/null || missing="$$missing $$program"; \
	done; \
	test -n "$$missing" || exit 0; \
	may=no; \
	if command -v apt-get >/dev/null; then \
		if test "$$(id -u)" = 0; then may=""; \
		elif sudo -n true 2>/dev/null; then may="sudo -n"; fi; \
	fi; \
	if test "$$may" != no; then \
		echo "Installing$$missing ..."; \
		export DEBIAN_FRONTEND=noninteractive; \
		$$may apt-get install -y -qq $$missing >/dev/null 2>&1 && exit 0; \
		$$may apt-get update -qq >/dev/null 2>&1; \
		$$may apt-get install -y -qq $$missing >/dev/null && exit 0; \
	fi; \
	echo "*** NOT INSTALLED:$$missing. Tests that need them are skipped. ***" >&2

# The lab compiles the rest behind its pages.
firstmove: $(CORE)
	@PYTHONPATH=src $(BIN)/python -m playproof.web.warmup

lab:  ## Open the lab in a browser; HOST=0.0.0.0 lets others in
	@test -e $(LAB) || $(MAKE) --no-print-directory --jobs 2 $(LAB) firstmove
	@$(MAKE) --no-print-directory $(LAB)
	@$(BIN)/playproof serve $(if $(HOST),--host $(HOST)) $(if $(PORT),--port $(PORT))

test: ready  ## Run the tests (seven minutes the first time, then four, on two cores)
	@$(PYTEST) -m "not slow" --times=build/durations.json

quick: $(INSTALLED)  ## Check style, a slice of the tests and those of what you changed, in a minute
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/python -m tests.quick

slow: ready  ## Run the tests that make test leaves out: long ones that seldom break
	@$(PYTEST) -m slow --times=build/durations-slow.json

screenshots: $(INSTALLED) system  ## Draw every page of the lab into build/screenshots
	@$(BIN)/python tests/support/web/shots.py build/screenshots

verify: $(INSTALLED) system  ## Run the long checks; a second call goes on where the first stopped
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

wheel: $(INSTALLED)  ## Build dist/playproof-*.whl, with pages, networks and data inside
	@$(BIN)/python tests/support/installed/building.py dist

clean:  ## Remove what was built; .verify keeps its results
	rm -rf $(VENV) build dist src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
