// Runs by their addresses: attacks on levels, lessons, bugs of the zoo, and others; each has one hash, in every engine.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { allPlaygrounds } from '../../src/play/all.ts'
import { playAddress } from '../../src/play/index.ts'
import { readLesson } from '../../src/play/lessons.ts'
import { levels } from '../../src/play/levels.ts'
import { zoo } from '../../src/play/zoo.ts'

const LESSONS = join(import.meta.dirname, '../../docs/lessons')
/** Of the zoo: all take half a minute in each browser (`COTERIE_LONG=1`). */
const SPECIMENS = process.env.COTERIE_LONG ? zoo.length : 6
const OTHERS = process.env.COTERIE_LONG
  ? ['lock', 'lock-printed', 'redlock', 'ordering', 'membership', 'election', 'slots', 'ricart-agrawala', 'token-ring']
  : ['centralised', 'decentralised']

function lessonAddresses(): string[] {
  const files = readdirSync(LESSONS).filter(file => /^\d/.test(file))
  const read = files.map(file => readLesson(readFileSync(join(LESSONS, file), 'utf8')))
  return read.flatMap(lesson => (typeof lesson === 'string' ? [] : [lesson.address]))
}

export const PLAYED: readonly string[] = [
  ...levels.flatMap(({ start, attack }) => (attack === undefined ? [start] : [start, attack])),
  'run=lock-printed.n5.b1.f1.s-duel&seed=2&say=server-5:ff&do=hold:client-1>server-1%231:2000',
  'run=lock.n4.b1.f1.s-duel&seed=1&say=server-4:*h&do=drift:server-1*1.05;pause:client-1@2000+500000',
  ...OTHERS.map(name => `run=${name}&seed=3`),
  ...lessonAddresses(),
  ...zoo.slice(0, SPECIMENS).map(({ address }) => address),
]

export function hashesInNode(addresses: readonly string[]): string[] {
  return addresses.map(address => {
    const play = playAddress(address, allPlaygrounds)
    if (typeof play === 'string') return play
    play.toEnd()
    return play.hash
  })
}

/** Addresses whose own hash is not that of their run. */
export function otherThanCarried(addresses: readonly string[], hashes: readonly string[]): string[] {
  return addresses.filter((address, place) => {
    const carried = /[#&]h=([0-9a-f]{8})/.exec(address)?.[1]
    return carried !== undefined && !hashes[place]?.startsWith(carried)
  })
}
