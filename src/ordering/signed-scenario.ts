// Objects where ranks are signed (BACKOFF §6.2, the alternative): the plain scenario, with signatures that nobody forges.

import type { NodeId, Trust } from '../core/index.ts'
import { idealSignatures } from '../crypto/index.ts'
import type { Scenario } from '../simulator/index.ts'
import { type OrderingAct, type OrderingPlan, OrderingStage, orderingScenario } from './scenario.ts'
import type { OrderingSettings, RankProofs } from './settings.ts'

export function signedScenario(
  trust: Trust,
  change: Partial<OrderingSettings> = {},
): Scenario<OrderingPlan, OrderingAct> {
  const servers = Array.from({ length: trust.servers }, (_, place) => `server-${place + 1}`)
  const { plan } = orderingScenario(trust, change)
  return { name: 'ordering-signed', plan, stage: (world, drawn) => new SignedStage(world, servers, drawn).begin() }
}

class SignedStage extends OrderingStage {
  private readonly signatures = idealSignatures()

  protected override settingsOf(node: NodeId): OrderingSettings {
    return { ...super.settingsOf(node), proofs: proofsOf(this.signatures, node) }
  }
}

/** Each signs under its own name. */
export function proofsOf(signatures: ReturnType<typeof idealSignatures>, node: NodeId): RankProofs {
  return {
    sign: message => signatures.signer(node).sign(message),
    verify: (client, message, signature) => signatures.verify(signatures.signer(client).publicKey, message, signature),
  }
}
