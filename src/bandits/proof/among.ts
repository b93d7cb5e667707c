// A run among members at one table with ideal arithmetic, one of whom may lie: what they log, and what an audit makes of it.

import { type AnyProtocol, createHost, type Host, NOTHING_SAVED, type NodeId, seededRandom } from '../../core/index.ts'
import type { NumberedEntry } from '../member/entries.ts'
import { banditMember } from '../member/machine.ts'
import type { BanditMember, BanditMemberCommand, BanditMemberEvent, BanditMemberState } from '../member/state.ts'
import type { MemberMessage, Role } from '../member/wire.ts'
import type { Source } from '../open.ts'
import { rewardGrid } from '../rewards.ts'
import { banditRules } from '../rules.ts'
import type { Algorithm, BanditKeys, BanditSettings } from '../settings.ts'
import { type IdealParties, idealParties } from './ideal.ts'

/** Who lies, and how: a machine in place of the honest one, or other keys. */
export interface Lying {
  readonly member: NodeId
  machine?(role: Role, settings: BanditSettings, keys: BanditKeys): AnyProtocol | undefined
  keys?(honest: BanditKeys): BanditKeys
}

/** What is played. */
export interface AmongShape {
  readonly algorithm: Algorithm
  readonly budget: number
  readonly sources: readonly Source[]
  readonly seed: number
  readonly lying?: Lying
}

/** What came of it. */
export interface AmongResult {
  readonly tools: BanditKeys['tools']
  readonly ended: BanditMemberEvent | undefined
  readonly logs: ReadonlyMap<NodeId, NumberedEntry[]>
  /** The entries and messages that were on the wire, for counting. */
  readonly messages: number
}

function memberOf(parties: IdealParties, honest: BanditKeys, lies: Lying | undefined): BanditMember {
  return banditMember({
    keys: lies?.keys?.(honest) ?? honest,
    repeat: 1,
    rules: banditRules,
    keysOf: ({ member }) => parties.party(member),
    ...(lies?.machine && { disguise: lies.machine.bind(lies) }),
  })
}

type MemberHost = Host<BanditMemberState, MemberMessage, BanditMemberCommand>

/** Plays until nobody says anything any more. The first owner asks. */
export function playAmong({ algorithm, budget, sources, seed, lying }: AmongShape): AmongResult {
  const parties = idealParties()
  const owners = sources.map((_, place) => `owner-${place + 1}`)
  const everybody = [...owners, 'north', 'south']
  const random = seededRandom(seed, 0xa0d17)
  const letters: { from: NodeId; to: NodeId; body: MemberMessage }[] = []
  const hosts = new Map<NodeId, MemberHost>()
  const logs = new Map<NodeId, NumberedEntry[]>(everybody.map(id => [id, []]))
  let ended: BanditMemberEvent | undefined
  let messages = 0
  const tell = (id: NodeId, body: BanditMemberCommand) => hosts.get(id)!.input({ kind: 'command', body })
  const hear = (id: NodeId, event: BanditMemberEvent) => {
    if (event.kind === 'log') logs.get(id)!.push({ number: event.number, entry: event.entry })
    if (event.kind === 'asked') tell(id, { kind: 'consent', id: event.terms.id, why: undefined })
    if (event.kind === 'answered' || event.kind === 'stopped' || event.kind === 'unstarted') ended = event
    if (event.kind !== 'pull') return
    const { id: run, number } = event
    const steps = rewardGrid().steps(sources[owners.indexOf(id)]!(number))
    tell(id, { kind: 'reward', id: run, number, steps })
  }
  for (const id of everybody) {
    const honest = parties.keysOf(id)
    const lies = lying?.member === id ? lying : undefined
    const host = createHost(memberOf(parties, honest, lies), id, [], NOTHING_SAVED, {
      now: () => 0,
      below: bound => random.below(bound),
      bytes: length => random.bytes(length),
      send: (to, body) => letters.push({ from: id, to, body }),
      timer: () => {},
      cancel: () => {},
      save: (_lane, _record, _kind, durable) => durable?.(),
      forget: () => {},
      emit: event => hear(id, event),
    })
    hosts.set(id, host as MemberHost)
  }
  for (const id of everybody) {
    hosts.get(id)!.input({ kind: 'start' })
    for (const member of everybody) {
      tell(id, { kind: 'changed', view: { member, identity: new Uint8Array(0), keys: [] } })
    }
  }
  const arms = owners.map((_, place) => `arm-${place + 1}`)
  for (const [place, id] of owners.entries()) tell(id, { kind: 'serve', name: 'colour', arm: arms[place]!, runs: 1 })
  const roles = { shuffler: 'north', comparator: 'south', patience: 1_000, audit: true }
  tell(owners[0]!, {
    kind: 'ask',
    wanted: { name: 'colour', algorithm, arms, budget, batch: 0, rewards: [0, 1], ...roles },
  })
  const most = 10_000 * (budget + 10)
  for (let letter = letters.shift(); letter !== undefined && messages < most; letter = letters.shift()) {
    messages++
    hosts.get(letter.to)?.input({ kind: 'message', from: letter.from, body: letter.body })
  }
  return { tools: parties.tools, ended, logs, messages }
}
