#!/usr/bin/env bash
# Every single bit of a log of 200 leaves, turned: the audit must refuse each and name the leaf. A minute or two.
#   test/long/ledger-audit.sh
set -uo pipefail
cd "$(dirname "$0")/../.."
npx esbuild test/long/ledger-audit.ts --bundle --platform=node --format=esm --packages=external --log-level=warning --outfile=dist/long/ledger-audit.mjs
exec node dist/long/ledger-audit.mjs
