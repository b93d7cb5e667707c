// How a server starts: what it saved, in order, makes its state. And how it opens a ledger: where the genesis names a voting
// key of an earlier life of its store, it has forgotten votes.

import { assert, decode, encode, type Millis, type NodeId, type Saved, sameBytes, toHex } from '../../core/index.ts'
import { noteBytes, type Statement } from '../checkpoint.ts'
import { type Descriptor, genesisCodec, newestEpoch, readGenesis } from '../genesis.ts'
import { encodeDescriptor } from '../light.ts'
import { type Proposal, proposalHash } from '../proposal.ts'
import type { LedgerServerSettings } from '../settings.ts'
import { type LedgerRecord, ledgerRecord } from '../wire.ts'
import {
  type CheckedProposal,
  LEDGERS_MAX,
  LEDGERS_OF_CLIENT_MAX,
  type LedgerScene,
  type LedgerServerState,
  newLedger,
  newRound,
  placeIn,
  type ServedLedger,
  type ServerScene,
  save,
  serverTimers,
  voterOf,
} from './state.ts'
import { settle, tryLeaves } from './voter.ts'

const SALT_BYTES = 16

/** The state that the saved records lead to. */
export function serverFrom(
  settings: LedgerServerSettings,
  self: NodeId,
  peers: readonly NodeId[],
  saved: Saved,
): LedgerServerState {
  const records = (saved.get('') ?? []).map(record => {
    const decoded = decode(ledgerRecord, record)
    // Our own bug, or a broken disk: the node must not go on and vote again.
    assert(decoded.ok, 'a saved record that cannot be read')
    return decoded.value
  })
  const state: LedgerServerState = {
    self,
    peers,
    rolls: 0,
    rolled: new Map(),
    pooledBytesOf: new Map(),
    blamed: new Map(),
    salt: undefined,
    held: settings.holds ?? false,
    ledgers: new Map(),
    names: new Map(),
  }
  const fetched: Uint8Array[] = []
  for (const record of records) restore(state, settings, record, fetched)
  return state
}

function restore(
  state: LedgerServerState,
  settings: LedgerServerSettings,
  record: LedgerRecord,
  fetched: Uint8Array[],
): void {
  if (record.kind === 'salt') return beginLife(state, record.salt)
  if (record.kind === 'opened') {
    const descriptor = readGenesis(record.genesis, settings.suite)
    assert(typeof descriptor !== 'string', 'a saved genesis that does not hold')
    const place = placeIn(newestEpoch(descriptor), state.self, settings)
    insert(state, newLedger(descriptor, record.owner, place, isLost(state, descriptor, place), settings))
    return
  }
  const ledger = state.ledgers.get(toHex(record.ledger))
  assert(ledger !== undefined, 'a record of a ledger that was never opened')
  const scene = { state, settings, ledger }
  switch (record.kind) {
    case 'promised': {
      const { round } = ledger
      if (record.report.height !== ledger.head.height + 1) return
      round.attempt = record.report.attempt - 1
      round.promised = record.report.attempt
      round.opened = record.opened
      round.report = record.report
      round.reports.set(ledger.place, record.report)
      return
    }
    case 'held':
      restoreProposal(scene, record)
      return
    case 'voted':
      return restoreVote(scene, record)
    case 'fetched':
      fetched.push(...record.leaves)
      return
    case 'certified': {
      const leaves = [...fetched.splice(0), ...record.leaves]
      const voted = ledger.round.proposals.get(toHex(record.checkpoint.proposal))
      settle(scene, record.checkpoint, leaves.length > 0 ? leaves : (voted?.leaves ?? []))
      ledger.voted = Math.max(ledger.voted, ledger.lost === undefined ? 0 : record.checkpoint.height)
      return
    }
    case 'rejoined':
      ledger.lost = undefined
      return
  }
}

type Restoring = Pick<LedgerScene, 'state' | 'settings' | 'ledger'>

function restoreProposal(scene: Restoring, record: Proposal): CheckedProposal | undefined {
  const { ledger, settings } = scene
  const { height, attempt, leaves, reports } = record
  if (height !== ledger.head.height + 1) return undefined
  const { round, descriptor } = ledger
  const proposal = { height, attempt, leaves, reports }
  // The turn is not looked at by what tries leaves.
  const result = tryLeaves(scene as LedgerScene, leaves)
  assert(result !== undefined || !settings.rules.executesFirst(), 'a vote for what cannot be executed')
  const hash = proposalHash(descriptor, proposal, settings.suite)
  const checked = { ...proposal, ...result!, hash }
  round.proposals.set(toHex(hash), checked)
  round.kept.add(toHex(hash))
  return checked
}

function restoreVote(scene: Restoring, record: Proposal): void {
  const { ledger } = scene
  const voted = restoreProposal(scene, record)
  if (voted === undefined) return
  const { round, descriptor } = ledger
  const { height, attempt, reports, size, root, hash } = voted
  const statement: Statement = { height, size, root, previous: ledger.previous, attempt, proposal: hash }
  round.attempt = attempt
  round.promised = Math.max(round.promised, attempt)
  round.opened = reports
  round.vote = { statement, signature: voterOf(scene as LedgerScene).sign(noteBytes(descriptor, statement)) }
  round.votes.set(ledger.place, round.vote)
  ledger.voted = Math.max(ledger.voted, height)
}

function isLost({ salt }: LedgerServerState, { genesis }: Descriptor, place: number): boolean {
  return place >= 0 && (salt === undefined || !sameBytes(genesis.servers[place]!.salt, salt))
}

function insert(state: LedgerServerState, ledger: ServedLedger): void {
  state.ledgers.set(ledger.descriptor.hex, ledger)
  state.names.set(ledger.descriptor.genesis.name, ledger.descriptor.hex)
}

/** Opens a ledger, or says why not; one that is open stays as it is. */
export function openLedger(scene: ServerScene, encoded: Uint8Array, owner: string, by: NodeId): ServedLedger | string {
  const { state, settings, turn } = scene
  // Before its keys are checked, which is dear.
  const known = state.ledgers.get(toHex(settings.suite.hash(encoded)))
  if (known !== undefined) return known
  const descriptor = readGenesis(encoded, settings.suite)
  if (typeof descriptor === 'string') return descriptor
  const { name } = descriptor.genesis
  if (state.names.has(name)) return `there is another ledger '${name}' here.`
  const place = placeIn(newestEpoch(descriptor), state.self, settings)
  // A later epoch may name it: only the servers that keep the ledger now can know.
  if (place < 0 && !state.peers.includes(by)) return 'its genesis does not name the voting key of this server.'
  const brought = [...state.ledgers.values()].filter(one => one.owner === owner).length
  if (state.ledgers.size >= LEDGERS_MAX || brought >= LEDGERS_OF_CLIENT_MAX)
    return 'this server keeps too many ledgers already.'
  const lost = isLost(state, descriptor, place)
  const ledger = newLedger(descriptor, owner, place, lost, settings)
  insert(state, ledger)
  save(scene, { kind: 'opened', genesis: encode(genesisCodec, descriptor.genesis), owner })
  turn.do({ kind: 'emit', event: { kind: 'opened', name, ledger: descriptor.hex, by, lost } })
  return ledger
}

export function onStart(scene: ServerScene): void {
  if (scene.state.salt === undefined) drawSalt(scene)
  onRollTimer(scene)
}

function drawSalt(scene: ServerScene): void {
  const salt = scene.turn.bytes(SALT_BYTES)
  beginLife(scene.state, salt)
  save(scene, { kind: 'salt', salt })
}

/** The store's first life, or one after an old copy was put back: what was voted before it is not known. */
function beginLife(state: LedgerServerState, salt: Uint8Array): void {
  state.salt = salt
  for (const ledger of state.ledgers.values()) {
    ledger.round = newRound()
    ledger.voted = ledger.head.height
    if (ledger.place >= 0) ledger.lost = new Map()
  }
}

/** Its store is no old copy, as far as the others know. */
export function onGo({ state }: ServerScene): void {
  state.held = false
}

/**
 * Its store is an old copy. A new salt says so on disk, and for ledgers of which the copy knows nothing: a genesis names another
 * one, and so votes were forgotten.
 */
export function onLost(scene: ServerScene): void {
  scene.state.held = false
  if (scene.settings.rules.forgetsWithCopy()) drawSalt(scene)
}

export function onTellLoss({ turn }: ServerScene): void {
  turn.do({ kind: 'emit', event: { kind: 'lossKept' } })
}

/** How often the others are asked for ledgers, and how far apart: connections may not be there yet. */
const ROLLS = 5
const ROLL_EVERY: Millis = 1_000

/** Asks the others which ledgers name this server, and how far they are. */
export function onRollTimer(scene: ServerScene): void {
  const { state, turn } = scene
  for (const peer of state.peers) {
    if (peer === state.self) continue
    turn.do({ kind: 'send', to: peer, body: { kind: 'roll' } })
    for (const { places, descriptor } of state.ledgers.values()) {
      if (places.has(peer)) turn.do({ kind: 'send', to: peer, body: { kind: 'recall', ledger: descriptor.id } })
    }
  }
  if (++state.rolls < ROLLS) serverTimers.set(turn, 'roll', ROLL_EVERY)
}

/** Also to those who do not keep a ledger now: the next epoch may name them, and they pledge only what they know. */
export function onRollMessage(scene: ServerScene, from: NodeId): void {
  const { peers, rolled } = scene.state
  if (!peers.includes(from)) return
  // A word of a few bytes, and the answer may have 16 MiB. Who starts asks again after a second: every other one is enough.
  const last = rolled.get(from)
  if (last !== undefined && scene.turn.now - last < ROLL_EVERY / 2) return
  rolled.set(from, scene.turn.now)
  for (const { descriptor } of scene.state.ledgers.values()) {
    scene.turn.do({ kind: 'send', to: from, body: { kind: 'genesis', genesis: encodeDescriptor(descriptor) } })
  }
}
