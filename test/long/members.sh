#!/usr/bin/env bash
# Sixteen members as processes, for two minutes and more: killed, parted and healed in turn; the journal is checked,
# and figures are printed.
# COTERIE_MEMBERS and COTERIE_ROUNDS change how many and how often.
set -euo pipefail
cd "$(dirname "$0")/../.."
export COTERIE_MEMBERS="${COTERIE_MEMBERS:-16}" COTERIE_ROUNDS="${COTERIE_ROUNDS:-8}"
npx tsc -b
npx vitest run test/e2e/election.test.ts
