# The front door. Every target sets up what it needs; nothing is done twice.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
KERNEL := $(wildcard engine/*.p* engine/*/*.p*) setup.py
WORKERS ?= auto

.PHONY: build gauntlet test play bench perft check native debug mutants fuzz clean

build: build/.kernel

# compat, although setuptools warns that it will go: the other editable modes load a finder at every start of Python.
$(VENV)/.ready: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip "setuptools>=77" wheel "cython>=3.3,<3.4"
	PYTHONWARNINGS=ignore $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-build-isolation \
	    --config-settings editable_mode=compat --editable ".[harness,cluster,dev]"
	touch $@

build/.kernel: $(VENV)/.ready $(KERNEL)
	mkdir -p build
	$(BIN)/python -W ignore setup.py --quiet build_ext --inplace --parallel 2 > build/kernel.log 2>&1 || (cat build/kernel.log; exit 1)
	$(BIN)/python -m compileall -q engine harness
	touch $@

# The main job: the three headline comparisons, in Elo and in nodes.
gauntlet: build
	$(BIN)/gauntlet run headline

test: build
	$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

play: build
	xboard -fcp $(CURDIR)/$(BIN)/sortie -fd . -saveSettingsOnExit false

# The signature (nodes of a fixed search), then speed and memory as ratios to Stockfish and to a plain python-chess loop.
bench: build
	$(BIN)/sortie bench
	$(BIN)/python benchmarks/kernel_speed.py
	$(BIN)/python benchmarks/harness_overhead.py

perft: build
	$(BIN)/python -m pytest tests/engine/board/test_perft.py

# Format, lint, types, and that no hot function touches Python.
check: build
	$(BIN)/ruff format --check harness tests openings benchmarks setup.py
	$(BIN)/ruff check .
	$(BIN)/mypy
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/cython-lint --max-line-length 160 engine/*.pxd engine/*/*.pxd
	$(BIN)/python -m pytest tests/engine/test_hot_path.py tests/test_architecture.py

# A build for this machine's own processor. `make build` after a change of the kernel, or after `make clean`, brings the portable one back.
native: $(VENV)/.ready
	$(BIN)/python setup.py clean --all > /dev/null
	SORTIE_CFLAGS="-O3 -march=native -fno-strict-aliasing" $(BIN)/python -W ignore setup.py --quiet build_ext --inplace --force > build/kernel.log 2>&1
	touch build/.kernel

# The kernel with bounds checks, assertions and sanitizers, and in it the tests of rules, tables and evaluation and 200 random
# searches with each level of each switch.
debug: build
	$(BIN)/python -m pytest tests/engine/test_build_debug.py --durations=0

# Proof that the tests can fail: faults put into a copy of the engine, each of which a test must catch. Some minutes, run by hand.
mutants: build
	$(BIN)/python tests/ordeals/mutants.py

# Commands and bytes at random against the debug build; LINES=N for another number than 100,000.
fuzz: build
	$(BIN)/python tests/ordeals/fuzz_debug.py $(LINES)

clean:
	rm -rf build engine/*/*.so *.egg-info .pytest_cache .hypothesis .mypy_cache .ruff_cache
