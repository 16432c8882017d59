#!/bin/sh
# Checks the page: types, and that the built files in the Python package are those of its sources,
# in a commit or not.
set -eu
cd "$(dirname "$0")/../web"
if ! command -v npm > /dev/null 2>&1; then
    echo "check_web: npm is missing, the page is not checked"
    exit 0
fi
if grep -q '"resolved"' package-lock.json; then
    echo "web/package-lock.json names download addresses. Remove its lines with \"resolved\"" >&2
    exit 1
fi
said=$(npm ci --no-audit --no-fund --loglevel=error 2>&1) || {
    case $said in
        *ENOTFOUND* | *EAI_AGAIN* | *ECONNREFUSED* | *ECONNRESET* | *ETIMEDOUT* | *ENETUNREACH* | *EHOSTUNREACH* | *E50?*)
            echo "check_web: the npm registry is not reached, the page is not checked"
            exit 0
            ;;
    esac
    echo "$said" >&2
    exit 1
}
# Name and contents of each generated file.
hashes() { find src/api/schema.d.ts ../python/sanlab/server/static -type f -exec sha256sum {} + | sort -k 2; }
before=$(hashes)
npm run --silent client > /dev/null
npm run --silent check
npm run --silent build -- --logLevel warn
if [ "$before" != "$(hashes)" ]; then
    echo "The generated files of the page were not current and are rewritten: commit them" >&2
    exit 1
fi
