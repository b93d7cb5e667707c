#!/usr/bin/env bash
# npm run events:long: the long campaign of events.
#   - simulated runs: servers of which none and of which one lies, with two that may be gone, and secret channels on
#     one and on two carriers: 10,000 seeds of each;
#   - ten million random pairs of filter and event in every language, against a matcher written apart.
#   npm run events:long -- 1000 5001 100000      so many seeds of each scenario, from this one on, and so many pairs
# Says for each how many runs there were, with which seeds, and how to replay what broke a promise.
set -uo pipefail
cd "$(dirname "$0")/../.."

runs=${1:-10000}
from=${2:-1}
pairs=${3:-10000000}
scenarios=(
  'events --servers 3 --liars 0'
  'events --servers 4 --liars 1'
  'events --servers 6 --liars 1 --crashes 2'
  'secret --servers 1 --liars 1'
  'secret --servers 2 --liars 1'
  'secret --servers 1 --liars 0'
)

npx tsc -b || exit 1
broken=0
SECONDS=0
for scenario in "${scenarios[@]}"; do
  echo "coterie sim $scenario: seeds $from to $((from + runs - 1))"
  # shellcheck disable=SC2086 # a scenario is several words
  node bin/coterie sim $scenario --seeds "$runs" --from "$from" || broken=$((broken + 1))
  echo
done
echo "$((runs * ${#scenarios[@]})) runs in $SECONDS s; scenarios in which a promise was broken: $broken"
npx esbuild test/long/events.ts --bundle --platform=node --format=esm --packages=external --log-level=warning --outfile=dist/long/events.mjs
node dist/long/events.mjs "$pairs" "$from" || broken=$((broken + 1))
[ "$broken" -eq 0 ]
