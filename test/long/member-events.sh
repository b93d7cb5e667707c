#!/usr/bin/env bash
# The long campaign of events among members: in trees (sim routing) and by gossip (sim interest), with the least priority.
#   test/long/member-events.sh              10,000 runs of each, a third or half of them in each group
#   test/long/member-events.sh 500 1001     so many in each group, from this seed on
set -uo pipefail
cd "$(dirname "$0")/../.."

runs=${1:-}
from=${2:-1}
groups=('routing --liars 0:3334' 'routing --liars 1:3333' 'routing --liars 2:3333' 'interest --liars 0:5000' 'interest --liars 1:5000')

npx tsc -b || exit 1
broken=0
SECONDS=0
for group in "${groups[@]}"; do
  count=${runs:-${group##*:}}
  name=${group%%:*}
  echo "coterie sim $name: seeds $from to $((from + count - 1))"
  # shellcheck disable=SC2086 # a group is several words
  nice -n 19 node bin/coterie sim $name --seeds "$count" --from "$from" || broken=$((broken + 1))
  echo
done
echo "done in $SECONDS s; groups in which a promise was broken: $broken"
[ "$broken" -eq 0 ]
