// Slots as a user sees them, over a node that answers what the test says.

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { SettingsError, Unavailable } from '../../core/index.ts'
import type { ManySlotsCommand } from '../../node/many-slots.ts'
import type { SlotsEvent, SlotsStatus } from '../../slots/index.ts'
import { checkSettings } from '../../slots/settings.ts'
import { SeatLost } from './seat.ts'
import { NoSeat, Slots } from './slots.ts'
import { type SlotsOptions, settingsOf } from './slots-settings.ts'

const terms = { drift: 0.01, liars: 0 }
const phase = (of: SlotsStatus['phase']): SlotsStatus => ({
  name: 'desks',
  epoch: 0,
  members: [],
  phase: of,
  rounds: [],
  waiting: 0,
})

function open(more: Partial<SlotsOptions> = {}) {
  const told: ManySlotsCommand[] = []
  let now = 1_000
  const settings = settingsOf('desks', { slots: ['north', 'south'], ...more }, terms)
  const clock = () => now
  const slots = new Slots(settings, more, clock, clock, command => {
    told.push(command)
    const body = command.kind === 'tell' ? command.body : undefined
    if (body?.kind === 'status') say({ kind: 'status', id: body.id, status: phase('forming') })
  })
  const say = (body: SlotsEvent) => slots.take({ kind: 'said', name: 'desks', body })
  const kinds = () => told.map(command => (command.kind === 'tell' ? command.body.kind : command.kind))
  const pass = (millis: number) => {
    now += millis
  }
  return { slots, say, kinds, pass, settings }
}

describe('a seat', () => {
  it('is held until it is let go, once', async () => {
    const { slots, say, kinds } = open()
    const asked = slots.request()
    say({ kind: 'seat', id: 1, slot: 'north', deadline: 61_000 })
    const seat = await asked
    expect([seat.slot, seat.held(), seat.remaining()]).toEqual(['north', true, 60_000])
    await seat.release()
    await seat.release()
    expect([seat.held(), seat.remaining(), seat.signal.aborted]).toEqual([false, 0, false])
    expect(kinds()).toEqual(['request', 'release'])
  })

  it('is over by the clock, and its signal fires without telling which', async () => {
    const { slots, say, pass, kinds } = open()
    const asked = slots.request()
    say({ kind: 'seat', id: 1, slot: 'north', deadline: 3_000 })
    const seat = await asked
    pass(2_001)
    expect(seat.held()).toBe(false)
    say({ kind: 'lost', id: 1 })
    expect(seat.signal.reason).toBeInstanceOf(SeatLost)
    expect(seat.signal.reason.message).not.toContain('north')
    await seat.release()
    expect(kinds()).toEqual(['request'])
  })

  it('ends with the node', async () => {
    const { slots, say } = open()
    const asked = slots.request()
    say({ kind: 'seat', id: 1, slot: 'north', deadline: 61_000 })
    const seat = await asked
    const waiting = slots.request()
    slots.ended(new Unavailable('gone'))
    expect(seat.signal.aborted).toBe(true)
    await expect(waiting).rejects.toThrow('gone')
    await expect(slots.request()).rejects.toThrow('gone')
    await expect(slots.status()).rejects.toThrow('gone')
  })
})

describe('no seat', () => {
  it('in time: the request is taken back, and the error says what the group is doing', async () => {
    const { slots, kinds } = open()
    const error = await slots.request({ timeout: 1 }).catch((caught: unknown) => caught)
    expect(error).toBeInstanceOf(NoSeat)
    expect(error).toMatchObject({ reason: 'timeout', outcome: 'did not happen' })
    expect((error as Error).message).toContain('Not all members have joined')
    expect(kinds()).toEqual(['request', 'cancel', 'status'])
  })
  it('where a member uses another level: the error and an incident name it', async () => {
    const { slots } = open()
    const incidents = slots.incidents()
    const first = incidents.next()
    slots.take({ kind: 'said', name: 'desks', body: { kind: 'differs', member: 'bela', level: 'curious' } })
    expect((await first).value).toEqual({ kind: 'differs', member: 'bela', level: 'curious' })
    const error = await slots.request({ timeout: 1 }).catch((caught: unknown) => caught)
    expect((error as Error).message).toContain("here it is 'verified', bela has level 'curious'")
    await incidents.return()
  })
  it('when the signal fires, also before the request', async () => {
    const { slots, say } = open()
    const stop = new AbortController()
    const asked = slots.request({ signal: stop.signal })
    stop.abort()
    await expect(asked).rejects.toMatchObject({ reason: 'cancelled' })
    // A seat that comes too late is nobody's.
    say({ kind: 'seat', id: 1, slot: 'north', deadline: 61_000 })
    await expect(slots.request({ signal: stop.signal })).rejects.toMatchObject({ reason: 'cancelled' })
  })
  it('is still waited for where the time is longer than the longest timer', async () => {
    const { slots, kinds, say } = open()
    const asked = slots.request({ timeout: 30 * 24 * 60 * 60 * 1000 })
    await new Promise(resolve => setTimeout(resolve, 20))
    expect(kinds()).toEqual(['request'])
    say({ kind: 'seat', id: 1, slot: 'north', deadline: 61_000 })
    expect((await asked).slot).toBe('north')
  })
  it('when too many wait, or the settings cannot be', async () => {
    const { slots, say } = open()
    const asked = slots.request()
    say({ kind: 'refused', id: 1, why: 'crowded' })
    await expect(asked).rejects.toMatchObject({ reason: 'crowded' })
    await expect(slots.request({ timeout: -1 })).rejects.toThrow(SettingsError)
    const shut = slots.request()
    slots.take({ kind: 'shut', name: 'desks', why: 'two slots have one name' })
    await expect(shut).rejects.toThrow('two slots')
  })
})

describe('incidents', () => {
  it('come in order, and evidence is kept where asked', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'coterie-evidence-'))
    const { slots, say } = open({ evidenceFolder: folder })
    const stop = new AbortController()
    const seen: string[] = []
    const reading = (async () => {
      for await (const incident of slots.incidents({ signal: stop.signal })) seen.push(incident.kind)
    })()
    await Promise.resolve()
    say({ kind: 'silent', members: ['bela'] })
    say({ kind: 'cheat', member: 'cleo', what: 'gave a false share', evidence: new Uint8Array([1, 2, 3]) })
    await vi.waitFor(async () => expect([...(await readFile(join(folder, 'desks-cleo.evidence')))]).toEqual([1, 2, 3]))
    stop.abort()
    await reading
    expect(seen).toEqual(['silent', 'cheat'])
    await rm(folder, { recursive: true })
  })
})

describe('settings', () => {
  it('follow the lease', () => {
    const short = settingsOf('desks', { slots: ['a'], lease: 2_000 }, terms)
    expect(short).toMatchObject({ beat: 100, checkMax: 400, patience: 1_500, settle: 4_000, drift: 0.01 })
    const usual = settingsOf('desks', { slots: ['a'] }, terms)
    expect(usual).toMatchObject({ lease: 60_000, beat: 250, checkMax: 4_000, patience: 10_000, settle: 120_000 })
  })
  it('among liars, a long lease has room in the life of an epoch, whatever the clocks', () => {
    const drawn = [
      { lease: 2_000, drift: 0.01 },
      { lease: 300_000, drift: 0.01 },
      { lease: 300_000, drift: 0.03, patience: 20_000 },
    ]
    for (const { drift, ...said } of drawn) {
      const settings = settingsOf('desks', { slots: ['a'], ...said }, { drift, liars: 1 })
      expect(() => checkSettings(settings, 4)).not.toThrow()
      expect(settings.settle).toBeGreaterThan(settings.lease)
    }
  })
  it('the level decides who may lie', () => {
    const ofGroup = { drift: 0.01, liars: 2 }
    expect(settingsOf('desks', { slots: ['a'] }, ofGroup)).toMatchObject({ level: 'verified', liars: 2 })
    expect(settingsOf('desks', { slots: ['a'], level: 'strong' }, ofGroup)).toMatchObject({ level: 'strong', liars: 0 })
  })
  it('are the same, or others', () => {
    const { slots, settings } = open()
    expect(slots.accepts({ ...settings })).toBe(true)
    expect(slots.accepts({ ...settings, lease: 1 })).toBe(false)
    expect(slots.accepts({ ...settings, level: 'curious' })).toBe(false)
  })
})
