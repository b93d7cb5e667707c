// A whole round over ristretto255, as it ships; and protocols/slots, secrets: what must not leave a member's memory is in no
// word, no saved record, no status.

import { describe, expect, it } from 'vitest'
import { type Effect, encode, seededRandom } from '../../core/index.ts'
import { idealSignatures, ristrettoNoble } from '../../crypto/index.ts'
import { calm, World } from '../../simulator/index.ts'
import { slotsDefaults } from '../settings.ts'
import { slotsMember } from './machine.ts'
import { performShuffleWork } from './shuffle-work.ts'
import type { MemberState, SlotsEvent } from './state.ts'
import { type SlotsMessage, slotsVocabulary } from './wire.ts'

const names = ['anna', 'bela', 'cleo']
const SECOND = 1_000_000

function run() {
  const group = ristrettoNoble()
  const signatures = idealSignatures()
  const members = names.map(name => ({ name, identity: signatures.signer(name).publicKey }))
  const settings = { ...slotsDefaults, name: 'desks', slots: ['north', 'south'] }
  const world = new World({ seed: 1, network: calm })
  const random = seededRandom(3)
  const secrets = new Map<string, Uint8Array>()
  const leaks: Uint8Array[] = []
  const events: (SlotsEvent & { who: string })[] = []
  for (const id of names) {
    const machine = slotsMember({ settings, members, group, signer: signatures.signer(id), signatures })
    const watched: typeof machine = {
      ...machine,
      step(state, input, turn) {
        const watch = (effect: Effect<SlotsMessage, SlotsEvent>) => {
          if (effect.kind === 'send') leaks.push(encode(slotsVocabulary, effect.body))
          if (effect.kind === 'save') leaks.push(effect.record)
          turn.do(effect)
        }
        const { now } = turn
        machine.step(state, input, { now, below: turn.below.bind(turn), bytes: turn.bytes.bind(turn), do: watch })
      },
    }
    world.add({ id, protocol: watched, peers: names, vocabulary: slotsVocabulary })
  }
  world.listen((node, emitted) => {
    const event = emitted as SlotsEvent
    events.push({ ...event, who: node.spec.id })
    if (event.kind !== 'work') return
    const answer = performShuffleWork(group, event.request, length => random.bytes(length))
    world.command(node.spec.id, { kind: 'worked', id: event.id, answer })
  })
  for (const id of names) world.start(id)
  for (const [id, name] of names.entries()) world.command(name, { kind: 'request', id })
  world.run(SECOND)
  for (const name of names) {
    const state = world.node(name).host!.state as MemberState
    secrets.set(name, state.epoch.secret!.slice())
    world.command(name, { kind: 'status', id: 9 })
  }
  return { events, leaks, secrets }
}

const found = run()

describe('a round over ristretto255', () => {
  const seats = found.events.filter(event => event.kind === 'seat')
  it('two of three members get a seat, and not the same', () => {
    expect(seats.length).toBe(2)
    expect(new Set(seats.map(seat => seat.slot))).toEqual(new Set(['north', 'south']))
    expect(new Set(seats.map(seat => seat.who)).size).toBe(2)
  })
  it('nobody is accused or silent', () => {
    expect(found.events.filter(event => event.kind === 'cheat' || event.kind === 'silent')).toEqual([])
  })
})

describe('secrets', () => {
  const contains = (whole: Uint8Array, part: Uint8Array) => Buffer.from(whole).includes(Buffer.from(part))

  it('no key is in any word or saved record', () => {
    expect(found.secrets.size).toBe(3)
    expect(found.leaks.length).toBeGreaterThan(40)
    for (const secret of found.secrets.values()) {
      expect(found.leaks.some(bytes => contains(bytes, secret))).toBe(false)
    }
  })
  it('status tells round, phase, members and epoch, and no slot', () => {
    const told = found.events.filter(event => event.kind === 'status')
    expect(told.length).toBe(3)
    for (const { status } of told) {
      expect(Object.keys(status).sort()).toEqual(['epoch', 'members', 'name', 'phase', 'rounds', 'waiting'])
      expect(JSON.stringify(status)).not.toMatch(/north|south/)
    }
    expect(told[0]!.status).toMatchObject({ name: 'desks', epoch: 0, phase: 'dealing', members: names })
    expect(told[0]!.status.rounds).toMatchObject([{ number: 1, phase: 'open' }])
  })
})
