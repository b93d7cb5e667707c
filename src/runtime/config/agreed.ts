// What nodes must agree on, of all that the group's settings say. Addresses are not among it: a machine may be known by
// one address here and by another there, and a server that moves is not another one.

import { createHash } from 'node:crypto'
import { sayable } from '../transport/settings.ts'
import type { GroupSettings } from './config.ts'

/** Enough to tell two lists apart that nobody made on purpose to look alike. */
const DIGITS = 16

/** At a server's port: quorums, leases and clocks. */
export function serverSettings({ trust, lock, objects, servers }: GroupSettings): string {
  const names = servers.map(({ name }) => name).sort()
  return sayable({
    liars: trust.liars,
    crashes: trust.crashes,
    ttlMax: lock.ttlMax,
    drift: lock.drift,
    attemptMax: objects.attemptMax,
    // Only where they are set: a group that leaves them out says what it always said.
    ...(lock.tokenAheadMax === undefined ? {} : { tokenAheadMax: lock.tokenAheadMax }),
    ...(objects.rankAheadMax === undefined ? {} : { rankAheadMax: objects.rankAheadMax }),
    servers: createHash('sha256').update(names.join(' ')).digest('hex').slice(0, DIGITS),
  })
}

/** At a member's port. Not who the members are: that changes while they run. */
export function memberSettings({ lock, membership }: GroupSettings): string {
  const { liars, lease, ballots } = membership
  return sayable({ 'membership.liars': liars, 'membership.lease': lease, ballots, drift: lock.drift })
}
