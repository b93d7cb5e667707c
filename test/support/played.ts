// Runs by their addresses: attacks on levels, lessons, bugs of the zoo, and others; each comes to one hash and one verdict, in
// every engine.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pinnedAddresses, pinnedWalks } from '../../src/play/addresses.ts'
import { allPlaygrounds } from '../../src/play/all.ts'
import { decodeWalk, isWalk, walkAmong, walkVerdict } from '../../src/play/explorers/address.ts'
import { allExplorers } from '../../src/play/explorers/all.ts'
import { playAddress } from '../../src/play/index.ts'
import { readLesson } from '../../src/play/lessons.ts'
import { levels } from '../../src/play/levels.ts'
import { verdictOf } from '../../src/play/verdict.ts'
import { zoo } from '../../src/play/zoo.ts'
import { isLong } from './long.ts'

const LESSONS = join(import.meta.dirname, '../../docs/lessons')
/** Of the zoo and of the others: all take a minute in each browser (`COTERIE_LONG=1`). */
const SPECIMENS = isLong ? zoo.length : 12
const EVERY = isLong ? 1 : 2

/** What a run came to. */
export interface Outcome {
  readonly hash: string
  readonly verdict: string
}

function lessonAddresses(): string[] {
  const files = readdirSync(LESSONS).filter(file => /^\d/.test(file))
  const read = files.map(file => readLesson(readFileSync(join(LESSONS, file), 'utf8')))
  return read.flatMap(lesson => (typeof lesson === 'string' ? [] : [lesson.address]))
}

/** The addresses that are tried. */
export const PLAYED: readonly string[] = [
  ...levels.flatMap(({ start, attack }) => (attack === undefined ? [start] : [start, attack])),
  'run=lock.n4.b1.f1.s-duel&seed=1&say=server-4:*h&do=drift:server-1*1.05;pause:client-1@2000+500000',
  ...pinnedAddresses.filter((_, place) => place % EVERY === 0),
  ...lessonAddresses(),
  ...pinnedWalks,
  ...zoo.slice(0, SPECIMENS).map(({ address }) => address),
]

/** What they come to in Node. */
export function outcomesInNode(addresses: readonly string[]): (Outcome | string)[] {
  return addresses.map(address => {
    if (isWalk(address)) return walkInNode(address)
    const play = playAddress(address, allPlaygrounds)
    if (typeof play === 'string') return play
    play.toEnd()
    return { hash: play.hash, verdict: verdictOf(play) }
  })
}

function walkInNode(address: string): Outcome | string {
  const spec = decodeWalk(address)
  const walk = typeof spec === 'string' ? spec : walkAmong(allExplorers, spec)
  return typeof walk === 'string' ? walk : { hash: walk.hash, verdict: walkVerdict(walk) }
}

/** Addresses whose own hash is not that of their run. */
export function otherThanCarried(addresses: readonly string[], outcomes: readonly (Outcome | string)[]): string[] {
  return addresses.filter((address, place) => {
    const carried = /[#&]h=([0-9a-f]{8})/.exec(address)?.[1]
    const outcome = outcomes[place]
    if (outcome === undefined || typeof outcome === 'string') return true
    return carried !== undefined && !outcome.hash.startsWith(carried)
  })
}
