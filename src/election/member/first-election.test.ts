// A cold start: sixteen members come one after the other, each hears of the others by gossip, a while later and each at
// its own time. Simulated; the group has nobody to begin with.

import { describe, expect, it } from 'vitest'
import { sized } from '../../../test/support/long.ts'
import { encode, seededRandom } from '../../core/index.ts'
import { idealSealing } from '../../crypto/ideal-sealing.ts'
import { idealSignatures } from '../../crypto/index.ts'
import { calm, World } from '../../simulator/index.ts'
import { firstElectorate } from '../count/electorate.ts'
import { type Attribute, type ElectionSettings, electionDefaults } from '../settings.ts'
import { electionRecord, electionVocabulary } from '../wire.ts'
import type { ElectionEvent } from './commands.ts'
import { election } from './machine.ts'

const MEMBERS = 16
const MILLISECOND = 1_000
/** Within what time the members come, and what is said of one reaches each other one. */
const COMING = 2_000 * MILLISECOND
const GOSSIP = 400 * MILLISECOND
const attributes: readonly Attribute[] = ['distance', 'load', 'heat'].map(name => {
  return { name, best: 'small', tolerance: 0 }
})

interface Start {
  /** The term that was led first: how many were used. */
  readonly term: number
  /** From when a quorum was there until somebody led. */
  readonly millis: number
}

function coldStart(seed: number, change: Partial<ElectionSettings>): Start {
  const world = new World({ seed, network: calm })
  const random = seededRandom(seed)
  const signatures = idealSignatures()
  const sealing = idealSealing()
  const ids = Array.from({ length: MEMBERS }, (_, place) => `m${String(place).padStart(2, '0')}`)
  const electorate = firstElectorate(
    ids.map(id => ({ id, key: signatures.signer(id).publicKey, sealKey: sealing(id).publicKey })),
  )
  const saved = new Map([['', [encode(electionRecord, { kind: 'first', electorate })]]])
  const settings: ElectionSettings = { ...electionDefaults, attributes, ...change }
  const begun = new Map(ids.map(id => [id, random.below(COMING)]))
  const rows = new Map(ids.map(id => [id, { member: id, values: [0, 1, 2].map(() => random.below(50)) }]))
  const led: { term: number; at: number }[] = []
  world.listen((_node, event) => {
    const said = event as ElectionEvent
    if (said.kind === 'elected') led.push({ term: said.term, at: world.now })
  })
  for (const id of ids) {
    const keys = { signer: signatures.signer(id), signatures, sealing: sealing(id) }
    world.add({ id, protocol: election(settings, keys), peers: [], vocabulary: electionVocabulary, saved })
    const known = new Set<string>()
    for (const other of ids) {
      const delay = other === id ? 0 : random.below(GOSSIP)
      world.at(Math.max(begun.get(id)!, begun.get(other)!) + 1 + delay, () => {
        known.add(other)
        world.command(id, { kind: 'seen', members: [...known] })
        world.command(id, { kind: 'view', name: 'jobs', rows: [...known].map(member => rows.get(member)!) })
      })
    }
    world.at(begun.get(id)!, () => {
      world.start(id)
      world.command(id, { kind: 'open', name: 'jobs' })
    })
  }
  world.run(COMING + 20_000 * MILLISECOND)
  const quorumAt = [...begun.values()].sort((one, other) => one - other)[MEMBERS / 2]!
  const [first] = led
  return { term: first!.term, millis: (first!.at - quorumAt) / MILLISECOND }
}

const SEEDS = Array.from({ length: sized(8, 20) }, (_, seed) => seed + 1)

describe('a cold start', () => {
  it('uses one term or two, and less than a second from when a quorum is there', () => {
    const starts = SEEDS.map(seed => coldStart(seed, {}))
    expect(Math.max(...starts.map(({ term }) => term))).toBeLessThanOrEqual(2)
    expect(Math.max(...starts.map(({ millis }) => millis))).toBeLessThan(1_000)
  })
  it('without the wait wastes terms', () => {
    const starts = SEEDS.map(seed => coldStart(seed, { quiet: 0 }))
    expect(Math.min(...starts.map(({ term }) => term))).toBeGreaterThan(2)
  })
})
