// LECTURE, "PEKS": a broker that has trapdoors and a list of words. Of PEKS it finds the words with public values alone; of
// tags under a shared key it finds none, unless somebody gives it the key.

import { mclEngine, peksGuess, peksKeys, peksTrapdoor } from '../../../src/crypto/peks/index.ts'
import { epochKeys, lettersOf, secretRules, tagOf } from '../../../src/events/secret/index.ts'
import { type Experiment, type RunOptions, row } from '../../experiment.ts'
import { seededBytes, share, wordList } from './words.ts'

const WORDS = { small: 24, full: 200 }
const TRAPDOORS = { small: 4, full: 20 }
/** Words of a list that somebody would really try. */
const MANY = 10_000
/** Guesses at a tag by which its rate is measured, with the key. */
const TIMED = { small: 2_000, full: 100_000 }

/** Milliseconds of the processor. */
function spent<Result>(work: () => Result): { readonly found: Result; readonly ms: number } {
  const began = process.cpuUsage()
  const found = work()
  const { user, system } = process.cpuUsage(began)
  return { found, ms: (user + system) / 1_000 }
}

async function run({ scale, seed, progress }: RunOptions) {
  const engine = await mclEngine()
  const random = seededBytes(seed)
  const words = wordList(WORDS[scale])
  const wanted = Array.from({ length: TRAPDOORS[scale] }, (_, place) => (place * 7) % words.length)
  const { secret, publicKey } = peksKeys(engine, random)
  const key = engine.decodeSecond(publicKey)!
  let guesses = 0
  const { found: guessed, ms } = spent(() =>
    wanted.map((word, place) => {
      progress(place / wanted.length, 'guessing')
      const trapdoor = engine.decodeFirst(peksTrapdoor(engine, secret, words[word]!))!
      const isIt = (guess: Uint8Array) => {
        guesses++
        return peksGuess(engine, key, trapdoor, guess)
      }
      return words.findIndex(isIt)
    }),
  )
  const channel = { group: 'lab', name: 'channel', id: random(16) }
  const keysOf = (from: Uint8Array) => epochKeys(secretRules, channel, 1, 'tagged', from)
  const epochKey = random(32)
  const tags = wanted.map(word => lettersOf(tagOf(keysOf(epochKey), words[word]!)))
  const found = (guess: Uint8Array) => {
    const table = new Map(words.map((word, place) => [lettersOf(tagOf(keysOf(guess), word)), place]))
    return share(tags, (tag, place) => table.get(tag) === wanted[place])
  }
  const keyed = keysOf(epochKey)
  const tagging = spent(() => {
    for (let at = 0; at < TIMED[scale]; at++) tagOf(keyed, words[at % words.length]!)
  })
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
      row('guesses at a trapdoor, a second', (1_000 * guesses) / ms, null, null),
      row(`seconds for ${MANY.toLocaleString('en-US')} words`, (MANY * ms) / guesses / 1_000, null, null, 's'),
      row("guesses at a tag with the epoch's key, a second", (1_000 * TIMED[scale]) / tagging.ms, null, null),
    ],
    pictures: [],
    notes: [
      'One table of pairings serves all trapdoors of a key: errata-trapdoor-in-the-clear.',
      'Rates are of one core and depend on the machine: they are not judged. The construction (protocols/events H6.7) had 242 guesses a second at a trapdoor, so 41 s for 10,000 words, and 262,000 a second at a tag with the key.',
    ],
  }
}

export const keywordGuessing: Experiment = {
  name: 'keyword-guessing',
  title: 'Guessing keywords from a list: trapdoors of PEKS against tags under a key',
  source: 'LECTURE, PEKS',
  run,
}
