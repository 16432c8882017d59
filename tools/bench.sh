#!/usr/bin/env bash
# Measures the engine: Rust benchmarks where there are any, then whole runs, which are recorded in
# benches/history.csv with the machine they ran on.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cargo bench --workspace
if [[ -f benches/record.py ]]; then
    uv run --quiet python benches/record.py "$@"
fi
