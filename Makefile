# Everything a person or a machine runs here. `make demo` and `make test` work on a fresh Debian or
# Ubuntu with Python 3.11 or later: tools/setup.sh installs what is missing, and says so.

export PATH := $(CURDIR)/.tools/bin:$(HOME)/.cargo/bin:$(HOME)/.local/bin:$(PATH)
export UV_LINK_MODE ?= copy
SHELL := /bin/bash

.PHONY: help demo test check bench docs swarm setup format clean

help: ## Say what there is
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-8s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: ## Install what is missing to build and run
	@bash tools/setup.sh

demo: setup ## Simulate the published SimSANs evaluation and print both figures and the error
	@compgen -G 'python/sanlab/_native*.so' >/dev/null || \
		echo 'demo: building the simulator, a minute or two the first time' >&2
	@uv run --quiet sanlab validate simsans

test: ## All that is asked of a change: what `check` does, and all tests; installs what they need
	@bash tools/setup.sh test
	@bash tools/check.sh

check: setup ## Format, lint, types, layers, generated files
	@bash tools/check.sh quick

format: setup ## Format Rust and Python
	cargo fmt --all
	uv run --quiet ruff format .
	uv run --quiet ruff check --fix-only --quiet .

bench: setup ## Measure the speed of the engine
	@bash tools/bench.sh

docs: setup ## Build the manual into site/
	uv run --quiet --group docs mkdocs build --strict --quiet

swarm: setup ## Long property tests; PROPTEST_CASES=N says how long
	@export PROPTEST_CASES=$${PROPTEST_CASES:-2000} MATURIN_PEP517_ARGS='--profile checked' && set -x && \
		cargo test --workspace --profile checked --quiet && \
		uv run --quiet pytest -q -n logical --dist loadgroup -m 'slow or hypothesis'

clean: ## Remove what was built, but not what was simulated
	rm -rf target .venv .tools site
