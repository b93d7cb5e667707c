// Members that lie about others, knowing the words. A liar speaks only as itself: it has its own key and no other.
// Otherwise it follows the protocol, so that it stays a member and is listened to.

import { type AnyProtocol, type NodeId, sameBytes } from '../../core/index.ts'
import { generalLiars, type Liar } from '../../simulator/index.ts'
import { type Claim, signClaim } from '../claims.ts'
import { bootOf, incarnationOf } from '../incarnation.ts'
import type { Member, MembershipState, MembershipTurn } from '../member/state.ts'
import type { MembershipSettings } from '../settings.ts'
import { aggregateBytes, CLAIMS_MAX, type MembershipMessage, NONCE_BYTES } from '../wire.ts'

const LIE_EVERY = 200
/** Claims that a liar keeps, to bring them up again. */
const KEPT_MAX = 500

interface Lying {
  readonly state: MembershipState
  readonly turn: MembershipTurn
  readonly settings: MembershipSettings
  readonly kept: Claim[]
}

/** A member that lies in gossip. */
export type MembershipLiar = Omit<Liar, 'corrupt'> & {
  corrupt(honest: AnyProtocol, settings: MembershipSettings): AnyProtocol
}

/** The honest machine, and beside it, again and again, a lie; `instead` may take the place of an honest answer. */
function beside(
  name: string,
  lie: (lying: Lying) => void,
  instead: (lying: Lying, from: NodeId, body: MembershipMessage) => boolean = () => false,
): MembershipLiar {
  return {
    name,
    corrupt(honest, settings) {
      const kept: Claim[] = []
      return {
        ...honest,
        name: `${honest.name}, ${name}`,
        step(state: MembershipState, input, turn: MembershipTurn) {
          const lying = { state, turn, settings, kept }
          if (input.kind === 'start') turn.do({ kind: 'timer', name: 'lie', after: LIE_EVERY })
          if (input.kind === 'timer' && input.name === 'lie') {
            turn.do({ kind: 'timer', name: 'lie', after: LIE_EVERY })
            return lie(lying)
          }
          if (input.kind === 'message') {
            keep(kept, input.body)
            if (instead(lying, input.from, input.body)) return
          }
          honest.step(state, input, turn)
        },
      }
    },
  }
}

function keep(kept: Claim[], body: MembershipMessage): void {
  if (!('claims' in body)) return
  for (const claim of body.claims) if (kept.length < KEPT_MAX) kept.push(claim)
}

function victim({ state, turn }: Lying): Member | undefined {
  const id = state.others[turn.below(Math.max(1, state.others.length))]
  return id === undefined ? undefined : state.members.get(id)
}

function tellAll({ state, turn }: Lying, claims: readonly Claim[]): void {
  for (const to of state.others) turn.do({ kind: 'send', to, body: { kind: 'gossip', claims } })
}

/** Says in others' names that they left. */
const forgesLeaves = beside('forges leaves', lying => {
  const member = victim(lying)
  if (member === undefined) return
  const { incarnation, signature } = member.alive
  tellAll(lying, [{ kind: 'leave', member: member.id, incarnation, signature }])
})

/** Says in others' names that they are elsewhere. */
const forgesLives = beside('forges lives', lying => {
  const member = victim(lying)
  if (member === undefined) return
  const { alive } = member
  tellAll(lying, [{ ...alive, incarnation: alive.incarnation + 1 + lying.turn.below(3), address: 'liar:1' }])
})

/** Says in a third one's name that a member does not answer. */
const forgesAccusations = beside('forges accusations', lying => {
  const [member, author] = [victim(lying), victim(lying)]
  if (member === undefined || author === undefined || member === author) return
  const { incarnation, signature } = member.alive
  const boot = Math.floor(author.alive.incarnation / incarnationOf(1, 0))
  tellAll(lying, [{ kind: 'suspect', member: member.id, incarnation, author: author.id, boot, signature }])
})

/** Brings up what was said long ago. */
const replaysClaims = beside('replays claims', lying => {
  const { kept, turn } = lying
  if (kept.length === 0) return
  tellAll(
    lying,
    Array.from({ length: 8 }, () => kept[turn.below(kept.length)]!),
  )
})

/** Suspects everybody, under its own name; and gives everybody up. */
const accusesAll = beside('accuses all', lying => {
  const member = victim(lying)
  if (member === undefined) return
  const { settings, state } = lying
  const words = { member: member.id, incarnation: member.alive.incarnation, author: state.self, boot: state.boot }
  const kind = lying.turn.below(2) === 0 ? ('suspect' as const) : ('failed' as const)
  tellAll(lying, [signClaim(settings.group, settings.signer, { kind, ...words })])
})

/** As many messages as it can. */
const FLOOD = 100
const floods = beside('floods', ({ state, turn }) => {
  for (const to of state.others) {
    for (let i = 0; i < FLOOD; i++) turn.do({ kind: 'send', to, body: { kind: 'more', after: '' } })
  }
})

/** Asked to see whether a member is there, it always says yes; and it never accuses anybody itself. */
const vouchesForAll = beside(
  'vouches for all',
  ({ state }) => {
    if (state.probe !== undefined) state.probe.answered = true
  },
  ({ turn }, from, body) => {
    if (body.kind !== 'pingRequest') return false
    turn.do({ kind: 'send', to: from, body: { kind: 'relayed', nonce: body.nonce, voucher: turn.bytes(64) } })
    return true
  },
)

/** Two addresses under one number: one for the first half of the others, one for the rest. */
const twoFaced = beside('two-faced', lying => {
  const { state, turn, settings } = lying
  const own = state.members.get(state.self)?.alive
  if (own === undefined || state.leaving) return
  const other = signClaim(settings.group, settings.signer, { ...own, address: 'elsewhere:1' })
  for (const [place, to] of [...state.others].sort().entries()) {
    if (place % 2 === 0) turn.do({ kind: 'send', to, body: { kind: 'gossip', claims: [other] } })
  }
})

/** Has everybody vouch for everybody's sake while all live, keeps that, and brings it when somebody is missed. */
function collectsVouchers(): MembershipLiar {
  const asked = new Map<string, string>()
  const vouchers = new Map<string, Uint8Array>()
  const pair = (requester: NodeId, target: NodeId) => `${requester} ${target}`
  return beside(
    'collects vouchers',
    lying => {
      const { state, turn } = lying
      const [target, requester] = [victim(lying), victim(lying)]
      if (state.probe !== undefined) state.probe.answered = true
      if (target === undefined || requester === undefined || target === requester) return
      const nonce = turn.bytes(NONCE_BYTES)
      asked.set(nonce.join(), pair(requester.id, target.id))
      const relay = { requester: requester.id, nonce: turn.bytes(NONCE_BYTES) }
      turn.do({ kind: 'send', to: target.id, body: { kind: 'ping', nonce, relay, claims: [] } })
    },
    ({ turn }, from, body) => {
      if (body.kind === 'ack' && body.voucher !== undefined) {
        const about = asked.get(body.nonce.join())
        if (about !== undefined) vouchers.set(about, body.voucher)
      }
      const voucher = body.kind === 'pingRequest' ? vouchers.get(pair(from, body.target)) : undefined
      if (body.kind !== 'pingRequest' || voucher === undefined) return false
      turn.do({ kind: 'send', to: from, body: { kind: 'relayed', nonce: body.nonce, voucher } })
      return true
    },
  )
}

/** Whatever it hears, it tells all at once with another signature: before the genuine claim has come. */
const forgesCopies = beside(
  'forges copies',
  () => {},
  (lying, _from, body) => {
    const genuine = 'claims' in body ? body.claims[0] : undefined
    if (genuine !== undefined) tellAll(lying, [{ ...genuine, signature: genuine.signature.map(byte => byte ^ 1) }])
    return false
  },
)

/** Answers before it is asked, to look near. */
const answersUnasked = beside('answers unasked', ({ state, turn }) => {
  const { coordinate } = state
  for (const to of state.others) {
    const nonce = turn.bytes(NONCE_BYTES)
    turn.do({ kind: 'send', to, body: { kind: 'ack', nonce, voucher: undefined, coordinate, claims: [] } })
  }
})

/** Keeps every accusation, and brings those up again whose author has since begun another life. */
const revivesAccusations = beside('revives accusations', lying => {
  const { kept, state } = lying
  const old = kept.filter(claim => {
    if (claim.kind !== 'suspect' && claim.kind !== 'failed') return false
    const author = state.members.get(claim.author)
    return author !== undefined && bootOf(author.alive.incarnation) > claim.boot
  })
  if (old.length > 0) tellAll(lying, old.slice(-CLAIMS_MAX))
})

/** Starts aggregates in others' names, as many as there is room for. */
const asksInOthersNames = beside('asks in others’ names', lying => {
  const { state, turn, settings } = lying
  const member = victim(lying)
  if (member === undefined) return
  const estimate = { average: 0, share: 1, minimum: 0, maximum: 0 }
  for (let number = 1; number <= 8; number++) {
    const of = { asker: member.id, boot: bootOf(member.alive.incarnation), number, name: 'load' }
    const signature = settings.signer.sign(aggregateBytes(settings.group, of))
    const body = { kind: 'average', of, signature, exchange: number, estimate } as const
    for (const to of state.others) turn.do({ kind: 'send', to, body })
  }
})

/** Has others ask for it without end, as often as it may. */
const RELAYS = 48
const asksForHelp = beside('asks for help', lying => {
  const { state, turn } = lying
  for (const to of state.others) {
    for (let i = 0; i < RELAYS; i++) {
      const target = victim(lying)
      if (target === undefined) return
      const nonce = turn.bytes(NONCE_BYTES)
      turn.do({ kind: 'send', to, body: { kind: 'pingRequest', nonce, target: target.id, claims: [] } })
    }
  }
})

/** The second certificate of a member, with its key. */
export type SecondIdentity = (id: NodeId) => Pick<MembershipSettings, 'identity' | 'signer'>

/**
 * Has two certificates, and lives one life under both: to some it shows one, to the others the other, and signs with both
 * keys what these then pass on to each other.
 */
function hasTwoKeys(second: SecondIdentity): MembershipLiar {
  return beside(
    'has two keys',
    lying => {
      const { state, turn, settings } = lying
      const own = state.members.get(state.self)?.alive
      if (own === undefined || state.leaving) return
      const { identity, signer } = second(state.self)
      const incarnation = own.incarnation + turn.below(2)
      const other = signClaim(settings.group, signer, { ...own, incarnation, identity })
      const version = state.version + 1 + turn.below(1_000_000)
      const values = [{ name: 'load', value: turn.below(100) }]
      const words = { kind: 'attributes', member: state.self, boot: state.boot, version, values } as const
      const claims = [other, signClaim(settings.group, signer, words)]
      for (const [place, to] of [...state.others].sort().entries()) {
        if (place % 2 === 0) turn.do({ kind: 'send', to, body: { kind: 'gossip', claims } })
      }
    },
    // It does not answer itself.
    ({ state, settings }, _from, body) =>
      'claims' in body &&
      body.claims.some(one => {
        return one.kind === 'alive' && one.member === state.self && !sameBytes(one.identity, settings.identity)
      }),
  )
}

function general(liar: Liar): MembershipLiar {
  return { name: liar.name, corrupt: honest => liar.corrupt(honest) }
}

/** Fresh ones for each run: some remember. Those with a second certificate only where there are any. New ones at the end: a seed found among the first few is replayed among those. */
export function membershipLiars(second?: SecondIdentity): readonly MembershipLiar[] {
  const known = [
    forgesLeaves,
    forgesLives,
    forgesAccusations,
    replaysClaims,
    accusesAll,
    floods,
    vouchesForAll,
    twoFaced,
    ...generalLiars().map(general),
    collectsVouchers(),
    forgesCopies,
    answersUnasked,
    revivesAccusations,
    asksInOthersNames,
    asksForHelp,
  ]
  return second === undefined ? known : [...known, hasTwoKeys(second)]
}
