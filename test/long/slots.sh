#!/usr/bin/env bash
# The slots end-to-end test for longer: eight real members over mutual TLS, a kill every twelve seconds.
#   test/long/slots.sh          a minute
#   test/long/slots.sh 600      seconds
set -uo pipefail
cd "$(dirname "$0")/../.."

npx tsc -b || exit 1
COTERIE_SLOTS_SECONDS=${1:-60} npx vitest run test/e2e/slots.test.ts
