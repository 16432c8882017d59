#!/usr/bin/env bash
# Checks a change, quickest first. Usage: tools/check.sh [quick]; "quick" leaves out the tests.
# A tool that Rust's distribution package leaves out (rustfmt, clippy) is skipped with a line that
# says so. Everything in Rust is built once, in the profile "checked", the extension module too.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export MATURIN_PEP517_ARGS="--profile checked"

step() {
    printf '== %s\n' "$*" >&2
    local begin=$SECONDS
    "$@"
    printf '   %d s\n' $((SECONDS - begin)) >&2
}
skip() { printf '== %s is not installed: skipped\n' "$1" >&2; }

if cargo fmt --version >/dev/null 2>&1; then step cargo fmt --all --check; else skip rustfmt; fi
step uv sync --quiet
export UV_NO_SYNC=1 # nothing below changes what is built
step uv run ruff format --quiet --check .
step uv run ruff check --quiet .
step uv run mypy --no-error-summary
step uv run stubtest sanlab._native --mypy-config-file pyproject.toml
step uv run lint-imports --no-cache
step uv run python tools/gen_schemas.py --check
step uv run python tools/gen_reference.py --check
step uv run python tools/gen_plan.py --check
step uv run python tools/check_words.py
step tools/check_web.sh
if cargo deny --version >/dev/null 2>&1; then
    step cargo deny --offline --locked check licenses bans sources
else
    skip cargo-deny
fi
if cargo clippy --version >/dev/null 2>&1; then
    step cargo clippy --workspace --all-targets --profile checked --quiet -- -D warnings
else
    skip clippy
fi
[[ ${1:-} == quick ]] && exit
step cargo test --workspace --profile checked --quiet
step uv run pytest -q -n logical --dist loadgroup --ignore=tests/browser
# Browsers that draw need both cores: nothing else runs beside them.
step uv run pytest -q -n logical tests/browser
