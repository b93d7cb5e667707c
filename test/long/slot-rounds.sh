#!/usr/bin/env bash
# The long campaign of slots: rounds with faults, partitions and liars, in groups of three to seven, with every option.
# Then a tenth as many runs of the levels curious and strong each, in which nobody lies.
#   test/long/slot-rounds.sh                10,000 rounds, from seed 1 on
#   test/long/slot-rounds.sh 2000 5001      rounds, from this seed on
set -euo pipefail
cd "$(dirname "$0")/../.."
npx esbuild test/long/slots.ts --bundle --platform=node --format=esm --packages=external --log-level=warning --outfile=dist/long/slots.mjs
node dist/long/slots.mjs "${1:-10000}" "${2:-1}"
npx tsc -b
for level in curious strong; do
  node bin/coterie sim slots --level "$level" --seeds "$((${1:-10000} / 10))" --from "${2:-1}"
done
