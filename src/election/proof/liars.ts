// Members that lie about elections, knowing the words. Each signs as itself only: it has its own keys and no others.

import { decode, encode, type NodeId, type Protocol } from '../../core/index.ts'
import { generalLiars, type Liar, twisting } from '../../simulator/index.ts'
import { totals, winner } from '../count/ballot.ts'
import { approvalBytes, digestOf, successorOf } from '../count/electorate.ts'
import { hiddenBallotCodec, openingCodec } from '../count/secret.ts'
import type { ElectionCommand, ElectionEvent } from '../member/commands.ts'
import { election } from '../member/machine.ts'
import type { Counting, ElectionTurn, Keys } from '../member/scene.ts'
import type { ElectionState, Race } from '../member/state.ts'
import type { ElectionSettings } from '../settings.ts'
import {
  ballotText,
  type ElectionMessage,
  type Electorate,
  grantText,
  openBallot,
  type SignedGrant,
  TERMS_PER_LIST,
} from '../wire.ts'

type Machine = Protocol<ElectionState, ElectionMessage, ElectionCommand, ElectionEvent>

/** Honest, but for what it does besides with each message. */
function besides(
  name: string,
  lie: (state: ElectionState, from: NodeId, body: ElectionMessage, turn: ElectionTurn) => void,
): Liar {
  return {
    name,
    corrupt(honest: Machine) {
      const machine: Machine = {
        name: `${honest.name}, ${name}`,
        init: honest.init,
        step(state, input, turn) {
          if (input.kind === 'message') lie(state, input.from, input.body, turn)
          honest.step(state, input, turn)
        },
      }
      return machine
    },
  }
}

/** Casts one ballot to some candidates and the reverse to the others, both under its own signature. */
export function votesTwice(settings: ElectionSettings, keys: Keys): Liar {
  let text: Uint8Array | undefined
  let casts = 0
  const signer = {
    publicKey: keys.signer.publicKey,
    sign(message: Uint8Array) {
      if (decode(ballotText, message).ok) text = message
      return keys.signer.sign(message)
    },
  }
  const reversed = (bytes: Uint8Array): Uint8Array => {
    const ballot = decode(openBallot, bytes)
    const signed = text === undefined ? undefined : decode(ballotText, text)
    if (!ballot.ok || !signed?.ok) return bytes
    const order = [...signed.value.order].reverse()
    const signature = keys.signer.sign(encode(ballotText, { ...signed.value, order }))
    return encode(openBallot, { ...ballot.value, order, signature })
  }
  const sealing = {
    ...keys.sealing,
    seal: (to: Uint8Array, bytes: Uint8Array, random: (length: number) => Uint8Array) =>
      keys.sealing.seal(to, casts++ % 2 === 0 ? bytes : reversed(bytes), random),
  }
  return { name: 'votes-twice', corrupt: () => election(settings, { ...keys, signer, sealing }) }
}

/** Honest, but for what it makes of each ballot before it is sealed; it signs what comes out. */
function ballotChanged(
  name: string,
  settings: ElectionSettings,
  keys: Keys,
  change: (hidden: Uint8Array) => Uint8Array,
): Liar {
  let text: Uint8Array | undefined
  const signer = {
    publicKey: keys.signer.publicKey,
    sign(message: Uint8Array) {
      if (decode(ballotText, message).ok) text = message
      return keys.signer.sign(message)
    },
  }
  const changed = (bytes: Uint8Array): Uint8Array => {
    const ballot = decode(openBallot, bytes)
    const signed = text === undefined ? undefined : decode(ballotText, text)
    if (!ballot.ok || !signed?.ok) return bytes
    const hidden = change(ballot.value.hidden)
    const signature = keys.signer.sign(encode(ballotText, { ...signed.value, hidden }))
    return encode(openBallot, { ...ballot.value, hidden, signature })
  }
  const seal: Keys['sealing']['seal'] = (to, bytes, random) => keys.sealing.seal(to, changed(bytes), random)
  return { name, corrupt: () => election(settings, { ...keys, signer, sealing: { ...keys.sealing, seal } }) }
}

/** Adds votes for the first candidate to its secret ballot; the proof is of what it was. */
export function stuffs(settings: ElectionSettings, keys: Keys, { group }: Counting): Liar {
  return ballotChanged('stuffs', settings, keys, hidden => {
    const ballot = decode(hiddenBallotCodec(group), hidden)
    const [first, ...rest] = ballot.ok ? ballot.value.tickets : []
    if (!ballot.ok || first === undefined) return hidden
    const more = { c1: first.c1, c2: group.add(first.c2, group.generator) }
    return encode(hiddenBallotCodec(group), { ...ballot.value, tickets: [more, ...rest] })
  })
}

/** Gives a share of the first total that makes it larger by one; the proof is of the true one. */
export function opensFalsely({ group }: Counting): Liar {
  return twisting('opens-falsely', (send, turn) => {
    const { kind, opening } = send.body as Partial<Extract<ElectionMessage, { kind: 'opening' }>>
    const shares = kind === 'opening' ? decode(openingCodec(group), opening!) : undefined
    const [first, ...rest] = shares?.ok ? shares.value : []
    if (first === undefined) return turn.do(send)
    const less = { ...first, share: group.subtract(first.share, group.generator) }
    turn.do({ ...send, body: { ...send.body, opening: encode(openingCodec(group), [less, ...rest]) } })
  })
}

/** Asks the candidates to open the ballots of all, and then all but one: the difference is a ballot. */
export const talliesTwice: Liar = twisting('tallies-twice', (send, turn) => {
  turn.do(send)
  if (send.body.kind !== 'tally') return
  const { ballots } = send.body as Extract<ElectionMessage, { kind: 'tally' }>
  turn.do({ ...send, body: { ...send.body, ballots: ballots.slice(1) } })
})

/** Gives no share of the totals, so that they are not opened. */
export const doesNotOpen: Liar = dropping('does-not-open', 'opening')

/** Grants every claim and renews for everybody, whatever it granted before. */
export function grantsTwice(keys: Keys): Liar {
  return besides('grants-twice', (state, from, body, turn) => {
    if (body.kind === 'claim') {
      const { name, term, asked } = body
      const signature = keys.signer.sign(grantFor(state.electorate, name, term, from))
      turn.do({ kind: 'send', to: from, body: { kind: 'grant', name, term, asked, signature } })
    }
    if (body.kind === 'alive') {
      const { name, term, asked } = body
      const yes = { kind: 'renewed', name, term, asked, promised: true, informed: true } as const
      turn.do({ kind: 'send', to: from, body: yes })
    }
  })
}

function grantFor(electorate: Electorate | undefined, name: string, term: number, coordinator: NodeId): Uint8Array {
  const digest = electorate === undefined ? new Uint8Array(0) : digestOf(electorate)
  return encode(grantText, { purpose: 'coterie grant', name, term, electorate: digest, coordinator })
}

/** Claims every term for itself, by a view on which nobody else stands, and says that it is alive. */
export const claimsAlways: Liar = besides('claims-always', (state, _from, body, turn) => {
  if (body.kind !== 'ballot' && body.kind !== 'call' && body.kind !== 'alive') return
  const { electorate, self } = state
  if (electorate === undefined) return
  const { name } = body
  const term = body.term + (body.kind === 'alive' ? 1 : 0)
  const view = { rows: [{ member: self, values: [0, 0, 0] }], leftOut: [] }
  const claim = { name, term, electorate: electorate.number, asked: 1 }
  for (const { id: to } of electorate.members) {
    if (to === self) continue
    turn.do({ kind: 'send', to, body: { kind: 'claim', ...claim, view, ballots: [], voided: [], openings: [] } })
    turn.do({
      kind: 'send',
      to,
      body: { kind: 'alive', ...claim, by: electorate.number, under: electorate.number, grants: [] },
    })
  }
})

/** Proposes one successor to some and another to the others, and approves both. */
export function proposesTwice(keys: Keys): Liar {
  return besides('proposes-twice', (state, _from, body, turn) => {
    const { electorate, self } = state
    if (electorate === undefined || body.kind !== 'alive') return
    for (const [place, { id: to }] of electorate.members.entries()) {
      if (to === self) continue
      const key = keys.signer.publicKey
      const add = { id: place % 2 === 0 ? 'ghost-1' : 'ghost-2', key, sealKey: key }
      turn.do({ kind: 'send', to, body: { kind: 'propose', electorate: successorOf(electorate, { add }) } })
    }
  })
}

/** How often it says each lie for each message that it hears: about as much as its allowance lets through. */
const WORDS_AT_ONCE = 24
/** Each call is answered, which it answers in turn. */
const CALLS_AT_ONCE = 4
const TERM_MAX = 2 ** 53 - 1
const NOTHING = new Uint8Array(0)

/** Says that it is in terms that nobody was in, now to one member and now to another, and refuses what nobody claimed. */
export const inflatesTerms: Liar = besides('inflates-terms', (state, from, body, turn) => {
  if (!('name' in body) || state.electorate === undefined) return
  const { name } = body
  const term = 'term' in body ? body.term : 1
  const far = [TERM_MAX, state.floor + TERMS_PER_LIST - turn.below(3), term + 2 ** (10 + turn.below(21))]
  const highest = far[turn.below(far.length)]!
  const ballot = { name, term: highest, electorate: state.electorate.number, view: NOTHING, sealed: NOTHING }
  turn.do({ kind: 'send', to: from, body: { kind: 'ballot', ...ballot } })
  for (let word = 0; word < WORDS_AT_ONCE; word++) {
    turn.do({ kind: 'send', to: from, body: { kind: 'refusal', name, term, highest, remaining: 0 } })
  }
})

/** Calls for one higher term after the other, each before anybody can have counted. */
export const callsWithoutEnd: Liar = besides('calls-without-end', (state, from, body, turn) => {
  const { electorate } = state
  const race = 'name' in body ? state.races.get(body.name) : undefined
  if (race === undefined || electorate === undefined || !('term' in body)) return
  const view = race.attempt?.view ?? { rows: race.rows, leftOut: [] }
  const step = 1 + turn.below(900)
  for (let word = 1; word <= CALLS_AT_ONCE; word++) {
    const term = Math.min(body.term + word * step, TERM_MAX)
    turn.do({
      kind: 'send',
      to: from,
      body: { kind: 'call', name: race.name, term, electorate: electorate.number, view },
    })
  }
})

/**
 * Counts only ballots with which it wins, claims with a few of these voters alone, grants everybody else's claim as well, and
 * tells all that it leads: with one grant less than a quorum.
 */
export function provesWithTooFew(settings: ElectionSettings, keys: Keys): Liar {
  const collected = new Map<string, SignedGrant[]>()
  return besides('proves-with-too-few', (state, from, body, turn) => {
    const { electorate, self } = state
    if (electorate === undefined || !('name' in body)) return
    const { name } = body
    const race = state.races.get(name)
    if (body.kind === 'claim') {
      const { term, asked } = body
      const signature = keys.signer.sign(grantFor(electorate, name, term, from))
      turn.do({ kind: 'send', to: from, body: { kind: 'grant', name, term, asked, signature } })
    }
    const claim = body.kind === 'ballot' ? winningClaim(state, race, settings) : undefined
    const fewer = quorumOf(electorate, settings) - 2
    const deceived = claim?.ballots.flatMap(({ voter }) => (voter === self ? [] : [voter])) ?? []
    for (const to of deceived.slice(0, fewer)) turn.do({ kind: 'send', to, body: claim! })
    if (!('term' in body)) return
    const { term } = body
    const grants = collected.get(`${name} ${term}`) ?? []
    if (body.kind === 'grant' && !grants.some(({ granter }) => granter === from)) {
      grants.push({ granter: from, signature: body.signature })
      collected.set(`${name} ${term}`, grants)
    }
    if (grants.length < fewer) return
    const own = { granter: self, signature: keys.signer.sign(grantFor(electorate, name, term, self)) }
    const alive = {
      name,
      term,
      electorate: electorate.number,
      asked: 1,
      by: electorate.number,
      under: electorate.number,
    }
    for (const { id: to } of electorate.members) {
      if (to === self) continue
      turn.do({ kind: 'send', to, body: { kind: 'alive', ...alive, grants: [...grants.slice(0, fewer), own] } })
    }
  })
}

function quorumOf({ members }: Electorate, { rules, liars }: ElectionSettings): number {
  return rules.quorum(members.length, liars, members.length)
}

/** With some of the ballots that it has, as few as make a quorum, this candidate may have won. */
function winningClaim({ electorate, self }: ElectionState, race: Race | undefined, settings: ElectionSettings) {
  const attempt = race?.attempt
  if (attempt === undefined || race === undefined || !attempt.candidates.includes(self)) return undefined
  const { candidates, term, view } = attempt
  const all = [...attempt.ballots.values()]
  const needed = quorumOf(electorate!, settings)
  for (let first = 0; first < all.length; first++) {
    const ballots = [...all, ...all].slice(first, first + needed)
    if (all.length < needed || !ballots.some(({ voter }) => voter !== self)) return undefined
    if (winner(candidates, totals(ballots, candidates.length, settings.rules)) !== self) continue
    const content = { view, ballots, voided: [], openings: [] }
    return { kind: 'claim', name: race.name, term, electorate: electorate!.number, asked: 1, ...content } as const
  }
  return undefined
}

/** Tells everybody that the one who leads or claims has resigned. */
export const resignsForOthers: Liar = besides('resigns-for-others', (state, _from, body, turn) => {
  if (body.kind !== 'alive' && body.kind !== 'claim') return
  const { name, term } = body
  for (const { id: to } of state.electorate?.members ?? []) {
    if (to !== state.self) turn.do({ kind: 'send', to, body: { kind: 'resigned', name, term } })
  }
})

/** Shows one list to some and another to the others, with signatures of all members that it made itself. */
export function forgesLists(keys: Keys): Liar {
  return besides('forges-lists', ({ electorate, floor, self }, _from, body, turn) => {
    if (electorate === undefined || body.kind !== 'alive') return
    const key = keys.signer.publicKey
    for (const [place, { id: to }] of electorate.members.entries()) {
      if (to === self) continue
      const next = successorOf(electorate, { add: { id: `ghost-${place % 2}`, key, sealKey: key } })
      const approvals = electorate.members.map(({ id: signer }) => {
        return { signer, term: floor, signature: keys.signer.sign(approvalBytes(next, floor)) }
      })
      turn.do({ kind: 'send', to, body: { kind: 'list', listed: { electorate: next, approvals } } })
    }
  })
}

/** A place that nobody has an opinion on: whoever claims it is granted it. */
const FRESH_PLACE = 'nobodys'

/** Claims the last term of the list before. */
export const claimsAtTheFloor: Liar = besides('claims-at-the-floor', (state, _from, body, turn) => {
  const { electorate, floor: term, self } = state
  if (electorate === undefined || body.kind !== 'alive') return
  const view = { rows: [{ member: self, values: [0, 0, 0] }], leftOut: [] }
  for (const name of new Set([body.name, FRESH_PLACE])) {
    const claim = { name, term, electorate: electorate.number, asked: 1, view, ballots: [], voided: [], openings: [] }
    for (const { id: to } of electorate.members) {
      if (to !== self) turn.do({ kind: 'send', to, body: { kind: 'claim', ...claim } })
    }
  }
})

/** Says of each member to another that it leads the next term, with grants of all that it signed itself. */
export function forgesLeaders(keys: Keys): Liar {
  return besides('forges-leaders', ({ electorate, self }, _from, body, turn) => {
    if (electorate === undefined || !('name' in body) || !('term' in body) || body.term >= TERM_MAX) return
    const { name } = body
    const others = electorate.members.filter(({ id }) => id !== self)
    for (const [place, { id: to }] of others.entries()) {
      const coordinator = others[(place + 1) % others.length]!.id
      const term = body.term + 1
      const signature = keys.signer.sign(grantFor(electorate, name, term, coordinator))
      const grants = electorate.members.map(({ id: granter }) => ({ granter, signature }))
      turn.do({ kind: 'send', to, body: { kind: 'led', name, term, coordinator, under: electorate.number, grants } })
    }
  })
}

/** Honest, but that it says again and again who led last, with grants that hold, whether or not it is still there. */
export const tellsOfTheGone: Liar = {
  name: 'tells-of-the-gone',
  corrupt(honest: Machine) {
    const machine: Machine = {
      name: `${honest.name}, tells-of-the-gone`,
      init: honest.init,
      step(state, input, turn) {
        honest.step(state, input, turn)
        for (const { proof } of state.races.values()) {
          if (proof === undefined) continue
          for (const { id: to } of state.electorate?.members ?? []) {
            if (to !== state.self) turn.do({ kind: 'send', to, body: { kind: 'led', ...proof } })
          }
        }
      },
    }
    return machine
  },
}

/** Never hands in a ballot: a denial of voting. */
export const withholds: Liar = dropping('withholds', 'ballot')
/** Wins and does not claim. */
export const doesNotClaim: Liar = dropping('does-not-claim', 'claim')
/** Is elected and never heard of again. */
export const leadsInSilence: Liar = dropping('leads-in-silence', 'alive')

function dropping(name: string, kind: ElectionMessage['kind']): Liar {
  return twisting(name, (send, turn) => {
    if (send.body.kind !== kind) turn.do(send)
  })
}

/** Fresh ones for each run: some remember. Those about secret ballots come last. */
export function electionLiars(settings: ElectionSettings, keys: Keys): readonly Liar[] {
  const own = [votesTwice(settings, keys), grantsTwice(keys), claimsAlways, proposesTwice(keys)]
  const before = [...own, withholds, doesNotClaim, leadsInSilence, ...generalLiars(), inflatesTerms, callsWithoutEnd]
  const words = [provesWithTooFew(settings, keys), resignsForOthers, forgesLists(keys), claimsAtTheFloor]
  const all = [...before, ...words, forgesLeaders(keys), tellsOfTheGone]
  const { counting } = keys
  if (counting === undefined) return all
  return [...all, stuffs(settings, keys, counting), opensFalsely(counting), talliesTwice, doesNotOpen]
}

/** How many kinds there are, for plans that are drawn before anybody has keys. */
export const LIARS = { sealed: 19, secret: 23 } as const
