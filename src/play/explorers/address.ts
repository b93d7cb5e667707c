// A walk through a small system as an address: what is explored, and the number of each choice that was taken.
//
//   #v=1&walk=lock.no-drift-factor&go=0.0.0.2.2.1.3.3.3.1.3&at=7&h=a0308ae8
//
// As with a run, any text may come in: it is decoded within the limits, or refused with a sentence.

import { shown } from '../../simulator/acts.ts'
import { ADDRESS_MAX, Walk } from '../../simulator/index.ts'
import { readFields, whole } from '../../simulator/permalink.ts'
import type { Explorer } from './explorer.ts'

/** Everything that decides a walk. */
export interface WalkSpec {
  readonly protocol: string
  /** A small system of it, or a planted bug. */
  readonly system: string
  readonly steps: readonly number[]
  /** Where the reader stands: a place in the trace. */
  readonly at?: number
  /** The first eight digits of its hash when the address was made. */
  readonly hash?: string
}

/** Longer ones nobody follows; the longest story found has some twenty steps. */
export const WALK_STEPS_MAX = 500
/** Of what can happen at one step: where dice are thrown there are thousands. */
const CHOICE_MAX = 1_000_000
const FIELDS = ['v', 'walk', 'go', 'at', 'h']

/** Whether a fragment or an address names a walk. */
export function isWalk(text: string): boolean {
  return /(?:^|[#&])walk=/.test(text)
}

/** The text after the `#`, without it. */
export function encodeWalk({ protocol, system, steps, at, hash }: WalkSpec): string {
  const fields: readonly (readonly [string, string | number | undefined])[] = [
    ['v', 1],
    ['walk', `${protocol}.${system}`],
    ['go', steps.length === 0 ? undefined : steps.join('.')],
    ['at', at],
    ['h', hash],
  ]
  return fields.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`])).join('&')
}

/** The walk that this text names, or a sentence. Never throws. */
export function decodeWalk(text: string): WalkSpec | string {
  if (text.length > ADDRESS_MAX) return `the address has ${text.length} letters; ${ADDRESS_MAX} are the most.`
  const fields = readFields(text.slice(text.indexOf('#') + 1), FIELDS)
  if (typeof fields === 'string') return fields
  const version = fields.get('v') ?? '1'
  if (version !== '1') return `the address has form ${shown(version)}; this build reads form 1.`
  const named = /^([a-z][a-z-]{0,39})\.([a-z0-9][a-z0-9-]{0,59})$/.exec(fields.get('walk') ?? '')
  if (named === null) return `'${shown(fields.get('walk') ?? '')}' names no small system: lock.list, for example.`
  const steps = readSteps(fields.get('go'))
  if (typeof steps === 'string') return steps
  const at = fields.get('at')
  const place = at === undefined ? undefined : whole(at, 1_000_000)
  if (at !== undefined && place === undefined) return `the place '${shown(at)}' is no whole number.`
  const hash = fields.get('h')
  if (hash !== undefined && !/^[0-9a-f]{8}$/.test(hash))
    return `the hash '${shown(hash)}' is not eight digits 0–9 and a–f.`
  const [, protocol, system] = named as unknown as [string, string, string]
  return { protocol, system, steps, ...(place !== undefined && { at: place }), ...(hash !== undefined && { hash }) }
}

function readSteps(text: string | undefined): readonly number[] | string {
  if (text === undefined || text === '') return []
  const steps = text.split('.').map(part => whole(part, CHOICE_MAX))
  if (steps.includes(undefined))
    return `'${shown(text)}' are no steps: numbers with full stops between them, like 0.3.1.`
  if (steps.length > WALK_STEPS_MAX) return `${steps.length} steps are taken; ${WALK_STEPS_MAX} are the most.`
  return steps as number[]
}

/** The walk itself; or a sentence that says why it cannot be taken. */
export function walkAmong(explorers: readonly Explorer[], { protocol, system, steps }: WalkSpec): Walk | string {
  const explorer = explorers.find(each => each.protocol === protocol)
  if (explorer === undefined) {
    return `there is nothing to walk through called '${protocol}'; there is: ${explorers.map(each => each.protocol).join(', ')}.`
  }
  const named = explorer.system(system)
  if (named === undefined) return `${protocol} has no small system and no planted bug '${system}'.`
  const walk = new Walk(named, steps)
  if (walk.steps.length === steps.length) return walk
  const place = walk.steps.length
  return `step ${place + 1} of the address is choice ${steps[place]}, and there are ${walk.next.length}: it was made by another version, or goes on after a broken promise.`
}

/** What came of a walk, in one line. */
export function walkVerdict({ broken, steps, next }: Walk): string {
  if (broken !== undefined) return `broken: ${broken.property}`
  return `no promise was broken in ${steps.length} steps${next.length === 0 ? ', and nothing more can happen' : ''}`
}

/** What is said of a walk whose hash is not that of its address. */
export function walkNote({ hash }: WalkSpec, walk: Walk): string | undefined {
  return hash === undefined || walk.hash.startsWith(hash)
    ? undefined
    : 'made by another version; this build goes another way.'
}
