#!/usr/bin/env bash
# Installs the missing tools that sanlab needs to build and run, and lists what it installs.
# Usage: tools/setup.sh [test]     "test" also installs tshark, fio, nbdkit, tgt, qemu-nbd and chromium, which only
#        tests and `sanlab measure` use.
# Installs Debian and Ubuntu packages only as root or with passwordless sudo.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

readonly rust_at_least=88 # as in 1.88; rust-version in Cargo.toml
export PATH="$PWD/.tools/bin:$HOME/.cargo/bin:$HOME/.local/bin:$PATH"

say() { printf 'setup: %s\n' "$*" >&2; }
fail() {
    say "$*"
    exit 1
}
has() { command -v "$1" >/dev/null 2>&1; }

# The minor number of the Rust version that `$1 --version` prints; 0 if it does not run.
rust_minor() {
    local version
    version=$("$1" --version 2>/dev/null | awk '{print $2}') || true
    [[ $version =~ ^1\.([0-9]+) ]] && echo "${BASH_REMATCH[1]}" || echo 0
}
rust_is_new_enough() {
    (($(rust_minor cargo) >= rust_at_least)) && (($(rust_minor rustc) >= rust_at_least))
}

as_root=()
can_install() {
    has apt-get || return 1
    [[ $(id -u) == 0 ]] && return 0
    as_root=(sudo -n)
    has sudo && sudo -n true 2>/dev/null
}
apt_is_fresh=
refresh_apt() {
    [[ $apt_is_fresh ]] && return
    "${as_root[@]}" apt-get update -qq >&2
    apt_is_fresh=yes
}
install() {
    refresh_apt
    say "installing with apt: $*"
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends "$@" </dev/null >/dev/null
}
offers() { [[ -n $(apt-cache madison "$1" 2>/dev/null) ]]; }

# Rust from the distribution: Debian has a recent one beside the old one for its browsers, Ubuntu has
# packages that carry the version in their name.
install_rust() {
    refresh_apt
    if offers cargo-web; then
        install rustc-web cargo-web
    else
        local newest
        newest=$(apt-cache search --names-only '^cargo-1\.[0-9]+$' | awk '{print $1}' | sort -V | tail -1)
        if [[ $newest && ${newest#cargo-1.} -ge $rust_at_least ]]; then
            install "$newest" "rustc-${newest#cargo-}"
            mkdir -p .tools/bin
            ln -sf "$(command -v "$newest")" .tools/bin/cargo
            ln -sf "$(command -v "rustc-${newest#cargo-}")" .tools/bin/rustc
        else
            install cargo rustc
        fi
    fi
    hash -r
    rust_is_new_enough || fail "this distribution has no Rust 1.$rust_at_least or later: install one with rustup, then try again"
}

has python3 && python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "needs Python 3.11 or later as python3"

if ! rust_is_new_enough || ! has cc; then
    can_install ||
        fail "needs Rust 1.$rust_at_least or later (rustup) and a C compiler as linker (package gcc)"
    has cc || install gcc libc6-dev
    rust_is_new_enough || install_rust
fi

if ! has uv; then
    if ! python3 -m pip --version >/dev/null 2>&1; then
        can_install || fail "needs uv, or pip to install it (package python3-pip)"
        install python3-pip
    fi
    say "installing uv into .tools"
    python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore \
        --target .tools uv 2>/dev/null || python3 -m pip install --quiet --target .tools uv
fi

if [[ ${1:-} == test ]] && ! has tshark; then
    if can_install; then
        has debconf-set-selections && echo 'wireshark-common wireshark-common/install-setuid boolean false' |
            "${as_root[@]}" debconf-set-selections
        install tshark || say "no tshark: tests that decode captures with it will be skipped"
    else
        say "no tshark (package tshark): tests that decode captures with it will be skipped"
    fi
fi

if [[ ${1:-} == test ]] && ! has fio; then
    if can_install; then
        install fio || say "no fio: tests that measure with it will be skipped"
    else
        say "no fio (package fio): tests that measure with it will be skipped"
    fi
fi

# Real storage on this machine: a disk of nbdkit, an iSCSI target, and qemu-nbd as its initiator.
if [[ ${1:-} == test ]]; then
    missing=()
    has nbdkit || missing+=(nbdkit)
    { has tgtd || [[ -x /usr/sbin/tgtd ]]; } || missing+=(tgt)
    has qemu-nbd || missing+=(qemu-utils qemu-block-extra)
    if ((${#missing[@]})); then
        { can_install && install "${missing[@]}"; } ||
            say "no ${missing[*]}: tests that measure real storage with them will be skipped"
    fi
fi

has_chromium() { has chromium || has chromium-browser || has google-chrome || has google-chrome-stable; }
if [[ ${1:-} == test ]] && ! has_chromium; then
    if can_install && refresh_apt && offers chromium; then
        install chromium || say "no chromium: tests of the page will be skipped"
    else
        say "no chromium (package chromium): tests of the page will be skipped"
    fi
fi
