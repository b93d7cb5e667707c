// The machine of levels `curious` and `strong` by itself: a round in one group, settings that it refuses, odd words, and
// who is blamed when a ring stands still.

import { describe, expect, it } from 'vitest'
import { decode as decodeBytes, encode, SettingsError } from '../../core/index.ts'
import { type Group, idealSignatures, insecureBareGroup } from '../../crypto/index.ts'
import { calm, World } from '../../simulator/index.ts'
import { groupOf, type SlotsSettings, slotsDefaults } from '../settings.ts'
import { firstEpoch } from '../verified/record.ts'
import type { SlotsEvent } from '../verified/state.ts'
import { trustingMember } from './machine.ts'
import type { TrustingState } from './state.ts'
import { lastOf } from './watching.ts'
import { isWhole, type RingWord, type TrustingMessage, trustingVocabulary } from './wire.ts'

const SECOND = 1_000_000
const names = ['anna', 'bela', 'cleo', 'dora']
const group: Group = insecureBareGroup()
const signatures = idealSignatures()
const members = names.map(name => ({ name, identity: signatures.signer(name).publicKey }))
const good: SlotsSettings = { ...slotsDefaults, level: 'curious', name: 'desks', slots: ['north', 'south'] }

const machineOf = (id: string, settings: SlotsSettings = good) =>
  trustingMember({ settings, members, group, signer: signatures.signer(id), signatures })

function open(settings: SlotsSettings = good) {
  const world = new World({ seed: 1, network: calm })
  const seen: (SlotsEvent & { who: string })[] = []
  for (const id of names) {
    world.add({ id, protocol: machineOf(id, settings), peers: names, vocabulary: trustingVocabulary })
  }
  world.listen((node, event) => seen.push({ ...(event as SlotsEvent), who: node.spec.id }))
  for (const id of names) world.start(id)
  const stateOf = (id: string) => world.node(id).host!.state as TrustingState
  return { world, seen, stateOf }
}

const seatsOf = (seen: readonly SlotsEvent[]) => seen.flatMap(event => (event.kind === 'seat' ? event.slot : []))

describe.each(['curious', 'strong'] as const)('level %s', level => {
  it('deals distinct slots under leases, and deals on when they are let go', () => {
    const { world, seen } = open({ ...good, level })
    names.forEach((id, place) => {
      world.command(id, { kind: 'request', id: place })
    })
    world.run(SECOND)
    expect(seatsOf(seen).sort()).toEqual(['north', 'south'])
    for (const event of seen.filter(one => one.kind === 'seat')) {
      expect(event.deadline).toBeLessThanOrEqual(1_000 + good.lease * (1 - good.drift))
      world.command(event.who, { kind: 'release', id: event.id })
    }
    world.run(20 * SECOND)
    expect(seatsOf(seen).length).toBeGreaterThan(2)
  })

  it('whoever holds to the end is told, and the slot is dealt again', () => {
    const settings = { ...good, level, lease: 4_000, patience: 3_200, slots: ['north'] }
    const { world, seen } = open(settings)
    names.forEach((id, place) => {
      world.command(id, { kind: 'request', id: place })
    })
    world.run(60 * SECOND)
    expect(seatsOf(seen).length).toBe(names.length)
    expect(seen.filter(event => event.kind === 'lost').length).toBe(names.length)
    expect(seen.filter(event => event.kind === 'silent')).toEqual([])
  })
})

describe('settings', () => {
  it.each([
    ['members that lie', { liars: 1 }, 'follows the protocol'],
    ['concurrent rounds', { concurrent: true }, 'concurrent rounds'],
    ['rounds on demand', { onDemand: true }, 'on demand'],
    ['a patience of a few beats', { beat: 2_000 }, '12 beats'],
    ['another level', { level: 'verified' as const }, 'there are curious'],
    ['what no level allows', { slots: ['one', 'one'] }, 'two slots'],
  ])('%s are refused', (_name, more, why) => {
    expect(() => machineOf('anna', { ...good, ...more })).toThrow(SettingsError)
    expect(() => machineOf('anna', { ...good, ...more })).toThrow(why)
  })

  it('the level is bound into what every word names', () => {
    const first = (level: SlotsSettings['level']) => firstEpoch(good, members, groupOf(group, level).name).join()
    expect(new Set([first('curious'), first('strong'), first('verified')]).size).toBe(3)
  })
})

describe('words', () => {
  const element = group.generator
  const ticket = { c1: element, c2: element }
  const outside = new Uint8Array(3)
  const words: RingWord[] = [
    { kind: 'request', round: 0, tickets: [ticket] },
    { kind: 'ask', round: 7, ticket },
    { kind: 'share', round: 0, share: element },
    { kind: 'release', round: 0, lap: 9, entries: [ticket, ticket, ticket, ticket] },
    { kind: 'newRound', round: 3 },
  ]
  it('travel as they are', () => {
    for (const word of words) {
      const message: TrustingMessage = { kind: 'ring', epoch: new Uint8Array(32), word }
      const read = decodeBytes(trustingVocabulary, encode(trustingVocabulary, message))
      expect(read.ok && read.value).toEqual(message)
    }
  })
  it('with anything outside the group are not whole', () => {
    expect(words.every(word => isWhole(group, word))).toBe(true)
    expect(isWhole(group, { kind: 'share', round: 0, share: outside })).toBe(false)
    expect(isWhole(group, { kind: 'ask', round: 0, ticket: { c1: element, c2: group.identity } })).toBe(false)
    expect(isWhole(group, { kind: 'release', round: 0, lap: 1, entries: [ticket, { ...ticket, c1: outside }] })).toBe(
      false,
    )
  })
  it('of another epoch, of strangers, of proven rounds, or odd, change nothing', () => {
    const { world, stateOf } = open()
    world.run(SECOND)
    const { ring, epoch } = stateOf('anna')
    const before = ring!.state.round.number
    const turn = { now: 1e6, below: () => 0, bytes: (length: number) => new Uint8Array(length).fill(1), do: () => {} }
    const machine = machineOf('anna')
    const state = stateOf('anna')
    const said = (from: string, body: TrustingMessage) => machine.step(state, { kind: 'message', from, body }, turn)
    for (const word of words) {
      said('dora', { kind: 'ring', epoch: new Uint8Array(32), word: { ...word, round: 99 } })
      said('stranger', { kind: 'ring', epoch: epoch.hash, word: { ...word, round: 99 } })
    }
    said('dora', { kind: 'ring', epoch: epoch.hash, word: { kind: 'share', round: before, share: outside } })
    const header = {
      kind: 'header',
      author: 'dora',
      epoch: epoch.hash,
      round: 5,
      slots: [0],
      signature: outside,
    } as const
    said('dora', { kind: 'about', said: header })
    expect(state.ring!.state.round.number).toBe(before)
    expect(state.epoch.rounds.size).toBe(1)
  })
})

describe('who holds up the ring', () => {
  const heard = (...stages: [round: number, stage: number][]) => ({
    heard: stages.map(([round, stage]) => ({ round, stage, at: 0 })),
  })
  it.each([
    ['the first that has not passed the request token on', heard([4, 1], [4, 1], [4, 0], [4, 0]), 2],
    ['the one whose ticket is not open', heard([4, 3], [4, 3], [4, 2], [4, 1]), 3],
    ['the first that has not passed the release token on', heard([4, 5], [4, 4], [4, 4], [4, 4]), 1],
    ['the first that has not heard of the round', heard([4, 7], [5, 2], [5, 1], [4, 7]), 3],
    ['its coordinator, when all are equal', heard([5, 0], [5, 0], [5, 0], [5, 0]), 1],
  ])('%s', (_name, ring, last) => {
    expect(lastOf(ring)).toBe(last)
  })
})
