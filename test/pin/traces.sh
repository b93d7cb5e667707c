#!/usr/bin/env bash
# npm run pin:traces [-- SCENARIO …] [--seeds N]: pins the trace hashes of all scenarios again, or of those named (test/pin/traces.json).
# For a change of a machine. A change of the simulator must leave every hash as it is.
set -euo pipefail
cd "$(dirname "$0")/../.."
npx esbuild test/pin/write-traces.ts --bundle --platform=node --format=esm --packages=external --log-level=warning --outfile=dist/long/traces.mjs
COTERIE_TRACES=test/pin/traces.json exec node dist/long/traces.mjs "$@"
