// LECTURE, "PEKS": a broker that has trapdoors and a list of words. Of PEKS it finds the words with public values alone; of
// tags under a shared key it finds none, unless somebody gives it the key.

import { mclEngine, peksGuess, peksKeys, peksTrapdoor } from '../../../src/crypto/peks/index.ts'
import { epochKeys, lettersOf, secretRules, tagOf } from '../../../src/events/secret/index.ts'
import { type Experiment, type RunOptions, row } from '../../experiment.ts'
import { seededBytes, share, wordList } from './words.ts'

const WORDS = { small: 24, full: 200 }
const TRAPDOORS = { small: 4, full: 20 }

async function run({ scale, seed, progress }: RunOptions) {
  const engine = await mclEngine()
  const random = seededBytes(seed)
  const words = wordList(WORDS[scale])
  const wanted = Array.from({ length: TRAPDOORS[scale] }, (_, place) => (place * 7) % words.length)
  const { secret, publicKey } = peksKeys(engine, random)
  const key = engine.decodeSecond(publicKey)!
  const guessed = wanted.map((word, place) => {
    progress(place / wanted.length, 'guessing')
    const trapdoor = engine.decodeFirst(peksTrapdoor(engine, secret, words[word]!))!
    return words.findIndex(guess => peksGuess(engine, key, trapdoor, guess))
  })
  const channel = { group: 'lab', name: 'channel', id: random(16) }
  const keysOf = (from: Uint8Array) => epochKeys(secretRules, channel, 1, 'tagged', from)
  const epochKey = random(32)
  const tags = wanted.map(word => lettersOf(tagOf(keysOf(epochKey), words[word]!)))
  const found = (guess: Uint8Array) => {
    const table = new Map(words.map((word, place) => [lettersOf(tagOf(keysOf(guess), word)), place]))
    return share(tags, (tag, place) => table.get(tag) === wanted[place])
  }
  return {
    rows: [
      row(
        'trapdoors of PEKS whose word is found, by public values',
        share(guessed, (word, at) => word === wanted[at]),
        1,
        0,
      ),
      row('tags whose word is found, with another key', found(random(32)), 0, 0),
      row('tags whose word is found, with no key at all', found(new Uint8Array(32)), 0, 0),
      row("the same, with the epoch's key", found(epochKey), 1, 0),
    ],
    pictures: [],
    notes: ['One table of pairings serves all trapdoors of a key: errata-trapdoor-in-the-clear.'],
  }
}

export const keywordGuessing: Experiment = {
  name: 'keyword-guessing',
  title: 'Guessing keywords from a list: trapdoors of PEKS against tags under a key',
  source: 'LECTURE, PEKS',
  run,
}
