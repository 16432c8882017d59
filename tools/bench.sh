#!/usr/bin/env bash
# Measures the engine and appends to benches/history.csv, with the machine it ran on.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cargo build --quiet --release --package sanlab-sim --bin run_plan
uv run --quiet python benches/record.py "$@"
