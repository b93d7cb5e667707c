// Levels `curious` and `strong` over ristretto255, as they ship; and what must not leave a member's memory is in no word,
// no saved record, no status.

import { describe, expect, it } from 'vitest'
import { type Effect, encode } from '../../core/index.ts'
import { idealSignatures, ristrettoNoble } from '../../crypto/index.ts'
import { calm, World } from '../../simulator/index.ts'
import { slotsDefaults } from '../settings.ts'
import type { SlotsEvent } from '../verified/state.ts'
import { trustingMember } from './machine.ts'
import type { TrustingState } from './state.ts'
import { type TrustingMessage, trustingVocabulary } from './wire.ts'

const names = ['anna', 'bela', 'cleo']
const SECOND = 1_000_000

function run(level: 'curious' | 'strong') {
  const group = ristrettoNoble()
  const signatures = idealSignatures()
  const members = names.map(name => ({ name, identity: signatures.signer(name).publicKey }))
  const settings = { ...slotsDefaults, level, name: 'desks', slots: ['north', 'south'] }
  const world = new World({ seed: 1, network: calm })
  const shown: Uint8Array[] = []
  const secrets: Uint8Array[] = []
  const events: SlotsEvent[] = []
  for (const id of names) {
    const machine = trustingMember({ settings, members, group, signer: signatures.signer(id), signatures })
    const watched: typeof machine = {
      ...machine,
      step(state, input, turn) {
        const watch = (effect: Effect<TrustingMessage, SlotsEvent>) => {
          if (effect.kind === 'send') shown.push(encode(trustingVocabulary, effect.body))
          if (effect.kind === 'save') shown.push(effect.record)
          turn.do(effect)
        }
        const { now } = turn
        machine.step(state, input, { now, below: turn.below.bind(turn), bytes: turn.bytes.bind(turn), do: watch })
      },
    }
    world.add({ id, protocol: watched, peers: names, vocabulary: trustingVocabulary })
  }
  world.listen((_node, event) => events.push(event as SlotsEvent))
  for (const id of names) world.start(id)
  for (const [id, name] of names.entries()) world.command(name, { kind: 'request', id })
  world.run(SECOND)
  for (const name of names) {
    const { epoch, ring } = world.node(name).host!.state as TrustingState
    secrets.push(epoch.secret!.slice(), ...(ring!.state.round.kept?.randomness ?? []))
    world.command(name, { kind: 'status', id: 9 })
  }
  return { events, shown, secrets }
}

describe.each(['curious', 'strong'] as const)('level %s over ristretto255', level => {
  const { events, shown, secrets } = run(level)

  it('two of three members get a seat, and not the same; nobody is accused or silent', () => {
    const seats = events.flatMap(event => (event.kind === 'seat' ? event.slot : []))
    expect(seats.sort()).toEqual(['north', 'south'])
    expect(events.filter(event => event.kind === 'cheat' || event.kind === 'silent')).toEqual([])
  })
  it('no key and no randomness of a shuffle is in any word or saved record', () => {
    expect(secrets.length).toBeGreaterThan(names.length)
    expect(shown.length).toBeGreaterThan(30)
    const whole = Buffer.concat(shown)
    for (const secret of secrets) expect(whole.includes(Buffer.from(secret))).toBe(false)
  })
  it('status tells round, phase, members and epoch, and no slot', () => {
    const told = events.flatMap(event => (event.kind === 'status' ? event.status : []))
    expect(told.length).toBe(names.length)
    expect(JSON.stringify(told)).not.toMatch(/north|south/)
    expect(told[0]).toMatchObject({ name: 'desks', epoch: 0, phase: 'dealing', members: names })
    expect(told[0]!.rounds).toMatchObject([{ number: 1, phase: 'open' }])
  })
})
