#!/usr/bin/env bash
# Objects in real processes under faults, for long: servers and clients killed or standing still, wires that fail, one
# server that lies. Every answer is recorded and checked.
#   npm run e2e:long           ten minutes of faults, half with three servers, half with seven of which one lies
#   npm run e2e:long -- 60     seconds for each of the two
set -euo pipefail
cd "$(dirname "$0")/../.."

seconds=${1:-300}
npx tsc -b
COTERIE_FAULTS_SECONDS="$seconds" exec npx vitest run test/e2e/objects.test.ts -t linearizable
