// What a member says about itself: that it lives, with what, that it is not dead after all, and that it leaves.

import { encode } from '../../core/index.ts'
import { claimDigest, signClaim } from '../claims.ts'
import { BOOT_MAX, bootOf, incarnationOf } from '../incarnation.ts'
import { awareness } from '../suspicion.ts'
import { membershipRecord } from '../wire.ts'
import type { Member, MemberScene } from './state.ts'
import { newMember, remember, someOthers, spread, tell } from './views.ts'

/** A new life: its number is durable before anything is said in it. */
export function beginLife(scene: MemberScene, boot: number): void {
  const { state, turn } = scene
  state.boot = Math.min(boot, BOOT_MAX)
  state.incarnation = incarnationOf(state.boot, 0)
  state.version = 0
  turn.do({ kind: 'snapshot', record: encode(membershipRecord, { boot: state.boot }) })
  announce(scene)
}

/** Says again that this member lives, under its present incarnation; a life's attributes come with its first word. */
export function announce(scene: MemberScene): void {
  const { state, settings } = scene
  const { self, incarnation, address, keys } = state
  const { group, signer, identity } = settings
  const alive = signClaim(group, signer, { kind: 'alive', member: self, incarnation, address, identity, keys })
  const known = state.members.get(self)
  if (known === undefined) {
    remember(scene, newMember(scene, alive, claimDigest(alive), signer.publicKey, 'alive'))
  } else {
    known.alive = alive
    known.digest = claimDigest(alive)
    known.accusers.clear()
    known.notices.clear()
    known.certified = false
  }
  tell(scene, known === undefined ? 'joined' : 'updated', state.members.get(self)!)
  spread(scene, alive)
  if (state.version === 0 && state.values.size > 0) announceValues(scene)
}

export function announceValues(scene: MemberScene): void {
  const { state, settings } = scene
  const { self, boot } = state
  const values = [...state.values].map(([name, value]) => ({ name, value }))
  const version = ++state.version
  const claim = signClaim(settings.group, settings.signer, { kind: 'attributes', member: self, boot, version, values })
  const own = state.members.get(self)!
  own.attributes = claim
  tell(scene, 'updated', own)
  spread(scene, claim)
}

/** Somebody suspects this member, or gave it up: only its own word, with a higher number, helps. */
export function refute(scene: MemberScene): void {
  const { state, settings } = scene
  state.incarnation = settings.rules.refutes(state.incarnation)
  // A member that is suspected has perhaps been slow.
  if (settings.lifeguard.awareness) state.awareness = awareness(state.awareness, 1)
  announce(scene)
}

/** Its own claims from a life that its store does not remember: it goes on above them. */
export function surpass(scene: MemberScene, told: Member['alive']): void {
  beginLife(scene, bootOf(told.incarnation) + 1)
}

/** How many are told directly: enough that losing a few does not matter. */
const FAREWELLS = 8

export function sayLeave(scene: MemberScene): void {
  const { state, settings, turn } = scene
  const { self, incarnation } = state
  const leave = signClaim(settings.group, settings.signer, { kind: 'leave', member: self, incarnation })
  const own = state.members.get(self)!
  own.leave = leave
  own.status = 'left'
  for (const to of someOthers(scene, FAREWELLS))
    turn.do({ kind: 'send', to, body: { kind: 'gossip', claims: [leave] } })
  spread(scene, leave)
}
