#!/usr/bin/env bash
# The bandits' long campaign: random tapes on which open, thesis and blind must pull the same arms, and runs with faults and lies.
#   test/long/bandits.sh               10,000 tapes as arithmetic, 100 of each algorithm among parties, and 2,000 seeds of every scenario
#   test/long/bandits.sh 500 20 200    tapes as arithmetic, tapes among parties, seeds
set -uo pipefail
cd "$(dirname "$0")/../.."

tapes=${1:-10000}
played=${2:-100}
seeds=${3:-2000}

npx tsc -b || exit 1
broken=0
BANDIT_TAPES_QUICK=$tapes npx vitest run src/bandits/levels.test.ts --maxWorkers=1 || broken=$((broken + 1))
BANDIT_TAPES=$played npx vitest run src/bandits/together.test.ts src/bandits/printed --maxWorkers=1 || broken=$((broken + 1))
node bin/coterie sim bandits --liars 0 --seeds "$seeds" || broken=$((broken + 1))
node bin/coterie sim bandits --liars 1 --seeds "$seeds" || broken=$((broken + 1))
node bin/coterie sim bandit-members --seeds "$seeds" || broken=$((broken + 1))
node bin/coterie sim bandit-thesis --liars 1 --seeds "$seeds" || broken=$((broken + 1))
BANDIT_KILLS=$seeds npx vitest run src/bandits/proof/kills.test.ts --maxWorkers=1 || broken=$((broken + 1))
BANDIT_SEEDS=$seeds npx vitest run src/bandits/proof/thesis-scenario.test.ts --maxWorkers=1 || broken=$((broken + 1))
[ "$broken" -eq 0 ]
