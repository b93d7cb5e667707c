// What equal tags give away: a broker that knows how popular each topic is sorts the tags of an epoch by how often they came,
// and names them by rank. Tagged mode against counted mode, in which no tag comes twice.

import { seededRandom } from '../../../src/core/index.ts'
import { idealCiphers } from '../../../src/crypto/index.ts'
import { countedTag, epochKeys, lettersOf, secretRules, tagOf, trapdoorOf } from '../../../src/events/secret/index.ts'
import { type Experiment, type Row, type RunOptions, row } from '../../experiment.ts'
import { seededBytes, wordList } from './words.ts'

const TOPICS = 1_000
/** Events an epoch, and the share that rank matching names: by a run of its own, with another generator. */
const EXPECTED: readonly (readonly [number, number])[] = [
  [100, 21],
  [1_000, 31],
  [10_000, 41],
  [100_000, 48],
]
const EPOCHS: Readonly<Record<number, number>> = { 100: 60, 1000: 12, 10000: 3, 100000: 1 }
const TOLERANCE = 4
const SIZES = { small: 3, full: 4 }

/** Of events, which are named rightly when the k-th most frequent tag is taken for the k-th most popular topic. */
function named(events: readonly number[], tags: readonly string[]): number {
  const counts = new Map<string, number>()
  for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  const ranks = new Map([...counts].sort((one, other) => other[1] - one[1]).map(([tag], rank) => [tag, rank]))
  // Where nothing repeats there are no ranks: the best guess is the most popular topic, always.
  const isBlind = counts.size === tags.length
  return events.filter((topic, at) => (isBlind ? 0 : ranks.get(tags[at]!)) === topic).length / events.length
}

function run({ scale, seed, progress }: RunOptions) {
  const random = seededRandom(seed, 0xe9)
  const bytes = seededBytes(seed)
  const words = wordList(TOPICS)
  const ciphers = idealCiphers()
  const channel = { group: 'lab', name: 'channel', id: bytes(16) }
  const weights = words.map((_, rank) => 1 / (rank + 1))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  const draw = () => {
    let left = (random.below(2 ** 30) / 2 ** 30) * total
    let topic = 0
    while (left >= weights[topic]! && topic < TOPICS - 1) left -= weights[topic++]!
    return topic
  }
  const rows: Row[] = []
  for (const [size, expected] of EXPECTED.slice(0, SIZES[scale])) {
    progress(size / 100_000, `${size} events an epoch`)
    let [tagged, counted] = [0, 0]
    const epochs = EPOCHS[size]!
    for (let epoch = 1; epoch <= epochs; epoch++) {
      const keys = epochKeys(secretRules, channel, epoch, 'tagged', bytes(32))
      const events = Array.from({ length: size }, draw)
      const tags = words.map(word => lettersOf(tagOf(keys, word)))
      tagged +=
        named(
          events,
          events.map(topic => tags[topic]!),
        ) / epochs
      const used = new Map<number, number>()
      const trapdoors = words.map(word => trapdoorOf(keys, 'author', 0, word))
      const counts = events.map(topic => {
        const count = used.get(topic) ?? 0
        used.set(topic, count + 1)
        return lettersOf(countedTag(ciphers, secretRules, trapdoors[topic]!, epoch, count))
      })
      counted += named(events, counts) / epochs
    }
    const what = `${size.toLocaleString('en-US')} events an epoch`
    rows.push(row(`${what}, tagged: named by rank`, 100 * tagged, expected, TOLERANCE, '%'))
    rows.push(row(`${what}, counted: named`, 100 * counted, 100 / total, TOLERANCE, '%'))
  }
  return {
    rows,
    pictures: [],
    notes: [
      `${TOPICS} topics whose popularity falls as one over the rank; blind guessing names ${(100 / total).toFixed(1)} %.`,
    ],
  }
}

export const equalityLeak: Experiment = {
  name: 'equality-leak',
  title: 'What a broker learns from equal tags, by how popular topics are',
  source: 'LECTURE, PEKS; protocols/secret-events 4',
  run,
}
