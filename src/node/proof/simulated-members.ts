// Members for simulations: the nodes of `join`, with ideal keys and seals, and a group in which proofs cost nothing.

import { sha256 } from '@noble/hashes/sha2.js'
import { banditRules } from '../../bandits/index.ts'
import { idealParties } from '../../bandits/proof/index.ts'
import { type AnyProtocol, type ComposeRules, compose, type NodeId } from '../../core/index.ts'
import { idealSealing } from '../../crypto/ideal-sealing.ts'
import { type Group, insecureBareGroup } from '../../crypto/index.ts'
import { firstElectorate, type Newcomer } from '../../election/index.ts'
import { electionLiars } from '../../election/proof/index.ts'
import { interestBasics } from '../../events/interest/settings.ts'
import { routingLiars } from '../../events/proof/routing/liars.ts'
import { routingBasics } from '../../events/routing/settings.ts'
import { membershipLiars, type SimulatedGroup, simulatedGroup } from '../../membership/proof/index.ts'
import { generalLiars } from '../../simulator/index.ts'
import { type MemberSettings, memberFirstStart, memberOf, memberParts } from '../member.ts'
import { treesFor } from '../routing.ts'
import type { MemberLiar, MemberPlan } from './member-plan.ts'

const SEAL_KEY = 'seal'
/** No one liar can certify a failure alone. */
const CERTIFY_AT = 2
const BANDIT_REPEAT_MS = 500
/** Shorter than in a node that ships, as everything in these runs. */
const ROUTING_TIMES = { beat: 250, patience: 1_500, grace: 1_500, retireAfter: 4_000 }

export class SimulatedMembers {
  readonly group: Group = insecureBareGroup()
  readonly gossip: SimulatedGroup
  private readonly plan: MemberPlan
  private readonly sealing = idealSealing()

  constructor(plan: MemberPlan) {
    this.plan = plan
    this.gossip = simulatedGroup([...plan.members, ...plan.guests])
  }

  get firstStart() {
    return memberFirstStart(firstElectorate(this.plan.members.map(id => ({ id, ...this.keysOf(id) }))))
  }

  settings(id: NodeId): MemberSettings {
    const { signatures } = this.gossip
    const signer = signatures.signer(id)
    const sealing = this.sealing(id)
    const battery = { name: 'battery', value: this.plan.batteries.get(id)! }
    return {
      membership: this.gossip.settings(id, {
        keys: [{ name: SEAL_KEY, key: sealing.publicKey }],
        attributes: [battery],
        certifyAt: CERTIFY_AT,
      }),
      election: this.plan.election,
      keys: { signer, signatures, sealing },
      slots: {
        members: this.plan.members.map(name => ({ name, identity: signatures.signer(name).publicKey })),
        group: this.group,
        signer,
        signatures,
        storeLost: false,
      },
      bandits: {
        keys: { ...idealParties().keysOf(id), signer, sealing },
        repeat: BANDIT_REPEAT_MS,
        rules: banditRules,
      },
      routing: {
        ...routingBasics,
        group: 'simulated',
        trees: treesFor(this.plan.election.liars),
        hash: sha256,
        signatures,
        signer,
        keyOf: ({ member }) => signatures.signer(member).publicKey,
        ...ROUTING_TIMES,
      },
      interest: {
        ...interestBasics,
        group: 'simulated',
        hash: sha256,
        signatures,
        signer,
        keyOf: ({ member }) => signatures.signer(member).publicKey,
      },
      keysOf: ({ member, keys }) => {
        const sealKey = keys.find(({ name }) => name === SEAL_KEY)?.key
        return sealKey && { key: signatures.signer(member).publicKey, sealKey }
      },
    }
  }

  node(id: NodeId, rules: ComposeRules): AnyProtocol {
    const settings = this.settings(id)
    const liar = this.plan.liars.get(id)
    return liar === undefined ? memberOf(memberParts(settings), rules) : corrupted(settings, liar)
  }

  private keysOf(id: NodeId): Omit<Newcomer, 'id'> {
    return { key: this.gossip.signatures.signer(id).publicKey, sealKey: this.sealing(id).publicKey }
  }
}

/** The same node, with a part that lies, or as a whole. Most are not wired: a liar needs no hints. */
function corrupted(settings: MemberSettings, { part, kind }: MemberLiar): AnyProtocol {
  const parts = memberParts(settings)
  const general = generalLiars()
  const any = general[kind % general.length]!
  switch (part) {
    case 'all':
      return any.corrupt(memberOf(parts))
    case 'routing': {
      const kinds = routingLiars()
      // It lies about what it passes on: for that it must know who is next to it.
      return memberOf({ ...parts, routing: kinds[kind % kinds.length]!.corrupt(parts.routing) })
    }
    case 'slots':
      return compose('member', { ...parts, slots: any.corrupt(parts.slots) })
    case 'election': {
      const kinds = electionLiars(settings.election, settings.keys)
      return compose('member', { ...parts, election: kinds[kind % kinds.length]!.corrupt(parts.election) })
    }
    case 'membership': {
      const kinds = membershipLiars()
      const lying = kinds[kind % kinds.length]!.corrupt(parts.membership, settings.membership)
      return compose('member', { ...parts, membership: lying })
    }
  }
}
