// The life of an epoch (protocols/slots 1): a record, fresh keys with proofs of possession, and everybody's signature under
// all of them. Live when all listed members agreed. The key is in memory only and erased at the end; a member that
// restarted has lost it, and comes back by the next epoch.

import { encode, type NodeId, sameBytes } from '../../core/index.ts'
import { keyPair, possessionProofCodec, provePossession } from '../../crypto/index.ts'
import { accuse } from './accusing.ts'
import { keysHash } from './evidence.ts'
import { checkKey, keyContext, sumOfKeys } from './proofs.ts'
import { driftOf, type EpochRecord, positionOf, recordHash } from './record.ts'
import { saveJoined } from './saved.ts'
import { answer, saidBy, saidByAll, sayStep } from './saying.ts'
import { type Epoch, NEVER, type SlotsScene } from './state.ts'
import type { Key, Ready } from './wire.ts'

export function newEpoch(self: NodeId, record: EpochRecord, barred: boolean, now: number, quietUntil: number): Epoch {
  return {
    record,
    hash: recordHash(record),
    position: positionOf(record, self),
    barred,
    secret: undefined,
    said: new Map(),
    keys: [],
    groupKey: new Uint8Array(),
    live: false,
    liveAt: NEVER,
    adoptedAt: now,
    quietUntil,
    closed: false,
    rounds: new Map(),
    next: 1,
    wanted: undefined,
    uses: record.slots.map(() => ({ round: -1, sharedAt: NEVER, closed: true })),
    owed: new Map(),
    silent: new Map(),
    wasSilent: new Map(),
    heldUp: new Map(),
    forgers: new Set(),
    falseAccusers: new Set(),
    complainedOf: new Set(),
    succession: {
      active: false,
      ballot: 0,
      tries: 0,
      startedAt: NEVER,
      favouredIn: -1,
      proposals: new Map(),
      favours: new Map(),
      signs: new Map(),
      lock: undefined,
      valid: undefined,
      signedAt: NEVER,
      reached: new Map(),
      led: new Map(),
      torn: new Set(),
    },
  }
}

/** Whether we have a part in the rounds of this epoch. */
export function takesPart({ position, barred }: Epoch): boolean {
  return position >= 0 && !barred
}

/** How long nothing is dealt after an epoch change. */
export function quietFor(scene: SlotsScene, record: EpochRecord): number {
  return scene.rules.quiet(record.lease, driftOf(record))
}

/** Posts our key. The mark on disk comes first: after a crash we must not post another. */
export function beginEpoch(scene: SlotsScene): void {
  const { state, group, turn } = scene
  const { epoch } = state
  tellEpoch(scene)
  if (!takesPart(epoch)) return
  saveJoined(scene, epoch.hash)
  const random = (length: number) => turn.bytes(length)
  const keys = keyPair(group, random)
  epoch.secret = keys.secret
  const proof = provePossession(group, keys, keyContext(epoch.hash, state.self), random)
  const proven = encode(possessionProofCodec(group), proof)
  sayStep<Key>(scene, undefined, { kind: 'key', round: 0, publicKey: keys.publicKey, proof: proven })
  advanceEpoch(scene)
}

function tellEpoch(scene: SlotsScene): void {
  const { epoch } = scene.state
  const { number, members } = epoch.record
  const names = members.map(member => member.name)
  scene.turn.do({ kind: 'emit', event: { kind: 'epoch', number, members: names, live: epoch.live } })
}

/** After what may bring the next epoch: if it did, our key is posted. */
export function beginIfNext(scene: SlotsScene, before: Epoch): void {
  if (scene.state.epoch !== before) beginEpoch(scene)
}

export function onKey(scene: SlotsScene, key: Key): void {
  const { state, group, rules } = scene
  if (!checkKey(group, key, rules.needsPossession())) {
    accuse(scene, { kind: 'key', record: state.epoch.record, statement: key })
  }
  advanceEpoch(scene)
}

export function onReady(scene: SlotsScene): void {
  advanceEpoch(scene)
}

/** Somebody agreed to other keys than ours: show what we have, and a member that signed two versions is found out. */
export function compareKeys(scene: SlotsScene, ready: Ready): void {
  const { epoch } = scene.state
  const own = saidBy(epoch, 'ready', epoch.position)
  if (own !== undefined && !sameBytes(own.keys, ready.keys)) {
    for (const key of saidByAll(epoch, epoch, 'key') ?? []) answer(scene, ready.author, key)
  }
}

function advanceEpoch(scene: SlotsScene): void {
  const { epoch } = scene.state
  if (epoch.live || epoch.secret === undefined) return
  const keys = saidByAll(epoch, epoch, 'key')
  if (keys === undefined) return
  const needsProof = scene.rules.needsPossession()
  if (!keys.every(key => checkKey(scene.group, key, needsProof))) return
  const own = saidBy(epoch, 'ready', epoch.position)
  const hash = own?.keys ?? keysHash(keys)
  if (own === undefined) sayStep<Ready>(scene, undefined, { kind: 'ready', round: 0, keys: hash })
  const readies = saidByAll(epoch, epoch, 'ready')
  if (readies === undefined || !readies.every(ready => sameBytes(ready.keys, hash))) return
  epoch.keys = keys
  epoch.groupKey = sumOfKeys(scene.group, keys)
  epoch.live = true
  epoch.liveAt = scene.turn.now
  tellEpoch(scene)
}

/** The key is worth nothing any more, and must be worth nothing to anybody that reads our memory. */
export function endEpoch(epoch: Epoch): void {
  epoch.secret?.fill(0)
  epoch.secret = undefined
}
