// LECTURE, "PEKS": "no encryption of the trapdoor is required". True for outsiders, who see neither; the broker, whom the
// scheme is against, has the trapdoors. It finds their words from a list, with one table for all trapdoors of a key, and sees
// which readers want the same.

import { mclEngine, peksKeys, peksTrapdoor } from '../../../src/crypto/peks/index.ts'
import { type Experiment, type RunOptions, row } from '../../experiment.ts'
import { counting, seededBytes, share, wordList } from './words.ts'

const WORDS = { small: 12, full: 100 }
const TRAPDOORS = { small: 6, full: 50 }
const DOMAIN = 'COTERIE-PEKS-V01-CS01-with-BLS12381G1_XMD:SHA-256_SSWU_RO_'

async function run({ scale, seed }: RunOptions) {
  const { engine, counts, zero } = counting(await mclEngine())
  const random = seededBytes(seed)
  const words = wordList(WORDS[scale])
  const [reader, other] = [peksKeys(engine, random), peksKeys(engine, random)]
  const wanted = Array.from({ length: TRAPDOORS[scale] }, (_, place) => (place * 5) % words.length)
  const trapdoors = (keys: typeof reader) =>
    wanted.map(word => engine.decodeFirst(peksTrapdoor(engine, keys.secret, words[word]!))!)
  const [ones, others] = [trapdoors(reader), trapdoors(other)]
  const [key, otherKey] = [engine.decodeSecond(reader.publicKey)!, engine.decodeSecond(other.publicKey)!]
  zero()
  const table = new Map(
    words.map((word, place) => [engine.coefficients(engine.pair(engine.hashToFirst(word, DOMAIN), key)).join(), place]),
  )
  const found = ones.map(one => table.get(engine.coefficients(engine.pair(one, engine.secondGenerator)).join()))
  const pairings = counts.pair
  const isSame = (one: number, two: number) =>
    engine.coefficients(engine.pair(ones[one]!, otherKey)).join() ===
    engine.coefficients(engine.pair(others[two]!, key)).join()
  const places = wanted.map((_, place) => place)
  return {
    rows: [
      row(
        'trapdoors whose word the broker finds',
        share(found, (word, place) => word === wanted[place]),
        1,
        0,
      ),
      row(
        'pairings for all of them, beyond one a word and one a trapdoor',
        pairings - words.length - ones.length,
        0,
        0,
      ),
      row(
        'equal subscriptions of two readers that show',
        share(places, place => isSame(place, place)),
        1,
        0,
      ),
      row(
        'different ones that are taken for equal',
        share(places.slice(1), place => isSame(place - 1, place) && wanted[place - 1] !== wanted[place]),
        0,
        0,
      ),
    ],
    pictures: [],
    notes: ['So trapdoors are to be kept from whoever can list the words; peks is for keywords that cannot be listed.'],
  }
}

export const trapdoorInTheClear: Experiment = {
  name: 'errata-trapdoor-in-the-clear',
  title: 'Erratum: a trapdoor needs to be hidden from the broker, which is who has it',
  source: 'LECTURE, PEKS',
  run,
}
