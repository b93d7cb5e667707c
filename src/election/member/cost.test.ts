// What an election costs where nothing goes wrong but the coordinator (issue: at most 5(n - 1) messages; SRCEA figure 3
// has 2n and 5n). Counted are calls, ballots, claims and grants, refusals too; "I am alive" comes after the election.

import { describe, expect, it } from 'vitest'
import { encode } from '../../core/index.ts'
import { idealSealing } from '../../crypto/ideal-sealing.ts'
import { idealSignatures } from '../../crypto/index.ts'
import { calm, World } from '../../simulator/index.ts'
import { firstElectorate } from '../count/electorate.ts'
import { type Attribute, type ElectionSettings, electionDefaults } from '../settings.ts'
import { electionRecord, electionVocabulary } from '../wire.ts'
import type { ElectionEvent } from './commands.ts'
import { election } from './machine.ts'

const COUNTED = new Set(['call', 'ballot', 'claim', 'grant', 'refusal', 'double'])
const attributes: readonly Attribute[] = ['distance', 'load', 'heat'].map(name => {
  return { name, best: 'small', tolerance: 0 }
})

interface Cost {
  readonly coordinator: string
  readonly messages: number
  readonly millis: number
}

/** A group that elects, then loses its coordinator and elects again: what the second election costs. */
function secondElection(members: number, values: (place: number) => number[]): Cost {
  const world = new World({ seed: members, network: calm, record: true })
  const signatures = idealSignatures()
  const sealing = idealSealing()
  const ids = Array.from({ length: members }, (_, place) => `m${String(place).padStart(3, '0')}`)
  const electorate = firstElectorate(
    ids.map(id => ({ id, key: signatures.signer(id).publicKey, sealKey: sealing(id).publicKey })),
  )
  const saved = new Map([['', [encode(electionRecord, { kind: 'first', electorate })]]])
  const settings: ElectionSettings = { ...electionDefaults, attributes }
  const elected: { id: string; at: number }[] = []
  world.listen((node, event) => {
    if ((event as ElectionEvent).kind === 'elected') elected.push({ id: node.spec.id, at: world.now })
  })
  for (const id of ids) {
    const keys = { signer: signatures.signer(id), signatures, sealing: sealing(id) }
    world.add({ id, protocol: election(settings, keys), peers: [], vocabulary: electionVocabulary, saved })
    world.start(id)
  }
  const rows = ids.map((member, place) => ({ member, values: values(place) }))
  for (const id of ids) world.command(id, { kind: 'view', name: 'jobs', rows })
  for (const id of ids) world.command(id, { kind: 'seen', members: ids })
  for (const id of ids) world.command(id, { kind: 'open', name: 'jobs' })
  world.run(1_000_000)
  const [first] = elected
  world.crash(first!.id)
  const crashed = world.now
  for (const id of ids) world.command(id, { kind: 'failed', members: [first!.id] })
  world.run(5_000_000)
  const second = elected[1]!
  const between = world.trace.filter(({ at, kind }) => kind === 'deliver' && at > crashed && at <= second.at + 5_000)
  const messages = between.filter(({ what }) => COUNTED.has(what.split(' ')[0]!)).length
  const begun = between.find(({ what }) => COUNTED.has(what.split(' ')[0]!))!.at
  return { coordinator: second.id, messages, millis: (second.at - begun) / 1_000 }
}

/** After m000, the best of everything: three others are best at one thing each. */
const three = (place: number) => [0, 1, 2].map(at => (place === 0 ? 0 : place === at + 1 ? 1 : 5))
/** The second is the best of all that are left. */
const one = (place: number) => [place, place, place]

describe('an election after the coordinator failed', () => {
  it.each([4, 5, 8, 16, 32])('n = %i: at most 5(n - 1) messages with three candidates', members => {
    const { messages, coordinator } = secondElection(members, three)
    expect(messages).toBeLessThanOrEqual(5 * (members - 1))
    expect(messages).toBeGreaterThan(2 * (members - 1))
    expect(['m001', 'm002', 'm003']).toContain(coordinator)
  })
  it.each([3, 8, 32])('n = %i: at most 2(n - 1) with one candidate', members => {
    const { messages, coordinator } = secondElection(members, one)
    expect(messages).toBeLessThanOrEqual(2 * (members - 1))
    expect(coordinator).toBe('m001')
  })
  it('takes a quarter of a second at most, in simulated time, once the promises are over', () => {
    expect(secondElection(32, three).millis).toBeLessThanOrEqual(250)
  })
})
