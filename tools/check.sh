#!/usr/bin/env bash
# Checks a change, quickest first. A tool that Rust's distribution package leaves out
# (rustfmt, clippy) is skipped with a line that says so.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

step() {
    printf '== %s\n' "$*" >&2
    "$@"
}
if cargo fmt --version >/dev/null 2>&1; then
    step cargo fmt --all --check
else
    echo "== rustfmt is not installed: skipped" >&2
fi
step uv run --quiet ruff format --check .
step uv run --quiet ruff check .
step uv run --quiet mypy
step uv run --quiet lint-imports --no-cache
step uv run --quiet python tools/gen_schemas.py --check
step uv run --quiet python tools/gen_reference.py --check
step uv run --quiet python tools/gen_plan.py --check
step uv run --quiet python tools/check_words.py
if cargo clippy --version >/dev/null 2>&1; then
    step cargo clippy --workspace --all-targets --quiet -- -D warnings
else
    echo "== clippy is not installed: skipped" >&2
fi
step cargo test --workspace --quiet
step uv run --quiet pytest -q
