#!/usr/bin/env bash
# npm run events:long: ten million random pairs of filter and event in every language, against a matcher written apart.
#   npm run events:long -- 100000 7      so many pairs in each, from seed 7 on
set -euo pipefail
cd "$(dirname "$0")/../.."
npx esbuild test/long/events.ts --bundle --platform=node --format=esm --packages=external --log-level=warning --outfile=dist/long/events.mjs
exec node dist/long/events.mjs "$@"
