#!/usr/bin/env bash
# Tries an installed sanlab as a new user would, in an empty folder and with a PATH of the system alone.
# Usage: tools/try_wheel.sh ENVIRONMENT
set -euo pipefail

python=$(realpath -s "$1/bin/python")
sanlab=$(realpath -s "$1/bin/sanlab")
folder=$(mktemp -d)
server=
finish() {
    if [[ $server ]]; then
        kill "$server" 2>/dev/null || true
        wait "$server" 2>/dev/null || true
    fi
    rm -rf "$folder"
}
trap finish EXIT
cd "$folder"
alone() { env -i PATH=/usr/bin:/bin HOME="$folder" "$@"; }

alone "$sanlab" new first-san.yaml >/dev/null
alone "$sanlab" run first-san.yaml >/dev/null
test -s runs/first-san/report.html
alone "$sanlab" explain runs/first-san >/dev/null
alone "$sanlab" validate simsans | tail -1

# Not by the function, whose shell would end in place of the server.
env -i PATH=/usr/bin:/bin HOME="$folder" "$sanlab" serve . --port 0 --no-browser >serve.txt 2>&1 &
server=$!
for _ in $(seq 100); do
    grep -qs 'http://' serve.txt && break
    sleep 0.2
done
address=$(grep -o 'http://[^ ]*' serve.txt | head -1)
alone "$python" - "$address" <<'END'
import json
import sys
import urllib.request

address = sys.argv[1].rstrip("/")
with urllib.request.urlopen(address + "/api/runs") as answer:
    runs = json.load(answer)
with urllib.request.urlopen(address + "/") as answer:
    page = answer.read().decode()
assert "runs:first-san" in {run["id"] for run in runs}, runs
assert "<script" in page
print(f"sanlab serve shows {len(runs)} runs at {address}")
END
