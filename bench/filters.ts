// How fast the filters are: million elements a second, best and median of five, beside the thesis's table 3.6.
//
// The table gives times of C++ on another machine; what carries over is each structure's time as a multiple of the
// QHT's, so that is compared. Parameters are those of §3.8.2 at 1 Mbit. Seconds are of processor time. On a busy machine
// they still stretch, as two programs share a core: the best of five says what the code can do.

import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import {
  A2,
  BlockDecayingBloom,
  Bloom,
  Cuckoo,
  ExactWindow,
  type Filter,
  type HashOptions,
  QueuedQuotientHashTableWithDuplicates,
  QueueOf,
  QuotientHashTable,
  QuotientHashTableWithDuplicates,
  ShortHashFilter,
  StableBloom,
  StreamingQuotientFilter,
} from '../src/filters/index.ts'

const BITS = 1_000_000
const ROUNDS = 5
const CALLS = 2_000_000
const WARM_ROUNDS = 4
const WARM_CALLS = 400_000
const INTEGERS = 'integer keys'
/** First argument of the processes that measure one contender. */
const ONE = '--one-filter'
const KEY = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8)

interface Contender {
  readonly name: string
  readonly make: (hash: HashOptions) => Filter
  /** Time as a multiple of the QHT's: table 3.6; for the QQHTD (1.15 there, with one cell) 1.5. */
  readonly ratioMax?: number
}

const qht = { bits: BITS, cells: 1, fingerprintBits: 3 }
const CONTENDERS: readonly Contender[] = [
  { name: 'QHT k=1 s=3', make: hash => new QuotientHashTable({ ...qht, ...hash }), ratioMax: 1 },
  { name: 'QHTD k=1 s=3', make: hash => new QuotientHashTableWithDuplicates({ ...qht, ...hash }) },
  {
    name: 'QQHTD k=1 s=3',
    make: hash => new QueuedQuotientHashTableWithDuplicates({ ...qht, ...hash }),
    ratioMax: 1.5,
  },
  {
    name: 'QQHTD k=2 s=3',
    make: hash => new QueuedQuotientHashTableWithDuplicates({ ...qht, cells: 2, ...hash }),
    ratioMax: 1.5,
  },
  {
    name: 'QQHTD k=4 s=4',
    make: hash => new QueuedQuotientHashTableWithDuplicates({ bits: BITS, cells: 4, fingerprintBits: 4, ...hash }),
  },
  {
    name: 'QHT k=4 s=4',
    make: hash => new QuotientHashTable({ bits: BITS, cells: 4, fingerprintBits: 4, ...hash }),
  },
  {
    name: 'QHT k=4 s=4 semi-sorted',
    make: hash => new QuotientHashTable({ bits: BITS, cells: 4, fingerprintBits: 4, semiSort: true, ...hash }),
  },
  {
    name: 'SQF k=1 r=2',
    make: hash => new StreamingQuotientFilter({ bits: BITS, cells: 1, remainderBits: 2, reducedBits: 1, ...hash }),
    ratioMax: 0.423 / 0.288,
  },
  {
    name: 'Cuckoo k=1 s=3',
    make: hash => new Cuckoo({ bits: BITS, cells: 1, fingerprintBits: 3, ...hash }),
    ratioMax: 2.464 / 0.288,
  },
  {
    name: 'Stable Bloom d=2 K=2',
    make: hash => new StableBloom({ bits: BITS, cellBits: 2, hashes: 2, falsePositiveRate: 0.02, ...hash }),
    ratioMax: 1.578 / 0.288,
  },
  { name: 'A2 10 %', make: hash => new A2({ bits: BITS, falsePositiveRate: 0.1, ...hash }), ratioMax: 1.28 / 0.288 },
  {
    name: 'b_DBF w=6000',
    make: hash => new BlockDecayingBloom({ bits: BITS, window: 6000, ...hash }),
    ratioMax: 2.565 / 0.288,
  },
  { name: 'Bloom K=4', make: hash => new Bloom({ bits: BITS, hashes: 4, ...hash }) },
  { name: 'SHF w=10,000', make: hash => new ShortHashFilter({ bits: BITS, window: 10_000, ...hash }) },
  {
    name: 'SHF 64-bit, w=10,000',
    make: hash => new ShortHashFilter({ window: 10_000, hashBits: 64, ...hash }),
  },
  { name: 'Exact, w=10,000, 2^26', make: hash => new ExactWindow({ window: 10_000, alphabet: 2 ** 26, ...hash }) },
  {
    name: 'Queue of 10 QHT',
    make: hash =>
      new QueueOf({
        bits: BITS,
        window: 100_000,
        subfilters: 10,
        of: share => new QuotientHashTable({ ...share, cells: 1, fingerprintBits: 3 }),
        ...hash,
      }),
  },
]

interface Speed {
  readonly best: number
  readonly median: number
  readonly bytesPerCall: number
}

const KEYS = 1 << 20

function integerKeys(): Int32Array {
  const keys = new Int32Array(KEYS)
  for (let i = 0, state = 1; i < KEYS; i++) {
    state = (Math.imul(state, 1664525) + 1013904223) | 0
    keys[i] = state >>> 6
  }
  return keys
}

function byteKeys(integers: Int32Array): readonly Uint8Array[] {
  const many = 1 << 16
  const bytes = new Uint8Array(many * 16)
  new Int32Array(bytes.buffer).set(integers.subarray(0, many * 4))
  return Array.from({ length: many }, (_, i) => bytes.subarray(i * 16, i * 16 + 16))
}

function pass(filter: Filter, keys: Int32Array | readonly Uint8Array[], calls: number, offset: number): void {
  const mask = keys.length - 1
  if (keys instanceof Int32Array) for (let i = 0; i < calls; i++) filter.stream(keys[(i + offset) & mask]! ^ offset)
  else for (let i = 0; i < calls; i++) filter.stream(keys[(i + offset) & mask]!)
}

/** The offset changes the keys from round to round, so that the filter stays in its steady state. */
function measure(filter: Filter, keys: Int32Array | readonly Uint8Array[]): Speed {
  const speeds: number[] = []
  const growth: number[] = []
  for (let round = 0; round < WARM_ROUNDS; round++) pass(filter, keys, WARM_CALLS, round * 7_777_777)
  for (let round = 0; round < ROUNDS; round++) {
    collect()
    const heap = process.memoryUsage().heapUsed
    const start = processorSeconds()
    pass(filter, keys, CALLS, ((round + WARM_ROUNDS) * 7_777_777) & 0x3ffffff)
    speeds.push(CALLS / 1e6 / (processorSeconds() - start))
    growth.push((process.memoryUsage().heapUsed - heap) / CALLS)
  }
  speeds.sort((a, b) => b - a)
  growth.sort((a, b) => a - b)
  return { best: speeds[0]!, median: speeds[ROUNDS >> 1]!, bytesPerCall: growth[ROUNDS >> 1]! }
}

/**
 * Each contender has a process of its own. In one process the compiler would meet all structures at the same call, and
 * from the fifth on it would measure the look-up of the method instead of the method: a QHT loses a third of its speed.
 */
function measureApart(name: string, section: string): Speed {
  const file = fileURLToPath(import.meta.url)
  const child = spawnSync(process.execPath, [file, ONE, name, section], { encoding: 'utf8' })
  if (child.status !== 0) throw new Error(`${name}, ${section}: ${child.stderr}`)
  return JSON.parse(child.stdout) as Speed
}

async function measureHere(name: string, section: string): Promise<Speed> {
  if (section.startsWith('strings')) return measurePeer(name, Number(section.split(' ').at(-1)))
  const { make } = CONTENDERS.find(contender => contender.name === name)!
  const hash = section.startsWith('keyed') ? { key: KEY } : { hashing: 'unkeyed' as const }
  return measure(make(hash), section.endsWith(INTEGERS) ? integerKeys() : byteKeys(integerKeys()))
}

/** Time on the processor, not on the wall: what other programs take is not counted. */
function processorSeconds(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}

let collector: (() => void) | undefined
function collect(): void {
  if (collector === undefined) {
    setFlagsFromString('--expose-gc')
    collector = runInNewContext('gc') as () => void
  }
  collector()
}

/** One look-up, and an insertion when it was new. */
type StreamText = (text: string) => unknown

const PEER_HASHES = 4
const PEER_CALLS = 1_000_000
const PEER_SLOW_CALLS = 100_000
const TEXTS = 100_000
const TEXT_LENGTHS = [13, 63, 213]
const OURS = 'ours, keyed'

/** The same bits and the same hashes, so the same memory and error rate; each with its own types, or without. */
const PEERS: Readonly<Record<string, () => Promise<StreamText>>> = {
  [OURS]: async () => {
    const filter = new Bloom({ bits: BITS, hashes: PEER_HASHES, key: KEY })
    return text => filter.stream(text)
  },
  'ours, unkeyed': async () => {
    const filter = new Bloom({ bits: BITS, hashes: PEER_HASHES, hashing: 'unkeyed' })
    return text => filter.stream(text)
  },
  'bloom-filters': async () => {
    const { default: module } = await import('bloom-filters')
    const filter = new module.BloomFilter(BITS, PEER_HASHES)
    return text => filter.has(text) || filter.add(text)
  },
  bloomfilter: async () => {
    const { BloomFilter } = await import('bloomfilter')
    const filter = new BloomFilter(BITS, PEER_HASHES)
    return text => filter.test(text) || filter.add(text)
  },
}

const WHY_NOT_TEN = `
Ten times as fast as bloom-filters: yes. As bloomfilter: no, and nothing with a secret key will be. That package hashes
with FNV-1a: here a look-up takes it about 10 ns and 3.6 ns for each character. HalfSipHash ends with eight rounds of its
own, whatever the length: about 35 ns, and 2.6 ns for each character. So a string of 13 characters takes us a little
longer, one of 63 less. What the 25 ns buy is that nobody can choose strings that collide.`

/** Million strings a second, best and median of five. */
async function measurePeer(name: string, length: number): Promise<Speed> {
  const one = await PEERS[name]!()
  const texts = Array.from({ length: TEXTS }, (_, i) => `element-${i}`.padEnd(length, 'x'))
  const calls = name === 'bloom-filters' ? PEER_SLOW_CALLS : PEER_CALLS
  const speeds: number[] = []
  for (let round = 0; round < ROUNDS + 1; round++) {
    const start = processorSeconds()
    for (let pass = 0; pass < calls / TEXTS; pass++) for (const text of texts) one(text)
    if (round > 0) speeds.push(calls / 1e6 / (processorSeconds() - start))
  }
  speeds.sort((a, b) => b - a)
  return { best: speeds[0]!, median: speeds[ROUNDS >> 1]!, bytesPerCall: 0 }
}

function printPeers(print: (text: string) => void): Measured[] {
  print(`Bloom filters from npm, ${PEER_HASHES} hashes, 1 Mbit: million strings a second, best and median of ${ROUNDS}`)
  const measured: Measured[] = []
  for (const length of TEXT_LENGTHS) {
    const section = `strings of ${length}`
    print(section)
    let ours: Speed | undefined
    for (const name of Object.keys(PEERS)) {
      const speed = measureApart(name, section)
      ours ??= speed
      const ratio = name === OURS ? '' : `  ours, keyed, is ${(ours.best / speed.best).toFixed(2)} times as fast`
      print(`  ${name.padEnd(26)} ${speed.best.toFixed(2).padStart(7)} ${speed.median.toFixed(2).padStart(7)}${ratio}`)
      measured.push({ section, name, ...speed })
    }
  }
  print(WHY_NOT_TEN.trim())
  return measured
}

function line(name: string, speed: Speed, base: Speed, ratioMax?: number): string {
  const ratio = base.best / speed.best
  const verdict =
    ratioMax === undefined ? '' : `  limit ${ratioMax.toFixed(2)}${ratio > ratioMax * 1.02 ? '  SLOWER' : ''}`
  const numbers = `${speed.best.toFixed(1).padStart(7)} ${speed.median.toFixed(1).padStart(7)}`
  return `  ${name.padEnd(26)} ${numbers}  ${speed.bytesPerCall.toFixed(2).padStart(5)} B  ${ratio.toFixed(2).padStart(5)}× QHT${verdict}`
}

interface Measured extends Speed {
  readonly section: string
  readonly name: string
}

export async function run(
  print: (text: string) => void = console.log,
  args: readonly string[] = [],
): Promise<Measured[]> {
  const peers = printPeers(print)
  return args.includes('--peers') ? peers : [...printFilters(print), ...peers]
}

function printFilters(print: (text: string) => void): Measured[] {
  const measured: Measured[] = []
  print(`Million elements a second at 1 Mbit: best and median of ${ROUNDS}, heap growth per call, time against the QHT`)
  for (const section of [
    `keyed, ${INTEGERS}`,
    'keyed, 16-byte keys',
    `unkeyed, ${INTEGERS}`,
    'unkeyed, 16-byte keys',
  ]) {
    const isInteger = section.endsWith(INTEGERS)
    print(section)
    let base: Speed | undefined
    for (const { name, ratioMax } of CONTENDERS) {
      if (!isInteger && name.startsWith('Exact')) continue
      const speed = measureApart(name, section)
      base ??= speed
      print(line(name, speed, base, isInteger ? ratioMax : undefined))
      measured.push({ section, name, ...speed })
    }
  }
  return measured
}

if (process.argv[2] === ONE) {
  console.log(JSON.stringify(await measureHere(process.argv[3]!, process.argv[4]!)))
  process.exit()
}
if (process.argv[1] === fileURLToPath(import.meta.url)) await run()
