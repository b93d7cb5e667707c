#!/usr/bin/env bash
# The bandits' long campaign: random tapes on which open, thesis and blind must pull the same arms, and runs with faults and lies.
#   test/long/bandits.sh             10,000 tapes, 2,000 seeds without and 2,000 with a liar
#   test/long/bandits.sh 100 200     tapes of each of the four algorithms, and seeds
set -uo pipefail
cd "$(dirname "$0")/../.."

tapes=${1:-2500}
seeds=${2:-2000}

npx tsc -b || exit 1
broken=0
BANDIT_TAPES=$tapes BANDIT_TIMEOUT=86400000 npx vitest run src/bandits/together.test.ts src/bandits/printed --maxWorkers=1 || broken=$((broken + 1))
node bin/coterie sim bandits --liars 0 --seeds "$seeds" || broken=$((broken + 1))
node bin/coterie sim bandits --liars 1 --seeds "$seeds" || broken=$((broken + 1))
node bin/coterie sim bandit-members --seeds "$seeds" || broken=$((broken + 1))
[ "$broken" -eq 0 ]
