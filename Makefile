# census: `make demo` shows it, `make test` proves it; both do all set-up in .venv.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip --disable-pip-version-check --quiet
# as the command line does: thin products gain nothing from more threads, and two test workers share the machine
export OPENBLAS_NUM_THREADS ?= 1
LOCK := uv pip compile --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url --quiet

.PHONY: help demo test lint check format specimen truth lock clean

help:  ## list the targets
	@grep -E '^[a-z]+:.*##' Makefile | sed -E 's/:.*## /	/' | expand -t 12

$(VENV)/pyvenv.cfg:
	@$(PYTHON) -c 'import sys; assert sys.version_info >= (3, 11), "census needs Python 3.11 or newer"'
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "python3-venv is missing: apt-get install python3-venv"; exit 1; }

$(VENV)/run.stamp: $(VENV)/pyvenv.cfg requirements.txt pyproject.toml
	$(PIP) install --require-hashes -r requirements.txt
	$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/dev.stamp: $(VENV)/run.stamp requirements-dev.txt
	$(PIP) install --require-hashes -r requirements-dev.txt
	@touch $@

demo: $(VENV)/run.stamp  ## simulate the founding case, pull it, report it (under a minute)
	$(BIN)/census demo

specimen: demo  ## rebuild reports/specimen/, the committed report of the demo

test: $(VENV)/dev.stamp  ## everything: lint, types, imports, tests with a real Prometheus and a real browser
	@bash tests/install_services.sh
	$(MAKE) --no-print-directory lint
	$(BIN)/pytest -n 2 -m "not truth"

lint: $(VENV)/dev.stamp
	$(BIN)/ruff format --check census tests benchmarks
	$(BIN)/ruff check census tests benchmarks
	$(BIN)/mypy
	$(BIN)/lint-imports

check: lint  ## the quick inner loop: lint, types, imports, quick tests
	$(BIN)/pytest -n 2 -m "not truth and not slow and not live and not browser"

format: $(VENV)/dev.stamp  ## format the code
	$(BIN)/ruff format census tests benchmarks
	$(BIN)/ruff check --fix census tests benchmarks

truth: $(VENV)/dev.stamp  ## the long statistical tables, many seeds (an hour)
	$(BIN)/pytest -n 2 -m truth -s
	$(BIN)/python benchmarks/truth_mechanism.py

lock:  ## write requirements.txt and requirements-dev.txt anew from pyproject.toml
	$(LOCK) pyproject.toml -o requirements.txt
	$(LOCK) pyproject.toml --extra dev -c requirements.txt -o requirements-dev.txt

clean:  ## remove what was built
	rm -rf $(VENV) build *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
