// A run as an address. Everything that decides it is in the text: what is run and how large, the seed, what of the drawn acts
// is kept, what the visitor did and what the traitor said.
//
//   #v=1&run=lock-printed.n5.b1.f1.duel&seed=1&only=3,4&do=hold:client-1>server-1#1:2000&say=server-5:ff&at=30&h=ba3d029b
//
// Any text may come in: it is decoded to a run within the limits, or refused with a sentence. `h` begins the hash of the trace,
// so that an old address on a build that runs otherwise says so, and never silently tells another story.

import type { NodeId } from '../core/index.ts'
import { actText, isNodeName, type ManualAct, readAct, shown } from './acts.ts'

/** What is run: a playground, by name, with its size. */
export interface RunName {
  /** Of the playground: lock, lock-printed, ordering, … */
  readonly name: string
  /** n */
  readonly servers?: number
  /** b */
  readonly liars?: number
  /** f, liars included. */
  readonly crashes?: number
  /** A small set piece of the playground instead of what the seed draws: `duel`. */
  readonly story?: string
  /** A planted bug, by name. */
  readonly bug?: string
}

/** What a traitor says, one word for each question. A word is a letter of its palette, or `~` and a message's bytes. */
export interface Script {
  readonly words: readonly string[]
  /** The word for every question after the last; left out, the run stops there and asks. */
  readonly always?: string
}

/** Everything that decides a run. */
export interface RunSpec {
  readonly run: RunName
  readonly seed: number
  /** The network loses, repeats and reorders nothing. */
  readonly calm?: true
  /** Of what the seed draws, only these, by number: acts first, then faults. */
  readonly only?: readonly number[]
  readonly acts: readonly ManualAct[]
  /** Who lies by the visitor's words. */
  readonly say: Readonly<Record<NodeId, Script>>
  /** Where the cursor stands: a place in the trace. */
  readonly at?: number
  /** The first eight digits of the trace's hash when the address was made. */
  readonly hash?: string
  /** The build that made it. */
  readonly build?: string
}

/** A run, or a sentence that says why the text is none. */
export type DecodedRun =
  | { readonly ok: true; readonly spec: RunSpec }
  | { readonly ok: false; readonly refusal: string }

/** Acts of a visitor in one run. */
export const ACTS_MAX = 500
/** Words of one traitor. */
export const WORDS_MAX = 500
/** Of servers or members in a run that is played. */
export const NODES_MAX = 12
/** Drawn acts and faults that can be named. */
const ONLY_MAX = 5_000
const TRAITORS_MAX = 4
/** Of one word that was edited freely. */
const WORD_LETTERS_MAX = 4_096
/** Of a whole address. 500 acts of the longest names are less. */
export const ADDRESS_MAX = 131_072
/** Longer ones are better sent packed (`pack`). */
export const ADDRESS_PLAIN_MAX = 1_800
/** The largest seed, as of `coterie sim`. */
const SEED_MAX = 2 ** 32 - 1

/** The text after the `#`, without it. */
export function encodeRun(spec: RunSpec): string {
  const { seed, calm, only, acts, say, at, hash, build } = spec
  const fields: (readonly [name: string, value: string | number] | undefined)[] = [
    ['v', 1],
    ['run', runText(spec.run)],
    ['seed', seed],
    calm && ['calm', 1],
    only && ['only', only.join(',') || 'none'],
    acts.length > 0 ? ['do', acts.map(actText).join(';')] : undefined,
    Object.keys(say).length > 0 ? ['say', Object.entries(say).map(scriptText).join(',')] : undefined,
    at === undefined ? undefined : ['at', at],
    hash === undefined ? undefined : ['h', hash],
    build === undefined ? undefined : ['c', build],
  ]
  return fields.flatMap(field => (field === undefined ? [] : [`${field[0]}=${field[1]}`])).join('&')
}

/** `lock-printed.n5.b1.f1.duel` */
export function runText({ name, servers, liars, crashes, story, bug }: RunName): string {
  const sizes = [
    servers === undefined ? [] : [`n${servers}`],
    liars === undefined ? [] : [`b${liars}`],
    crashes === undefined ? [] : [`f${crashes}`],
    story === undefined ? [] : [`s-${story}`],
    bug === undefined ? [] : [`x-${bug}`],
  ]
  return [name, ...sizes.flat()].join('.')
}

function scriptText([node, { words, always }]: readonly [NodeId, Script]): string {
  return `${node}:${words.map(wordText).join('')}${always === undefined ? '' : `*${wordText(always)}`}`
}

// A free word ends with a full stop: its letters are those of words too.
function wordText(word: string): string {
  return word.startsWith('~') ? `${word}.` : word
}

/** The run that this text names: of a whole address, what follows the first `#`. Never throws. */
export function decodeRun(text: string): DecodedRun {
  const refusal = { ok: false } as const
  if (text.length > ADDRESS_MAX) {
    return { ...refusal, refusal: `the address has ${text.length} letters; ${ADDRESS_MAX} are the most.` }
  }
  const mark = text.indexOf('#')
  const isAddress = mark >= 0 && !/^(?:v|run|z)=/.test(text)
  const fields = readFields(isAddress ? text.slice(mark + 1) : text.replace(/^#/, ''))
  if (typeof fields === 'string') return { ...refusal, refusal: fields }
  const spec = readSpec(fields)
  return typeof spec === 'string' ? { ...refusal, refusal: spec } : { ok: true, spec }
}

const FIELDS = ['v', 'run', 'seed', 'calm', 'only', 'do', 'say', 'at', 'h', 'c']

/** The fields of an address, each at most once; or a sentence. */
export function readFields(text: string, known: readonly string[] = FIELDS): Map<string, string> | string {
  const fields = new Map<string, string>()
  for (const part of text.split('&').filter(Boolean)) {
    const equals = part.indexOf('=')
    const name = part.slice(0, Math.max(0, equals))
    if (!known.includes(name))
      return `'${shown(part)}' is nothing that an address of a run has; it has ${known.join(', ')}.`
    if (fields.has(name)) return `the address says '${name}' twice.`
    try {
      fields.set(name, decodeURIComponent(part.slice(equals + 1)))
    } catch {
      return `'${shown(part)}' has a percent sign that stands for no letter.`
    }
  }
  return fields
}

function readSpec(fields: ReadonlyMap<string, string>): RunSpec | string {
  const version = fields.get('v') ?? '1'
  if (version !== '1') return `the address has form ${shown(version)}; this build reads form 1.`
  const runField = fields.get('run')
  if (runField === undefined) return 'the address does not say what to run: run=lock, for example.'
  const run = readRunName(runField)
  if (typeof run === 'string') return run
  const seed = whole(fields.get('seed') ?? '1', SEED_MAX)
  if (seed === undefined) return `the seed '${shown(fields.get('seed')!)}' is no whole number up to ${SEED_MAX}.`
  const only = readOnly(fields.get('only'))
  if (typeof only === 'string') return only
  const acts = readActs(fields.get('do'))
  if (typeof acts === 'string') return acts
  const say = readSay(fields.get('say'))
  if (typeof say === 'string') return say
  const rest = readRest(fields)
  if (typeof rest === 'string') return rest
  return { run, seed, ...only, acts, say, ...rest }
}

function readRest(fields: ReadonlyMap<string, string>): Pick<RunSpec, 'calm' | 'at' | 'hash' | 'build'> | string {
  const [calm, at, hash, build] = ['calm', 'at', 'h', 'c'].map(name => fields.get(name))
  if (calm !== undefined && calm !== '1') return `calm is '${shown(calm)}'; it can only be 1.`
  const place = at === undefined ? undefined : whole(at, 10_000_000)
  if (at !== undefined && place === undefined) return `the place '${shown(at)}' is no whole number.`
  if (hash !== undefined && !/^[0-9a-f]{8}$/.test(hash))
    return `the hash '${shown(hash)}' is not eight digits 0–9 and a–f.`
  if (build !== undefined && !/^[A-Za-z0-9.+-]{1,40}$/.test(build)) return `the build '${shown(build)}' is no version.`
  return {
    ...(calm === undefined ? {} : { calm: true }),
    ...(place === undefined ? {} : { at: place }),
    ...(hash === undefined ? {} : { hash }),
    ...(build === undefined ? {} : { build }),
  }
}

/** What is run, from its text form, or a sentence. */
export function readRunName(text: string): RunName | string {
  const [name, ...parts] = text.split('.') as [string, ...string[]]
  if (!/^[a-z][a-z-]{0,39}$/.test(name)) return `'${shown(name)}' is no name of something to run.`
  const found: Record<string, string | number> = {}
  for (const part of parts) {
    const match = /^(?:([nbf])(\d{1,2})|([sx])-([a-z0-9][a-z0-9-]{0,59}))$/.exec(part)
    if (match === null) {
      return `'${shown(part)}' is no size of a run; sizes are n, b and f with a number, s- and a story, x- and a bug.`
    }
    const field = runFields[match[1] ?? match[3]!]!
    if (field in found) return `'${shown(text)}' says '${match[1] ?? match[3]}' twice.`
    if (match[1] !== undefined && whole(match[2]!, NODES_MAX) === undefined) {
      return `'${shown(part)}' is too large or not a plain number: a run that is played has ${NODES_MAX} servers at most.`
    }
    found[field] = match[1] === undefined ? match[4]! : Number(match[2])
  }
  return { name, ...found }
}

const runFields: Readonly<Record<string, string>> = { n: 'servers', b: 'liars', f: 'crashes', s: 'story', x: 'bug' }

function readOnly(text: string | undefined): { only?: readonly number[] } | string {
  if (text === undefined) return {}
  if (text === 'none') return { only: [] }
  const numbers = text.split(',').map(part => whole(part, ONLY_MAX))
  if (numbers.length > ONLY_MAX || numbers.includes(undefined)) {
    return `'${shown(text)}' is no list of numbers up to ${ONLY_MAX}, like 3,4 or none.`
  }
  return { only: numbers as number[] }
}

function readActs(text: string | undefined): readonly ManualAct[] | string {
  if (text === undefined) return []
  const parts = text.split(';').filter(Boolean)
  if (parts.length > ACTS_MAX) return `the address has ${parts.length} acts; ${ACTS_MAX} are the most.`
  const acts: ManualAct[] = []
  for (const part of parts) {
    const act = readAct(part)
    if (typeof act === 'string') return act
    acts.push(act)
  }
  return acts
}

function readSay(text: string | undefined): Readonly<Record<NodeId, Script>> | string {
  const say: Record<NodeId, Script> = {}
  for (const part of (text ?? '').split(',').filter(Boolean)) {
    const colon = part.indexOf(':')
    const node = part.slice(0, Math.max(0, colon))
    if (!isNodeName(node)) return `'${shown(part)}' does not say who speaks: server-5:ff, for example.`
    if (Object.hasOwn(say, node)) return `${node} speaks twice in the address.`
    const script = readScript(part.slice(colon + 1))
    if (typeof script === 'string') return script
    say[node] = script
  }
  if (Object.keys(say).length > TRAITORS_MAX) return `more than ${TRAITORS_MAX} traitors cannot be played.`
  return say
}

function readScript(text: string): Script | string {
  if (!/^(?:[a-z-]|~[A-Za-z0-9_-]*\.)*(?:\*(?:[a-z-]|~[A-Za-z0-9_-]*\.))?$/.test(text)) {
    return `'${shown(text)}' are no words; a word is a letter, or ~ with a message's bytes and a full stop.`
  }
  const found = (text.match(/~[^.]*\.|\*|[a-z-]/g) ?? []).map(word => word.replace(/\.$/, ''))
  const star = found.indexOf('*')
  const words = star < 0 ? found : found.slice(0, star)
  if (words.length > WORDS_MAX) return `${words.length} words are said; ${WORDS_MAX} are the most.`
  if (found.some(word => word.length > WORD_LETTERS_MAX)) return `a word is longer than ${WORD_LETTERS_MAX} letters.`
  return star < 0 ? { words } : { words, always: found[star + 1]! }
}

/** A plain whole number up to a largest one. */
export function whole(text: string, max: number): number | undefined {
  const value = Number(text)
  return /^(0|[1-9]\d{0,15})$/.test(text) && value <= max ? value : undefined
}
