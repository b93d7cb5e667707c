#!/usr/bin/env bash
# npm run pin:zoo [-- PROTOCOL|BUG …]: writes the bug zoo of the lab's page again (src/play/zoo.ts), or a part of it.
set -euo pipefail
cd "$(dirname "$0")/../.."
npx esbuild test/pin/write-zoo.ts --bundle --platform=node --format=esm --packages=external --log-level=warning --outfile=dist/long/zoo.mjs
COTERIE_ZOO=src/play/zoo.ts node dist/long/zoo.mjs "$@"
npx biome check --write src/play/zoo.ts
