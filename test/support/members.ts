// Members that tests speak for: claims in anybody's name, rightly signed, and one member that has met all of them.

import type { NodeId } from '../../src/core/index.ts'
import { type Claim, signClaim, type UnsignedClaim } from '../../src/membership/claims.ts'
import type { MembershipEvent } from '../../src/membership/events.ts'
import { incarnationOf } from '../../src/membership/incarnation.ts'
import { membership } from '../../src/membership/member/machine.ts'
import { simulatedGroup } from '../../src/membership/proof/simulated.ts'
import type { MembershipSettings } from '../../src/membership/settings.ts'
import type { MembershipMessage } from '../../src/membership/wire.ts'
import { Puppet } from './machine.ts'

const GROUP = 'simulated'
export const ids = ['self', 'ann', 'bob', 'carl', 'dora', 'eve']
export const group = simulatedGroup(ids)

export function signed(author: NodeId, claim: UnsignedClaim): Claim {
  return signClaim(GROUP, group.settings(author).signer, claim) as Claim
}

export function alive(member: NodeId, boot = 1, counter = 0, address = `${member}:7000`): Claim {
  const { identity } = group.settings(member)
  const incarnation = incarnationOf(boot, counter)
  return signed(member, { kind: 'alive', member, incarnation, address, identity, keys: [] })
}

export function accusation(kind: 'suspect' | 'failed', author: NodeId, member: NodeId, counter = 0): Claim {
  return signed(author, { kind, author, member, boot: 1, incarnation: incarnationOf(1, counter) })
}

export const gossip = (...claims: Claim[]): MembershipMessage => ({ kind: 'gossip', claims })

/** A member that has met everybody. */
export function acquainted(change: Partial<MembershipSettings> = {}) {
  const puppet = new Puppet(membership(group.settings('self', change)), ids)
  puppet.start()
  puppet.hear('ann', gossip(...ids.slice(1).map(id => alive(id))))
  return puppet
}

export const statusOf = (puppet: ReturnType<typeof acquainted>, member: NodeId) =>
  puppet.state.members.get(member)?.status
export const changes = (events: readonly MembershipEvent[]) =>
  events.flatMap(event => (event.kind === 'changed' ? [`${event.change} ${event.member.member}`] : []))
