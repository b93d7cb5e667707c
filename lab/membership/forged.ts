// How fast forged claims are refused, with real Ed25519 signatures: by one member, one message after the other.

import { createPublicKey, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto'
import { createHost, NOTHING_SAVED, type NodeId } from '../../src/core/index.ts'
import type { Signatures, Signer } from '../../src/crypto/index.ts'
import {
  type AliveClaim,
  type MembershipMessage,
  type MembershipState,
  membership,
  membershipDefaults,
  signClaim,
} from '../../src/membership/index.ts'
import { type Experiment, type Row, type RunOptions, row } from '../experiment.ts'

const MEMBERS = 100
/** The others, but the one that is attacked, bring true news among the forged. */
const FORGERS = 90
/** One message in this many is true. */
const TRUE_OF = 400
const MESSAGES = { small: 2_000, full: 100_000 }
/** Messages in a second of the member's own clock: the rate that is asked for. */
const PER_SECOND = 10_000
const RAW_KEY_BYTES = 32
const SIGNATURE_BYTES = 64
const GROUP = 'forged'

interface Person {
  readonly signer: Signer
  readonly identity: Uint8Array
}

function person(): Person {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const raw = new Uint8Array(publicKey.export({ format: 'der', type: 'spki' }).subarray(-RAW_KEY_BYTES))
  return { identity: raw, signer: { publicKey: raw, sign: message => new Uint8Array(sign(null, message, privateKey)) } }
}

/** Keys are parsed once: a member keeps those of its group. */
function opensslSignatures(): Signatures {
  const parsed = new Map<string, KeyObject>()
  const prefix = Buffer.from('302a300506032b6570032100', 'hex')
  return {
    verify(publicKey, message, signature) {
      const name = Buffer.from(publicKey).toString('base64')
      const known = parsed.get(name)
      const key = known ?? createPublicKey({ key: Buffer.concat([prefix, publicKey]), format: 'der', type: 'spki' })
      if (known === undefined) parsed.set(name, key)
      return verify(null, message, key, signature)
    },
  }
}

function aliveOf(id: NodeId, { signer, identity }: Person): AliveClaim {
  return signClaim(GROUP, signer, { kind: 'alive', member: id, incarnation: 2 ** 32, address: '', identity, keys: [] })
}

/** What a member says of itself, as it comes from itself. */
function news(member: NodeId, { signer }: Person, version: number): MembershipMessage {
  const values = [{ name: 'load', value: version }]
  return {
    kind: 'gossip',
    claims: [signClaim(GROUP, signer, { kind: 'attributes', member, boot: 1, version, values })],
  }
}

interface Attacked {
  readonly state: MembershipState
  /** Milliseconds of the processor that the messages took: real time would measure what else the machine does. */
  attack(messages: readonly (readonly [from: NodeId, body: MembershipMessage])[]): number
}

function victim(people: ReadonlyMap<NodeId, Person>): Attacked {
  const [self, own] = people.entries().next().value!
  const settings = {
    ...membershipDefaults,
    group: GROUP,
    ...own,
    signatures: opensslSignatures(),
    admits: (member: NodeId, identity: Uint8Array) => (people.has(member) ? identity : undefined),
  }
  let now = 0
  const host = createHost(membership(settings), self, [], NOTHING_SAVED, {
    now: () => now,
    below: () => 0,
    bytes: length => new Uint8Array(length),
    send: () => {},
    timer: () => {},
    cancel: () => {},
    save: (_lane, _record, _replaces, durable) => durable?.(),
    forget: () => {},
    emit: () => {},
  })
  host.input({ kind: 'start' })
  return {
    state: host.state,
    attack(messages) {
      const started = process.cpuUsage()
      for (const [from, body] of messages) {
        now += 1_000 / PER_SECOND
        host.input({ kind: 'message', from, body })
      }
      const { user, system } = process.cpuUsage(started)
      return (user + system) / 1_000
    },
  }
}

export const forgedClaims: Experiment = {
  name: 'forged-claims',
  title: 'Forged claims refused a second, with real signatures.',
  source: 'LECTURE, "Secure gossiping"',
  run({ scale, progress }: RunOptions) {
    const people = new Map<NodeId, Person>(
      Array.from({ length: MEMBERS }, (_, place) => [`member-${place}`, person()] as const),
    )
    const ids = [...people.keys()]
    const lives = new Map(ids.map(id => [id, aliveOf(id, people.get(id)!)]))
    const forged = (id: NodeId, step: number): MembershipMessage => {
      const signature = new Uint8Array(SIGNATURE_BYTES).fill(1 + (step % 255))
      return { kind: 'gossip', claims: [{ ...lives.get(id)!, incarnation: 2 ** 32 + 1 + step, signature }] }
    }
    const attacks: Readonly<Record<string, (step: number) => readonly [NodeId, MembershipMessage]>> = {
      'one forger': step => [ids[1]!, forged(ids[2 + (step % 90)]!, step)],
      'ninety forgers': step => [ids[1 + (step % FORGERS)]!, forged(ids[1 + ((step + 1) % FORGERS)]!, step)],
      'replays of old claims': step => [
        ids[1]!,
        { kind: 'gossip', claims: [{ ...lives.get(ids[2]!)!, incarnation: step % 1_000 }] },
      ],
    }
    const rows: Row[] = []
    for (const [place, [name, message]] of Object.entries(attacks).entries()) {
      progress(place / 3, name)
      const { state, attack } = victim(people)
      attack(ids.map(id => [id, { kind: 'gossip', claims: [lives.get(id)!] }] as const))
      const honest = ids.slice(1 + FORGERS)
      const latest = new Map<NodeId, number>()
      const messages = Array.from({ length: MESSAGES[scale] }, (_, step) => {
        if (step % TRUE_OF > 0) return message(step)
        const id = honest[(step / TRUE_OF) % honest.length]!
        latest.set(id, step + 1)
        return [id, news(id, people.get(id)!, step + 1)] as const
      })
      const took = attack(messages)
      const missed = [...latest].filter(([id, version]) => state.members.get(id)!.attributes?.version !== version)
      const taken = [...state.members.values()].filter(({ alive }) => alive.incarnation !== 2 ** 32).length
      rows.push(row(`${name}: refused a second`, Math.round((1_000 * messages.length) / took), null, null, '1/s'))
      rows.push(row(`${name}: forged lives believed`, taken, 0, 0))
      rows.push(row(`${name}: honest members not heard`, missed.length, 0, 0))
      rows.push(row(`${name}: forged signatures checked`, state.refusals.forged, null, null))
    }
    return { rows, pictures: [], notes: NOTES }
  },
}

const NOTES = [
  `${MEMBERS} members; messages come at ${PER_SECOND} a second of the member’s own clock. The rate is by the time of the processor, on this machine.`,
  'After a forged claim a peer is not heard for a second, then five, then half a minute: so few signatures are checked.',
  `One message of ${TRUE_OF} is true, from one who forges nothing: the newest word of each must have been taken in.`,
]
