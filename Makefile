# The menu of commands. `make run` and `make test` are all that is needed; both make .venv first.
PY ?= python3
V := .venv
UV_VERSION := 0.13.8
PIN := $(V)/bin/uv pip install --quiet --require-hashes --python $(V)/bin/python
PYTEST := $(V)/bin/python -m pytest -q
# More than cores: many tests wait for processes, for a clock or for a page.
WORKERS ?= 3
ifdef OFFLINE
PIP_SOURCE := --no-index --find-links wheels
PIN += --no-index --find-links wheels
endif

# What mypy knows of the last time, for all copies of this tree: to look at everything again takes it minutes of a core. One
# after the other, as its database refuses a second writer.
KEPT := $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/lockscope/mypy
MYPY = $(shell mkdir -p $(KEPT) 2>/dev/null && test -w $(KEPT) && echo MYPY_CACHE_DIR=$(KEPT) $$(command -v flock >/dev/null && echo flock $(KEPT)/lock)) $(V)/bin/mypy

# Compiled modules are kept whatever the shell says: without them each process that is started compiles 1,600 files again.
unexport PYTHONDONTWRITEBYTECODE
# And before the first start, for those who call manage.py by themselves where the shell forbids to keep them.
COMPILE = $(V)/bin/python -m compileall -q -j 0 apps config parsers scripts

.PHONY: run test test-pure test-db test-run matrix explore coverage durations chaos fuzz venv dev style lint types imports js golden new-parser bench load soak wheels lock screenshots clean
.DEFAULT_GOAL := run

run: $(V)/.run
	@exec $(V)/bin/python scripts/dev.py

# Everything that must hold before a change is taken. The other checks are looked at beside pytest, which often waits; what
# is wrong with them is printed behind its summary.
test: $(V)/.dev style
	@bash scripts/test-deps.sh
	@bash scripts/test-beside.sh $(PYTEST) -n $(WORKERS) -m "not chaos" tests

# The lanes of the tests, each alone: parsers, engine and shape of the code; what needs the database; what starts processes.
test-pure: $(V)/.dev
	@$(PYTEST) -n 2 -m pure tests

test-db: $(V)/.dev
	@bash scripts/test-deps.sh
	@$(PYTEST) -n 2 -m db tests

test-run: $(V)/.dev
	@bash scripts/test-deps.sh
	@$(PYTEST) -n $(WORKERS) -m "run and not chaos" tests

# As test without its checks, and all of the large matrices, of which `make test` looks at a part: widths of pages, damage
# to samples, what mails and terminals do to them, their order.
matrix: $(V)/.dev
	@bash scripts/test-deps.sh
	@$(PYTEST) -n $(WORKERS) -m "not chaos" --matrix tests

# As test without its checks, at another part of the large matrices each time and with other tries of Hypothesis.
explore: $(V)/.dev
	@bash scripts/test-deps.sh
	@$(PYTEST) -n $(WORKERS) -m "not chaos" --part -1 tests

# What the tests run through, and no package below its floor. RAISE=1 keeps what was measured as the new floors.
coverage: $(V)/.dev
	@bash scripts/test-deps.sh
	@$(PYTEST) -n $(WORKERS) -m "not chaos" --cov --cov-report= --cov-report=json:var/coverage.json tests
	@$(V)/bin/python -m scripts.coverage_floor var/coverage.json $(if $(RAISE),--raise)

# What each file of tests took on this machine, by which the next run is ordered: the longest first.
durations: $(V)/.dev
	@bash scripts/test-deps.sh
	@$(PYTEST) -n $(WORKERS) -m "not chaos" --record-durations tests

# What goes wrong on a bad day, with real processes: killed, stopped, told to end, out of room. Some minutes.
chaos: $(V)/.dev
	@bash scripts/test-deps.sh
	@$(V)/bin/python -m pytest -q -n 0 --matrix tests/chaos

# Samples with odd cells and lines, by Hypothesis, so many minutes shared among all parsers. What it finds is printed and kept in var/fuzz.
MINUTES ?= 60
fuzz: $(V)/.dev
	@mkdir -p var/fuzz && $(V)/bin/python -m tests.parsers.fuzzing --minutes $(MINUTES) --keep var/fuzz

venv: $(V)/.run
	@$(COMPILE)

dev: $(V)/.dev

$(V)/bin/uv:
	@bash scripts/make-venv.sh "$(PY)" "$(V)"
	@$(V)/bin/python -m pip install --quiet $(PIP_SOURCE) 'uv==$(UV_VERSION)'

$(V)/.run: requirements.txt | $(V)/bin/uv
	@$(PIN) --compile-bytecode -r requirements.txt && $(COMPILE) && touch $@

$(V)/.dev: requirements-dev.txt $(V)/.run
	@$(PIN) -r requirements-dev.txt && touch $@

style: $(V)/.dev
	@$(V)/bin/ruff check --quiet . && $(V)/bin/ruff format --check --quiet .

lint: $(V)/.dev style
	@$(V)/bin/python -m scripts.wrap --check
	@$(V)/bin/python -m scripts.dead_code
	@bash scripts/lint-js.sh

types: $(V)/.dev
	@$(MYPY)

imports: $(V)/.dev
	@out=$$($(V)/bin/lint-imports --no-logo 2>&1) || { echo "$$out"; exit 1; }
	@out=$$($(V)/bin/lint-imports --no-logo --config engine-walls.toml 2>&1) || { echo "$$out"; exit 1; }

js:
	@out=$$(node --test $(wildcard tests/js/*.test.mjs) 2>&1) || { echo "$$out"; exit 1; }

# Writes the expected output of every parser sample again; read the difference before keeping it.
golden: $(V)/.dev
	@$(V)/bin/python -m pytest -q tests/parsers --update-golden

# A parser to start from: module, samples, golden output. `make new-parser NAME=vxmystat [TOOL=vxmystat] [PRODUCT=veritas]`
new-parser: $(V)/.dev
	@$(V)/bin/python -m scripts.new_parser $(NAME) $(if $(TOOL),--tool $(TOOL)) $(if $(PRODUCT),--product $(PRODUCT))

bench: $(V)/.dev
	@$(V)/bin/python -m scripts.bench
	@$(V)/bin/python -m scripts.bench.clusters
	@$(V)/bin/python -m scripts.bench.browser
	@$(V)/bin/python -m scripts.bench.scaling

# A hundred readers and ten uploaders at once, for three minutes: writes docs/benchmarks_load.md. Best when nothing else runs.
# LOAD_GB=2 has the workers read that much text beside.
load: $(V)/.dev $(V)-load/.made
	@bash scripts/test-deps.sh
	@$(V)/bin/python -m scripts.load

# All of the matrices, then SOAK mixed bundles (1,000) through both shapes, looking at what processes hold: writes
# docs/benchmarks_soak.md. An hour and more.
SOAK ?= 1000
soak: $(V)/.dev matrix
	@SOAK=$(SOAK) $(V)/bin/python -m scripts.soak

$(V)-load/.made: requirements-load.txt | $(V)/bin/uv
	@$(V)/bin/uv venv --quiet --clear --python $(V)/bin/python $(V)-load
	@$(V)/bin/uv pip install --quiet --require-hashes --python $(V)-load/bin/python $(if $(OFFLINE),--no-index --find-links wheels) -r requirements-load.txt && touch $@

# For a site without a network: carry the repository with wheels/ there and call `make run OFFLINE=1`.
wheels: $(V)/.run
	@$(V)/bin/python -m pip download --quiet --only-binary :all: --dest wheels 'uv==$(UV_VERSION)'
	@$(V)/bin/python -m pip download --quiet --only-binary :all: --dest wheels --require-hashes -r requirements.txt

lock: $(V)/.dev
	@bash scripts/lock.sh "$(V)"

screenshots: $(V)/.dev
	@$(V)/bin/python -m scripts.screenshots

clean:
	@rm -rf $(V) var .pytest_cache .mypy_cache .ruff_cache
