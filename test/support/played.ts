// Runs by their addresses: levels, bugs of the zoo, and others; each has one hash, in every engine.

import { allPlaygrounds } from '../../src/play/all.ts'
import { playAddress } from '../../src/play/index.ts'
import { levels } from '../../src/play/levels.ts'
import { zoo } from '../../src/play/zoo.ts'

const PROTOCOLS = ['membership', 'election', 'centralised', 'token-ring']
/** Of the zoo: all would take minutes. */
const SPECIMENS = 6

/** Short ones: the test of the page has seconds, not minutes. */
export const PLAYED: readonly string[] = [
  ...levels.flatMap(({ attack }) => (attack === undefined ? [] : [attack])),
  'run=lock-printed.n6.b1.f1.s-duel&seed=2&say=server-6:ff',
  'run=lock-printed.n5.b1.f1.s-duel&seed=2&say=server-5:ff&do=hold:client-1>server-1%231:2000',
  'run=lock.n4.b1.f1.s-duel&seed=1&say=server-4:*h&do=drift:server-1*1.05;pause:client-1@2000+500000',
  ...PROTOCOLS.map(name => `run=${name}&seed=3`),
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
