#!/usr/bin/env bash
# Starts and ends an iSCSI SAN on this machine: a target with two LUNs, each behind a long line.
# Usage: san.sh start FOLDER [PORT] | san.sh stop FOLDER
# PORT, PORT+1 and PORT+2 on 127.0.0.1 are the target and the two lines; 13260 by default.
set -euo pipefail
here=$(dirname "$(realpath "${BASH_SOURCE[0]}")")
readonly here
export PATH=$PATH:/usr/sbin

fail() {
    printf 'san.sh: %s\n' "$*" >&2
    exit 2
}
[[ $# -ge 2 && $1 =~ ^(start|stop)$ ]] || fail "write: san.sh start FOLDER [PORT], or san.sh stop FOLDER"
mkdir -p "$2"
folder=$(realpath "$2")
readonly folder port=${3:-13260} iqn=iqn.2026-11.example.san
export TGT_IPC_SOCKET=$folder/control # tgtd and tgtadm meet there, not in /var/run

target() { tgtadm -C 0 --lld iscsi "$@"; }

# tgtd ends when it is asked and has no targets, not by a signal.
stop() {
    local file
    if [[ -e $folder/tgtd.pid ]]; then
        target --op delete --mode target --tid 1 --force 2>/dev/null || true
        target --op delete --mode target --tid 2 --force 2>/dev/null || true
        tgtadm -C 0 --op delete --mode system 2>/dev/null || kill -9 "$(<"$folder/tgtd.pid")" 2>/dev/null || true
    fi
    for file in "$folder"/*.pid; do
        [[ -e $file ]] || continue
        kill "$(<"$file")" 2>/dev/null || true
        rm -f "$file"
    done
    rm -f "$folder"/*.img "$folder"/*.sock "$folder"/control*
}

# Starts a program in the background; its name, then its words.
background() {
    local name=$1
    shift
    "$@" >"$folder/$name.log" 2>&1 </dev/null &
    echo $! >"$folder/$name.pid"
}

# Repeats a command until it succeeds, for ten seconds.
await() {
    local tries
    for ((tries = 0; tries < 100; tries++)); do
        if "$@" >/dev/null 2>&1; then return; fi
        sleep 0.1
    done
    stop
    fail "this did not succeed: $*. See the logs in $folder"
}
listens() { (: <"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# A target with one LUN: its number and name.
serve() {
    head -c 32M /dev/urandom >"$folder/$2.img"
    target --op new --mode target --tid "$1" -T "$iqn:$2"
    target --op new --mode logicalunit --tid "$1" --lun 1 -b "$folder/$2.img"
    target --op bind --mode target --tid "$1" -I 127.0.0.1
}

if [[ $1 == stop ]]; then
    stop
    exit
fi
for program in tgtd tgtadm qemu-nbd python3; do
    command -v "$program" >/dev/null || fail "$program is not installed: sudo apt-get install tgt qemu-utils qemu-block-extra"
done
[[ ! -e $folder/tgtd.pid ]] || fail "$folder has a SAN: san.sh stop $folder"
for number in $port $((port + 1)) $((port + 2)); do
    if listens "$number"; then fail "port $number is in use: san.sh start $folder PORT"; fi
done
trap stop ERR
background tgtd tgtd -f -C 0 --iscsi portal="127.0.0.1:$port"
await target --op show --mode target
serve 1 near
serve 2 far
# Rate in bytes per second, and delay of one direction in seconds.
background near python3 "$here/line.py" $((port + 1)) "$port" 4194304 0.050
background far python3 "$here/line.py" $((port + 2)) "$port" 2097152 0.100
# The relay alone: qemu-nbd over a file on this machine, without iSCSI and without a line.
background relay qemu-nbd --persistent --shared=0 --read-only --cache=none --format=raw \
    --socket="$folder/relay.sock" "$folder/near.img"
await listens $((port + 1))
await listens $((port + 2))
await test -S "$folder/relay.sock"
printf 'iscsi://127.0.0.1:%s/%s:%s/1\n' $((port + 1)) "$iqn" near $((port + 2)) "$iqn" far
