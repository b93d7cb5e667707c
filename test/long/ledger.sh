#!/usr/bin/env bash
# The ledger's long campaign: simulated runs with faults, liars, lying clients and changes of keepers, in five sizes of group.
#   test/long/ledger.sh               20,000 runs, seeds 1 to 4,000 in each group
#   test/long/ledger.sh 1500 5001     runs in each group, from this seed on
set -uo pipefail
cd "$(dirname "$0")/../.."

runs=${1:-4000}
from=${2:-1}
groups=('--servers 4 --liars 0' '--servers 5 --liars 0' '--servers 6 --liars 1' '--servers 7 --liars 1' '--servers 9 --liars 1 --crashes 2')

npx tsc -b || exit 1
broken=0
SECONDS=0
for group in "${groups[@]}"; do
  echo "coterie sim ledger $group: seeds $from to $((from + runs - 1))"
  # shellcheck disable=SC2086 # a group is several words
  node bin/coterie sim ledger $group --seeds "$runs" --from "$from" || broken=$((broken + 1))
  echo
done
echo "$((runs * ${#groups[@]})) runs in $SECONDS s; groups in which a promise was broken: $broken"
[ "$broken" -eq 0 ]
