#!/usr/bin/env bash
# Builds a wheel for Linux into dist/ and tries it in an environment that has neither Rust nor Node.
# Usage: tools/wheel.sh
# The wheel is for glibc 2.17 and later (manylinux2014): zig, from its Python package, links against that version.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() { printf 'wheel: %s\n' "$*" >&2; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

say "building"
rm -rf dist
uv venv --quiet "$work/build"
uv pip install --quiet --python "$work/build/bin/python" 'maturin[zig]>=1.16,<2'
PATH="$work/build/bin:$PATH" "$work/build/bin/maturin" build --release --locked --zig \
    --compatibility manylinux2014 --out dist --quiet

wheel=$(echo dist/*.whl)
say "trying $wheel"
uv venv --quiet "$work/empty"
uv pip install --quiet --python "$work/empty/bin/python" "$wheel[web]"
bash tools/try_wheel.sh "$work/empty"
say "$wheel is good"
