# The commands for development. `make demo` and `make test` work on a fresh Debian or Ubuntu with
# Python 3.11 or later: tools/setup.sh installs what is missing and lists what it installs.

export PATH := $(CURDIR)/.tools/bin:$(HOME)/.cargo/bin:$(HOME)/.local/bin:$(PATH)
export UV_LINK_MODE ?= copy
SHELL := /bin/bash
# Later versions set the colour scheme by a command of WebDriver BiDi that Firefox 153 does not know.
FIREFOX_PLAYWRIGHT := 1.64.1

.PHONY: help demo test check bench page-speed firefox tours docs fuzz planted swarm wheel setup format clean

help: ## List these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## Install what is missing to build and run
	@bash tools/setup.sh

demo: ## Simulate the published SimSANs evaluation; print published and simulated figures
	@./sanlab validate simsans
	@printf '%s\n' '' 'Next, simulate a SAN of your own:' \
		'  ./sanlab new first-san.yaml' \
		'  ./sanlab run first-san.yaml'

test: ## Check a change and run all tests; installs what they need
	@bash tools/setup.sh test
	@bash tools/check.sh

check: setup ## Check a change without tests: format, lint, types, layers, generated files, words
	@bash tools/check.sh quick

format: setup ## Format Rust and Python
	cargo fmt --all
	uv run --quiet ruff format .
	uv run --quiet ruff check --fix-only --quiet .

bench: setup ## Measure the speed of the engine
	@bash tools/bench.sh

page-speed: setup ## Measure the speed of the page in Chromium; needs an idle machine
	uv run --quiet python benches/page.py

firefox: setup ## Use the page in the system's Firefox, once before a release
	@command -v firefox firefox-esr || { echo 'Install Firefox: package firefox-esr or firefox' >&2; exit 1; }
	SANLAB_BROWSER=firefox uv run --quiet --with playwright==$(FIREFOX_PLAYWRIGHT) pytest -q tests/browser

tours: setup ## Make the pictures of the page for the manual again
	uv run --quiet python tools/gen_tours.py

docs: setup ## Build the manual into site/
	uv run --quiet --group docs mkdocs build --strict --quiet

fuzz: setup ## Try 20000 unusual scenarios, plans and run folders (half an hour)
	uv run --quiet python tests/support/fuzz.py

planted: setup ## Score the diagnosis on scenarios whose limit is known, by theme
	uv run --quiet python tests/support/planted.py

swarm: setup ## Run long property tests; PROPTEST_CASES=N sets the number of cases
	@export PROPTEST_CASES=$${PROPTEST_CASES:-2000} MATURIN_PEP517_ARGS='--profile checked' && set -x && \
		cargo test --workspace --profile checked --quiet && \
		uv run --quiet pytest -q -n logical --dist loadgroup -m 'slow or hypothesis'

wheel: setup ## Build a wheel for Linux x86-64 into dist/, and try it in an empty environment
	@bash tools/wheel.sh

clean: ## Remove build output; keep the results of runs
	rm -rf target .venv .tools site dist
