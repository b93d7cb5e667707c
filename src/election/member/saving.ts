// What a member must not forget (protocols/election): its list, the successor it signed, what it granted and what it
// voted in.
//
// A promise is remembered, its end is not: the clock of another life cannot be compared. So after a crash every promise
// that may be out counts from the start again. A clean stop writes down what is left of each.

import { decode, encode, type NodeId, type Saved } from '../../core/index.ts'
import { floorOf, memberOf } from '../count/electorate.ts'
import { type ElectionRecord, electionRecord, type SavedRace } from '../wire.ts'
import type { ElectionScene } from './scene.ts'
import { type ElectionState, newRace, type Race } from './state.ts'

/** Records that are appended before all of it is written anew. */
const RECORDS_MAX = 64

export function restored(self: NodeId, saved: Saved): ElectionState {
  const state: ElectionState = {
    self,
    electorate: undefined,
    floor: 0,
    chain: [],
    signedSuccessor: undefined,
    proposal: undefined,
    mayGrant: false,
    races: new Map(),
    peers: new Map(),
    failed: [],
    quorumSeenAt: undefined,
    keyless: [],
    vouchedFailures: new Map(),
    allowedChanges: [],
    recordsSinceSnapshot: 0,
    stopped: false,
  }
  for (const bytes of saved.get('') ?? []) {
    const record = decode(electionRecord, bytes)
    // A record that passed the store's checksum and cannot be read is from a newer version: it may be a grant.
    if (record.ok) recall(state, record.value)
    else return { ...state, mayGrant: false }
  }
  return state
}

function recall(state: ElectionState, record: ElectionRecord): void {
  switch (record.kind) {
    case 'first':
      state.electorate = record.electorate
      state.chain.push({ electorate: record.electorate, approvals: [] })
      // The terms that a later list began with are not in this record: only the very first has none.
      state.mayGrant = record.electorate.number === 1 || memberOf(record.electorate, state.self) === undefined
      return
    case 'whole':
      state.mayGrant = true
      state.chain.push(...record.lists)
      state.electorate = record.lists.at(-1)?.electorate
      state.floor = floorOf(record.lists.at(-1)?.approvals ?? [])
      state.signedSuccessor = record.signed[0]
      for (const race of record.races) state.races.set(race.name, recalled(race))
      return
    case 'granted': {
      const race = raceIn(state, record.name)
      race.grantedTerm = record.term
      race.grantedTo = record.coordinator
      race.promisedUntil = record.lasts
      return
    }
    case 'voted':
      raceIn(state, record.name).votedTerm = record.term
      return
    case 'signed':
      state.signedSuccessor = record.electorate
      return
  }
}

// Until the machine starts and knows the time, `promisedUntil` holds how long the promise may last.
function recalled({ name, term, coordinator, voted, lasts }: SavedRace): Race {
  return { ...newRace(name), grantedTerm: term, grantedTo: coordinator, votedTerm: voted, promisedUntil: lasts }
}

function raceIn(state: ElectionState, name: string): Race {
  const race = state.races.get(name) ?? newRace(name)
  state.races.set(name, race)
  return race
}

/** Every promise that may be out begins anew on this clock. */
export function resume(scene: ElectionScene): void {
  const { state, settings, turn } = scene
  for (const race of state.races.values()) {
    if (race.grantedTerm > 0) race.promisedUntil = turn.now + settings.rules.restartWait(race.promisedUntil)
    race.grantedAt = turn.now
  }
  if (state.mayGrant) saveWhole(scene, () => settings.promise)
}

/** At a clean stop: what is left of each promise. */
export function saveRemaining(scene: ElectionScene): void {
  const { state, turn } = scene
  if (state.mayGrant) saveWhole(scene, race => Math.max(0, Math.ceil(race.promisedUntil - turn.now)))
}

export function saveWhole({ state, turn }: ElectionScene, lasts: (race: Race) => number): void {
  const { signedSuccessor, chain: lists } = state
  if (lists.length === 0) return
  const races = [...state.races.values()]
    .filter(race => race.grantedTerm > 0 || race.votedTerm > 0)
    .map(race => {
      const { name, grantedTerm: term, grantedTo: coordinator, votedTerm: voted } = race
      return { name, term, coordinator, voted, lasts: lasts(race) }
    })
  const record: ElectionRecord = {
    kind: 'whole',
    lists,
    signed: signedSuccessor === undefined ? [] : [signedSuccessor],
    races,
  }
  turn.do({ kind: 'snapshot', record: encode(electionRecord, record) })
  state.recordsSinceSnapshot = 0
}

/** Saved before anybody hears of it: effects that follow wait until it is durable. */
export function save(scene: ElectionScene, record: ElectionRecord): void {
  const { state, settings, turn } = scene
  if (state.recordsSinceSnapshot >= RECORDS_MAX) return saveWhole(scene, () => settings.promise)
  state.recordsSinceSnapshot++
  turn.do({ kind: 'save', record: encode(electionRecord, record) })
}

export function saveGrant(scene: ElectionScene, race: Race): void {
  const { settings } = scene
  if (!settings.rules.savesGrant()) return
  const { name, grantedTerm: term, grantedTo: coordinator } = race
  save(scene, { kind: 'granted', name, term, coordinator, lasts: settings.promise })
}
