// Bugs planted on purpose, one broken rule each. If the explorer and the simulator do not find them,
// they would not find ours either.

import { type LockRules, lockRules } from '../rules.ts'
import { TOKEN_MAX } from '../wire.ts'

/** Rules that are broken on purpose, by name. */
export const plantedBugs: Readonly<Record<string, Partial<LockRules>>> = {
  'one-grant-too-few': { grantsNeeded: (servers, liars) => lockRules.grantsNeeded(servers, liars) - 1 },
  'forgotten-status-reset': { isCurrent: () => true },
  'grant-after-restart': { restartWait: () => 0 },
  'lease-from-reply': { beliefStart: (_sentAt, answeredAt) => answeredAt },
  'no-drift-factor': { belief: ttl => ttl },
  'release-of-any-holder': { mayRelease: () => true },
  'stray-grant-returned': { isStray: () => true },
  'used-token-taken-back': { neverUsed: () => true },
  // Modelled on what people complain of in the lock services they use.
  'expired-lease-returned': { mayWin: () => true },
  'loss-noticed-late': { warns: () => false },
  'token-reused-after-restart': { floorAfterRestart: () => 0 },
  'waiter-lost': { pings: () => false },
  'waiter-grant-from-arrival': { waiterBeliefStart: (_pingedAt, answeredAt) => answeredAt },
  'stale-write-accepted': { admits: (_seen, token) => ({ pass: true, seen: token }) },
  'inquire-overtakes-grant': { countsGrant: () => true },
  'kept-by-a-stranger': { mayKeep: () => true },
  'floor-0-after-a-lost-store': { floorAfterLoss: () => 0 },
  'token-follows-one-server': { raiseToken: (token, reported) => Math.max(token, ...reported) },
  'largest-token-taken': { tokenMax: () => TOKEN_MAX },
  'granted-to-a-server': { mayAsk: () => true },
}

/** The rules with that planted bug; without one, as they are. */
export function brokenRules(bug: string | undefined): LockRules {
  if (bug === undefined) return lockRules
  const broken = plantedBugs[bug]
  if (broken === undefined)
    throw new RangeError(`no planted bug '${bug}'; there are: ${Object.keys(plantedBugs).join(', ')}`)
  return { ...lockRules, ...broken }
}
