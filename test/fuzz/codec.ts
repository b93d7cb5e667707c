// A long fuzz of the codec: a million mutated frames, unless told otherwise. The seed decides every byte.
//
//   npx esbuild test/fuzz/codec.ts --bundle --platform=node --format=esm --packages=external --outfile=dist/fuzz-codec.mjs
//   node dist/fuzz-codec.mjs 1000000 1
//
// Checked: decoding returns, never throws, and whatever is taken encodes back to the very same bytes.

import { seededRandom } from '../../src/core/index.ts'
import { encodesBack, mutations } from '../support/codec.ts'

const frames = Number(process.argv[2] ?? 1_000_000)
const seed = Number(process.argv[3] ?? 1)
const random = seededRandom(seed)
let taken = 0
for (let i = 0; i < frames; i++) if (encodesBack(mutations(random))) taken++
console.log(`${frames} mutated frames with seed ${seed}: ${taken} taken, ${frames - taken} refused, none twofold`)
