# The front door: `make help` lists the targets. Every target sets up what it needs; nothing is done twice.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
HEADERS := $(wildcard engine/*.pxd engine/*/*.pxd harness/*/*.pxd)
# A module with a header beside it is compiled; the others are plain Python and need no build.
KERNEL := $(HEADERS) $(wildcard $(HEADERS:.pxd=.py)) setup.py
# The tests to run: a folder, a file, or one test of a file. A second process is not worth its start for a single file.
T ?= tests
WORKERS ?= $(if $(findstring .py,$(T)),0,auto)

.PHONY: build help gauntlet network test play bench tables perft check native debug wheel dist installed mutants fuzz clean distclean

build: build/.kernel  ## set up .venv and compile what has changed (the default)

help:  ## this list
	@grep -hE '^[a-z]+:.*##' Makefile | sed -E 's/^([a-z]+):.*## */\1|/' | column -t -s '|'

# compat, although setuptools warns that it will go: the other editable modes load a finder at every start of Python.
$(VENV)/.ready: pyproject.toml engine/__init__.py
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip "setuptools>=77" wheel "cython>=3.3,<3.4"
	SORTIE_NO_KERNEL=1 PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation \
	    --config-settings editable_mode=compat --editable ".[harness,cluster,dev]"
	touch $@

build/.kernel: $(VENV)/.ready $(KERNEL)
	mkdir -p build
	$(BIN)/python -W ignore setup.py --quiet build_ext --inplace > build/kernel.log 2>&1 || (cat build/kernel.log; exit 1)
	$(BIN)/python -m compileall -q engine harness
	touch $@

gauntlet: build  ## the main job: the three headline comparisons, in Elo and in nodes
	$(BIN)/gauntlet run headline

network: build  ## from nothing to a small network and its match with the classical evaluation (docs/network.md)
	mkdir -p results/network
	$(BIN)/gauntlet data --positions 1000000 --nodes 500 --out results/network/games.pos
	$(BIN)/gauntlet train results/network/games.pos --hidden 64 --decay 2 --rate 0.005 --out results/network/small.net
	rm -rf results/network/match
	$(BIN)/gauntlet run docs/network.toml --out results/network/match

test: build  ## the tests; make test T=tests/engine/search or T=tests/engine/board/test_see.py for a part of them
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal $(T)

play: build  ## a game against Sortie in xboard
	xboard -fcp $(BIN)/sortie -fd . -saveSettingsOnExit false

bench: build  ## the signature (nodes of a fixed search), then speed and memory beside Stockfish and a plain python-chess loop
	$(BIN)/sortie bench
	$(BIN)/python benchmarks/kernel_speed.py
	$(BIN)/python benchmarks/harness_overhead.py

tables: $(VENV)/.ready  ## the Syzygy tables of three and four men, for the tests (6 MB from PyPI)
	$(BIN)/python tests/support/endgame_tables.py build/syzygy

perft: build  ## the move generator against published counts
	$(BIN)/python -m pytest tests/engine/board/test_perft.py

check: build  ## format, lint, types, the floors of the architecture, and that no hot function touches Python
	$(BIN)/ruff format --check harness tests openings benchmarks release setup.py
	$(BIN)/ruff check .
	$(BIN)/mypy
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/cython-lint --max-line-length 160 engine/*.pxd engine/*/*.pxd harness/*/*.pxd
	$(BIN)/python -m pytest tests/engine/test_hot_path.py tests/test_architecture.py

# `make build` after a change of the kernel, or after `make clean`, brings the portable build back.
native: $(VENV)/.ready  ## a build for this machine's own processor
	mkdir -p build
	SORTIE_CFLAGS="-O3 -march=native -fno-strict-aliasing" $(BIN)/python -W ignore setup.py --quiet build_ext --inplace \
	    > build/kernel.log 2>&1 || (cat build/kernel.log; exit 1)
	touch build/.kernel

# The tests inside it: rules, tables, evaluation, and 200 random searches with each level of each switch.
debug: build  ## tests in a kernel with bounds checks, assertions and sanitizers
	$(BIN)/python -m pytest tests/engine/test_build_debug.py --durations=0

wheel:  ## sdist and wheel in build/packages
	$(PYTHON) release/make.py wheel

dist:  ## dist/: a folder that runs without Python, sortie at its top; its archive is in build/
	$(PYTHON) release/make.py standalone

installed: wheel dist  ## wheel and dist, then both tried as their users would use them
	$(PYTHON) tests/ordeals/installed.py

mutants: build  ## proof that the tests can fail: each fault put into a copy of the code must be caught (some minutes)
	$(BIN)/python tests/ordeals/mutants.py

fuzz: build  ## commands and bytes at random, in both protocols, against the debug kernel; LINES=N for another number than 100,000
	$(BIN)/python tests/ordeals/fuzz_debug.py $(LINES)

clean:  ## remove all that was built or cached; the Python environment stays
	rm -rf build dist *.egg-info .pytest_cache .hypothesis .mypy_cache .ruff_cache
	find benchmarks engine harness openings tests \( -name '*.so' -o -name '*.pyd' -o -name __pycache__ \) -prune -exec rm -rf {} +

distclean: clean  ## remove the Python environment too
	rm -rf $(VENV)
