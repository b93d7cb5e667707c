#!/usr/bin/env bash
# The long campaign of the nodes as they ship: servers and clients (locks and objects in one node), and members (gossip,
# election and slots in one node), under faults and liars, on all cores.
#   test/long/nodes.sh               2,000 runs of each, a thousand in each group
#   test/long/nodes.sh 500 1001      so many in each group, from this seed on
set -uo pipefail
cd "$(dirname "$0")/../.."

runs=${1:-1000}
from=${2:-1}
groups=('server --liars 0' 'server --liars 1' 'member --liars 0' 'member --liars 1')

npx tsc -b || exit 1
broken=0
SECONDS=0
for group in "${groups[@]}"; do
  echo "coterie sim $group: seeds $from to $((from + runs - 1))"
  # shellcheck disable=SC2086 # a group is several words
  node bin/coterie sim $group --seeds "$runs" --from "$from" || broken=$((broken + 1))
  echo
done
echo "$((runs * ${#groups[@]})) runs in $SECONDS s; groups in which a promise was broken: $broken"
[ "$broken" -eq 0 ]
