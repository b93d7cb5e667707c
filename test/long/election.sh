#!/usr/bin/env bash
# The election's long campaign: simulated runs with faults and liars, in four sizes of group, on all cores.
#   test/long/election.sh               20,000 runs, seeds 1 to 5,000 in each group
#   test/long/election.sh 1500 5001     runs in each group, from this seed on
# Then a tenth as many with secret ballots, and every schedule of the small systems.
set -uo pipefail
cd "$(dirname "$0")/../.."

runs=${1:-5000}
from=${2:-1}
groups=('--servers 3 --liars 0' '--servers 5 --liars 0' '--servers 4 --liars 1' '--servers 7 --liars 2')

npx tsc -b || exit 1
broken=0
SECONDS=0
for group in "${groups[@]}"; do
  echo "coterie sim election $group: seeds $from to $((from + runs - 1))"
  # shellcheck disable=SC2086 # a group is several words
  node bin/coterie sim election $group --seeds "$runs" --from "$from" || broken=$((broken + 1))
  echo
done
node bin/coterie sim election-secret --servers 4 --liars 1 --seeds $(((runs + 9) / 10)) --from "$from" ||
  broken=$((broken + 1))
echo
node bin/coterie explore election || broken=$((broken + 1))
echo "$((runs * ${#groups[@]} + (runs + 9) / 10)) runs in $SECONDS s; groups in which a promise was broken: $broken"
[ "$broken" -eq 0 ]
