#!/bin/sh
# Checks the page: types, and that the built files in the Python package are those of its sources.
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
npm ci --no-audit --no-fund --loglevel=error
npm run --silent client
npm run --silent check
npm run --silent build -- --logLevel warn
stale=$(git status --porcelain -- src/api/schema.d.ts ../python/sanlab/server/static)
if [ -n "$stale" ]; then
    echo "$stale"
    echo "The generated files of the page are not current. Run 'npm ci && npm run client && npm run build' in web/ and commit them" >&2
    exit 1
fi
