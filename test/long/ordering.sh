#!/usr/bin/env bash
# The long campaign of objects: simulated runs with faults and liars, in three sizes of group, on all cores.
#   npm run sim:long                          the lock's campaign, then this one: 20,000 runs
#   bash test/long/ordering.sh 500 5001       runs in each group and weather, from this seed on
# Says for each group how many runs there were, with which seeds, and how to replay what broke a promise.
set -uo pipefail
cd "$(dirname "$0")/../.."

runs=${1:-3334}
from=${2:-1}
protocols=(ordering ordering-recovery)
groups=(
  '--servers 3 --liars 0'
  '--servers 7 --liars 1'
  '--servers 9 --liars 1 --crashes 2'
)

npx tsc -b || exit 1
broken=0
SECONDS=0
for protocol in "${protocols[@]}"; do
  for group in "${groups[@]}"; do
    echo "coterie sim $protocol $group: seeds $from to $((from + runs - 1))"
    # shellcheck disable=SC2086 # a group is several words
    node bin/coterie sim "$protocol" $group --seeds "$runs" --from "$from" || broken=$((broken + 1))
    echo
  done
done
echo "$((runs * ${#protocols[@]} * ${#groups[@]})) runs in $SECONDS s; groups in which a promise was broken: $broken"
[ "$broken" -eq 0 ]
