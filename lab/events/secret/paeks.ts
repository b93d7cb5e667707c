// PAEKS (Huang and Li 2017, here on a pairing of type 3): writer x, X = g2^x; reader y, (g1^y, g2^y). A writer's secret goes
// into the mark, so that guessing needs one. C1 = H1(w)^x · g1^r, C2 = (g1^y)^r; T = e(H1(w)^y, X); e(C1, g2^y) = T · e(C2, g2).
//
// But e(C1, g2^y) / e(C2, g2) = e(H1(w), g2)^(xy) is anybody's to compute, without any trapdoor, and the same for the same word.

import {
  type FirstPoint,
  mclEngine,
  type PairingEngine,
  randomPairingScalar,
  type SecondPoint,
} from '../../../src/crypto/peks/index.ts'
import { type Experiment, type RunOptions, row } from '../../experiment.ts'
import { seededBytes, share, wordList } from './words.ts'

const DOMAIN = 'COTERIE-LAB-PAEKS'
const PAIRS = { small: 4, full: 40 }

interface Mark {
  readonly one: FirstPoint
  readonly two: FirstPoint
}

function markOf(engine: PairingEngine, x: Uint8Array, readers: FirstPoint, word: Uint8Array, r: Uint8Array): Mark {
  const hidden = engine.multiplyFirst(engine.hashToFirst(word, DOMAIN), x)
  const one = engine.addFirst(hidden, engine.multiplyFirst(engine.firstGenerator, r))
  return { one, two: engine.multiplyFirst(readers, r) }
}

/** What everybody on the way can compute. */
function seenBy(engine: PairingEngine, readers: SecondPoint, { one, two }: Mark): string {
  const seen = engine.quotient(engine.pair(one, readers), engine.pair(two, engine.secondGenerator))
  return engine.coefficients(seen).join()
}

async function run({ scale, seed }: RunOptions) {
  const engine = await mclEngine()
  const random = seededBytes(seed)
  const [x, y] = [randomPairingScalar(random), randomPairingScalar(random)]
  const first = engine.multiplyFirst(engine.firstGenerator, y)
  const second = engine.multiplySecond(engine.secondGenerator, y)
  const words = wordList(PAIRS[scale] + 1)
  const mark = (word: Uint8Array) => markOf(engine, x, first, word, randomPairingScalar(random))
  const marks = words.map(mark)
  const again = words.map(mark)
  const seen = [marks, again].map(all => all.map(one => seenBy(engine, second, one)))
  const trapdoor = (word: Uint8Array) =>
    engine
      .coefficients(
        engine.pair(
          engine.multiplyFirst(engine.hashToFirst(word, DOMAIN), y),
          engine.multiplySecond(engine.secondGenerator, x),
        ),
      )
      .join()
  return {
    rows: [
      row(
        'trapdoors that find their word',
        share(words, (word, place) => trapdoor(word) === seen[0]![place]),
        1,
        0,
      ),
      row(
        'trapdoors that find another',
        share(words.slice(1), (_, place) => trapdoor(words[place + 1]!) === seen[0]![place]),
        0,
        0,
      ),
      row(
        'two marks of one word are equal',
        share(
          marks,
          (one, place) => engine.encodeFirst(one.one).join() === engine.encodeFirst(again[place]!.one).join(),
        ),
        0,
        0,
      ),
      row(
        'two marks of one word are seen to be, without a trapdoor',
        share(words, (_, at) => seen[0]![at] === seen[1]![at]),
        1,
        0,
      ),
      row(
        'marks of different words are taken for one',
        share(words.slice(1), (_, at) => seen[0]![at] === seen[0]![at + 1]),
        0,
        0,
      ),
    ],
    pictures: [],
    notes: [
      'A deterministic tag at the price of two pairings: HMAC under a shared key hides as much for microseconds.',
    ],
  }
}

export const paeksEquality: Experiment = {
  name: 'paeks-equality',
  title: 'Authenticated searchable encryption shows which events have the same keyword',
  source: 'LECTURE, PEKS; Huang and Li 2017',
  run,
}
