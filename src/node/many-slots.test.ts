// Several slots groups in one node: kept apart by name, restored by name, and never reopened with other settings.

import { describe, expect, it } from 'vitest'
import { Puppet, told } from '../../test/support/machine.ts'
import { compose, createHost, NOTHING_SAVED, seededRandom } from '../core/index.ts'
import { idealSignatures, insecureBareGroup } from '../crypto/index.ts'
import { calm, World } from '../simulator/index.ts'
import { performShuffleWork, type SlotsCommand, type SlotsSettings, slotsDefaults } from '../slots/index.ts'
import {
  type ManySlotsCommand,
  type ManySlotsEvent,
  type ManySlotsState,
  manySlots,
  manySlotsVocabulary,
} from './many-slots.ts'

const names = ['anna', 'bela', 'cleo']
const SECOND = 1_000_000
const desks: SlotsSettings = { ...slotsDefaults, name: 'desks', slots: ['north', 'south'] }
const rooms: SlotsSettings = { ...slotsDefaults, name: 'rooms', slots: ['attic'] }

type Seen = ManySlotsEvent & { who: string }

function open(storeLost = false) {
  const group = insecureBareGroup()
  const signatures = idealSignatures()
  const members = names.map(name => ({ name, identity: signatures.signer(name).publicKey }))
  const world = new World({ seed: 1, network: calm })
  const random = seededRandom(3)
  const seen: Seen[] = []
  for (const id of names) {
    const protocol = manySlots({ members, group, signer: signatures.signer(id), signatures, storeLost })
    world.add({ id, protocol, peers: names, vocabulary: manySlotsVocabulary })
  }
  world.listen((node, emitted) => {
    const event = emitted as ManySlotsEvent
    seen.push({ ...event, who: node.spec.id })
    if (event.kind !== 'said' || event.body.kind !== 'work') return
    const answer = performShuffleWork(group, event.body.request, length => random.bytes(length))
    world.command(node.spec.id, { kind: 'tell', name: event.name, body: { kind: 'worked', id: event.body.id, answer } })
  })
  for (const id of names) world.start(id)
  return { world, seen }
}

const seatsOf = (seen: readonly Seen[], name: string) =>
  seen.flatMap(event => (event.kind === 'said' && event.name === name && event.body.kind === 'seat' ? event.body : []))
const differing = (seen: readonly Seen[]) =>
  seen.flatMap(({ who, ...event }) =>
    event.kind === 'said' && event.body.kind === 'differs' ? `${who}: ${event.body.member} ${event.body.level}` : [],
  )
const shutsOf = (seen: readonly Seen[]) => seen.flatMap(event => (event.kind === 'shut' ? event.why : []))

describe('many slots in one node', () => {
  it('deals in each name on its own', () => {
    const { world, seen } = open()
    for (const id of names) {
      for (const settings of [desks, rooms]) {
        world.command(id, { kind: 'open', settings })
        world.command(id, { kind: 'tell', name: settings.name, body: { kind: 'request', id: 1 } })
      }
    }
    world.run(SECOND)
    expect(new Set(seatsOf(seen, 'desks').map(seat => seat.slot))).toEqual(new Set(['north', 'south']))
    expect(seatsOf(seen, 'rooms').map(seat => seat.slot)).toEqual(['attic'])
    expect(seen.filter(event => event.kind === 'opened').length).toBe(6)
  })

  it('who opens late hears what it missed', () => {
    const { world, seen } = open()
    for (const id of ['anna', 'bela']) world.command(id, { kind: 'open', settings: rooms })
    world.run(SECOND)
    expect(seatsOf(seen, 'rooms')).toEqual([])
    world.command('cleo', { kind: 'open', settings: rooms })
    world.command('cleo', { kind: 'tell', name: 'rooms', body: { kind: 'request', id: 1 } })
    world.run(60 * SECOND)
    expect(seatsOf(seen, 'rooms').map(seat => seat.slot)).toEqual(['attic'])
  })

  it('refuses a name opened with other settings, also after a restart', () => {
    const { world, seen } = open()
    world.command('anna', { kind: 'open', settings: desks })
    world.command('anna', { kind: 'open', settings: { ...desks, lease: 30_000 } })
    world.run(SECOND)
    expect(shutsOf(seen)).toEqual([expect.stringContaining('other slots, lease')])
    world.crash('anna')
    world.start('anna')
    world.command('anna', { kind: 'open', settings: { ...desks, lease: 30_000 } })
    world.run(2 * SECOND)
    expect(shutsOf(seen).length).toBe(2)
    world.command('anna', { kind: 'open', settings: desks })
    world.run(3 * SECOND)
    expect(shutsOf(seen).length).toBe(2)
    const state = world.node('anna').host!.state as ManySlotsState
    // It posted a key in its earlier life, and must not post another.
    expect(state.open.get('desks')!.state.member.epoch.barred).toBe(true)
  })

  it('each name has its level, and they do not mix', () => {
    const { world, seen } = open()
    const couches: SlotsSettings = { ...desks, name: 'couches', level: 'curious' }
    const lofts: SlotsSettings = { ...rooms, name: 'lofts', level: 'strong' }
    for (const id of names) {
      for (const settings of [rooms, couches, lofts]) {
        world.command(id, { kind: 'open', settings })
        world.command(id, { kind: 'tell', name: settings.name, body: { kind: 'request', id: 1 } })
      }
    }
    world.run(SECOND)
    expect(new Set(seatsOf(seen, 'couches').map(seat => seat.slot))).toEqual(new Set(['north', 'south']))
    expect(seatsOf(seen, 'lofts').map(seat => seat.slot)).toEqual(['attic'])
    expect(seatsOf(seen, 'rooms').map(seat => seat.slot)).toEqual(['attic'])
    expect(differing(seen)).toEqual([])
  })

  it('a member at another level is not heard, and both sides are told once', () => {
    const { world, seen } = open()
    for (const id of ['anna', 'bela']) {
      world.command(id, { kind: 'open', settings: desks })
      world.command(id, { kind: 'tell', name: 'desks', body: { kind: 'request', id: 1 } })
    }
    world.command('cleo', { kind: 'open', settings: { ...desks, level: 'curious' } })
    world.run(5 * SECOND)
    expect(seatsOf(seen, 'desks')).toEqual([])
    expect(differing(seen).sort()).toEqual([
      'anna: cleo curious',
      'bela: cleo curious',
      'cleo: anna verified',
      'cleo: bela verified',
    ])
  })

  it('a member that speaks at two other levels in turn is told of once for each', () => {
    const signatures = idealSignatures()
    const members = names.map(name => ({ name, identity: signatures.signer(name).publicKey }))
    const options = { members, group: insecureBareGroup(), signer: signatures.signer('anna'), signatures }
    const anna = new Puppet(manySlots({ ...options, storeLost: false }), names, NOTHING_SAVED, 'anna')
    anna.drawn.shift = () => new Uint8Array(64).fill(1)
    anna.command({ kind: 'open', settings: desks })
    const body = { kind: 'pulse', epoch: new Uint8Array(32), round: 0, stage: 0 } as const
    const seen: Seen[] = []
    for (let again = 0; again < 100; again++) {
      for (const kind of ['curious', 'strong'] as const) {
        for (const event of told(anna.hear('bela', { kind, name: 'desks', body }))) seen.push({ ...event, who: 'anna' })
      }
    }
    expect(differing(seen)).toEqual(['anna: bela curious', 'anna: bela strong'])
  })

  it('refuses a name opened at another level, also after a restart', () => {
    const { world, seen } = open()
    world.command('anna', { kind: 'open', settings: desks })
    world.command('anna', { kind: 'open', settings: { ...desks, level: 'strong' } })
    world.run(SECOND)
    world.crash('anna')
    world.start('anna')
    world.command('anna', { kind: 'open', settings: { ...desks, level: 'curious' } })
    world.run(2 * SECOND)
    expect(shutsOf(seen)).toEqual([expect.stringContaining('level'), expect.stringContaining('level')])
  })

  it('refuses names and settings that cannot be', () => {
    const { world, seen } = open()
    world.command('anna', { kind: 'open', settings: { ...desks, name: 'a/b' } })
    world.command('anna', { kind: 'open', settings: { ...desks, slots: ['one', 'one'] } })
    world.command('anna', { kind: 'open', settings: { ...desks, level: 'lax' as never } })
    world.command('anna', { kind: 'tell', name: 'nothing', body: { kind: 'request', id: 1 } })
    world.run(SECOND)
    const refused = ['hyphens', 'two slots', 'there are curious, strong and verified']
    expect(shutsOf(seen)).toEqual(refused.map(part => expect.stringContaining(part)))
  })

  it('takes no part when what it promised is forgotten', () => {
    const { world, seen } = open(true)
    world.command('anna', { kind: 'open', settings: desks })
    world.run(SECOND)
    expect(shutsOf(seen)).toEqual([expect.stringContaining('store was lost')])
  })

  it('users are told what concerns their seats while the disk stands still', () => {
    const signatures = idealSignatures()
    const members = names.map(name => ({ name, identity: signatures.signer(name).publicKey }))
    const options = { members, group: insecureBareGroup(), signer: signatures.signer('anna'), signatures }
    const node = compose('node', { slots: manySlots({ ...options, storeLost: false }) })
    const said: unknown[] = []
    const none = () => {}
    const host = createHost(node, 'anna', names, NOTHING_SAVED, {
      now: () => 0,
      below: () => 0,
      bytes: length => new Uint8Array(length).fill(1),
      send: none,
      timer: none,
      cancel: none,
      save: none,
      forget: none,
      emit: ({ body }) => said.push(body),
    })
    const give = (body: ManySlotsCommand) => host.input({ kind: 'command', body: { part: 'slots', body } })
    const tell = (body: SlotsCommand) => give({ kind: 'tell', name: 'desks', body })
    give({ kind: 'open', settings: desks })
    tell({ kind: 'request', id: 1 })
    tell({ kind: 'cancel', id: 1 })
    expect(said).toEqual([{ kind: 'said', name: 'desks', body: { kind: 'released', id: 1 } }])
  })

  it.each([
    ['stranger', 'curious', 'only members are told of: stranger'],
    ['bela', 'verified', 'bela speaks at our own level'],
  ] as const)('a note that %s differs, at level %s, is a bug', (id, level, broken) => {
    const { world } = open()
    world.command('anna', { kind: 'open', settings: desks })
    world.run(SECOND)
    const state = world.node('anna').host!.state as ManySlotsState
    state.open.get('desks')!.state.differing.set(id, new Set([level]))
    const ask = () => world.command('anna', { kind: 'tell', name: 'desks', body: { kind: 'request', id: 1 } })
    expect(ask).toThrow(broken)
  })

  it('stops at a record that it cannot read', () => {
    const signatures = idealSignatures()
    const options = { members: [], group: insecureBareGroup(), signer: signatures.signer('anna'), signatures }
    const protocol = manySlots({ ...options, storeLost: false })
    expect(protocol.init('anna', [], NOTHING_SAVED).open.size).toBe(0)
    expect(() => protocol.init('anna', [], new Map([['', [new Uint8Array([9])]]]))).toThrow('cannot be read')
  })
})
