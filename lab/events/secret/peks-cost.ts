// LECTURE, "PEKS": what searchable encryption costs, in pairings, which are what its time goes into.

import { mclEngine, peksKeys, peksMark, peksTrapdoor, peksWriter } from '../../../src/crypto/peks/index.ts'
import { type Experiment, type Row, type RunOptions, row } from '../../experiment.ts'
import { counting, seededBytes, wordList } from './words.ts'

const KEYWORDS = 3
const TIMED = { small: 20, full: 300 }

async function run({ scale, seed }: RunOptions) {
  const { engine, counts, zero } = counting(await mclEngine())
  const random = seededBytes(seed)
  const { secret, publicKey } = peksKeys(engine, random)
  const writer = peksWriter(engine, publicKey, 'channel')!
  const words = wordList(KEYWORDS)
  const rows: Row[] = []
  zero()
  const { point, marks } = writer.mark(words, random)
  rows.push(row('pairings to mark an event with three new keywords', counts.pair, KEYWORDS, 0))
  rows.push(row('random numbers for all of them', counts.multiplySecond, 1, 0))
  zero()
  writer.mark(words, random)
  rows.push(row('pairings for the next event with the same keywords', counts.pair, 0, 0))
  rows.push(row('powers in the third group for it', counts.power, KEYWORDS, 0))
  zero()
  const trapdoor = engine.decodeFirst(peksTrapdoor(engine, secret, words[1]!))!
  rows.push(row('pairings to make a trapdoor', counts.pair, 0, 0))
  zero()
  const checked = engine.decodeSecond(point)!
  const mark = peksMark(engine, 'channel', trapdoor, checked)
  rows.push(row('pairings to test a trapdoor against all keywords of an event', counts.pair, 1, 0))
  const found = marks.findIndex(one => one.every((byte, place) => byte === mark[place]))
  rows.push(row('the keyword that is found', found, 1, 0))
  const each = (work: () => void) => {
    const began = process.cpuUsage()
    for (let time = 0; time < TIMED[scale]; time++) work()
    const { user, system } = process.cpuUsage(began)
    return (user + system) / 1000 / TIMED[scale]
  }
  rows.push(
    row(
      'a test, in ms of one core',
      each(() => peksMark(engine, 'channel', trapdoor, checked)),
      null,
      null,
      'ms',
    ),
  )
  rows.push(
    row(
      'a bare pairing',
      each(() => engine.pair(trapdoor, checked)),
      null,
      null,
      'ms',
    ),
  )
  return { rows, pictures: [], notes: ['Times depend on the machine, and are not judged.'] }
}

export const peksCost: Experiment = {
  name: 'peks-cost',
  title: 'Searchable encryption, counted in pairings',
  source: 'LECTURE, PEKS',
  run,
}
