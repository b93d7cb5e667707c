#!/usr/bin/env bash
# Ten thousand random tapes on which open and blind must pull the same arms, and two thousand seeds of faults and lies.
set -euo pipefail
cd "$(dirname "$0")/../.."
BANDIT_TAPES="${BANDIT_TAPES:-2500}" BANDIT_TIMEOUT=36000000 npx vitest run src/bandits/together.test.ts --maxWorkers=1
node bin/coterie.js sim bandits --seeds "${SEEDS:-2000}" --liars 0
node bin/coterie.js sim bandits --seeds "${SEEDS:-2000}" --liars 1
