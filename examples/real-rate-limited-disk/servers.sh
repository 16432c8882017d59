#!/usr/bin/env bash
# Starts and ends two disks of nbdkit on Unix sockets in a folder.
# Usage: servers.sh start FOLDER | servers.sh stop FOLDER
set -euo pipefail

fail() {
    printf 'servers.sh: %s\n' "$*" >&2
    exit 2
}
[[ $# == 2 && $1 =~ ^(start|stop)$ ]] || fail "write: servers.sh start FOLDER, or servers.sh stop FOLDER"
readonly folder=$2

# One disk: its name, then the arguments of nbdkit. It is ready when nbdkit has gone to the background.
start() {
    local name=$1
    shift
    nbdkit --unix "$folder/$name.sock" --pidfile "$folder/$name.pid" --threads 64 "$@"
}

stop() {
    local file
    for file in "$folder"/*.pid; do
        [[ -e $file ]] || continue
        kill "$(<"$file")" 2>/dev/null || true
        rm -f "$file" "${file%.pid}.sock"
    done
}

if [[ $1 == stop ]]; then
    stop
    exit
fi
command -v nbdkit >/dev/null || fail "nbdkit is not installed: sudo apt-get install nbdkit"
mkdir -p "$folder"
[[ ! -e $folder/delayed.pid ]] || fail "$folder has servers: servers.sh stop $folder"
trap stop ERR
start delayed --filter=delay memory 64M rdelay=200ms wdelay=200ms
start limited --filter=rate memory 64M rate=40M
printf 'nbd+unix:///?socket=%s\n' "$folder/delayed.sock" "$folder/limited.sock"
