// Objects where ranks are signed (BACKOFF §6.2, the alternative): the plain scenario, with signatures that nobody forges.

import type { NodeId, Trust } from '../../src/core/index.ts'
import { idealSignatures } from '../../src/crypto/index.ts'
import {
  type OrderingAct,
  type OrderingPlan,
  OrderingStage,
  orderingScenario,
} from '../../src/ordering/proof/scenario.ts'
import type { OrderingSettings, RankProofs } from '../../src/ordering/settings.ts'
import type { Scenario } from '../../src/simulator/index.ts'

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
