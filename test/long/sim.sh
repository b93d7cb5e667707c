#!/usr/bin/env bash
# The lock's long campaign: simulated runs with faults and liars, in four sizes of group, on all cores. Then that of
# objects (ordering.sh).
#   npm run sim:long                 20,000 runs, seeds 1 to 5,000 in each group
#   npm run sim:long -- 1500 5001    runs in each group, from this seed on
# Then as many of elections (election.sh).
# Then as many of ledgers (ledger.sh).
# Then the nodes as they ship (nodes.sh).
# Then the rounds of slots, twice as many (slot-rounds.sh).
# Then every mutation of npm run mutate, an hour and a half: one that no test notices fails, as a broken promise does.
# Says for each group how many runs there were, with which seeds, and how to replay what broke a promise.
set -uo pipefail
cd "$(dirname "$0")/../.."

runs=${1:-5000}
from=${2:-1}
groups=(
  '--servers 3 --liars 0'
  '--servers 4 --liars 1'
  '--servers 6 --liars 1 --crashes 2'
  '--servers 7 --liars 1'
)

npx tsc -b || exit 1
broken=0
SECONDS=0
for group in "${groups[@]}"; do
  echo "coterie sim lock $group: seeds $from to $((from + runs - 1))"
  # shellcheck disable=SC2086 # a group is several words
  node bin/coterie sim lock $group --seeds "$runs" --from "$from" || broken=$((broken + 1))
  echo
done
echo "$((runs * ${#groups[@]})) runs in $SECONDS s; groups in which a promise was broken: $broken"
echo
bash test/long/ordering.sh "$@" || broken=$((broken + 1))
bash test/long/slot-rounds.sh "$((2 * runs))" "$from" || broken=$((broken + 1))
bash test/long/election.sh "$runs" "$from" || broken=$((broken + 1))
bash test/long/ledger.sh "$runs" "$from" || broken=$((broken + 1))
bash test/long/nodes.sh || broken=$((broken + 1))
# A broken line of code that no test notices.
node test/mutate/run.mjs || broken=$((broken + 1))
[ "$broken" -eq 0 ]
