// node bandit-arm.js MEMBER_FOLDER MEAN NAME…: a member of the bandits' benchmark. With a mean it serves the arm of its own name in
// each of the runs; without, it is there to shuffle or to compare.

import { join } from '../../../src/client/join.ts'
import { seededRandom } from '../../../src/core/index.ts'

const [config = '.', mean = '', ...names] = process.argv.slice(2)
const group = await join({ config })
const random = seededRandom(1, Number(group.name.replace(/\D/g, '')))
if (mean !== '') for (const name of names) await group.arm(name, group.name, () => Number(random.unit() < Number(mean)))
process.on('SIGTERM', () => void group.close().then(() => process.exit(0)))
process.stdout.write('ready\n')
