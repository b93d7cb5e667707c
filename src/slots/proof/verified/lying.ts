// How a member lies: it is the honest machine with something done to what it says, and it signs what it likes, but only
// as itself.

import type { AnyProtocol, Effect, NodeId, Turn } from '../../../core/index.ts'
import type { Group, Scalar, Signer } from '../../../crypto/index.ts'
import type { Liar } from '../../../simulator/index.ts'
import type { MemberState, SlotsEvent } from '../../verified/state.ts'
import { type SlotsMessage, signedBytes } from '../../verified/wire.ts'

type LiarTurn = Turn<SlotsMessage, SlotsEvent>

/** What a liar has at hand. */
export interface LiarMeans {
  readonly group: Group
  readonly signer: Signer
  /** Numbers that the coalition knows: the secrecy checker tries them. */
  readonly known: Scalar[]
}

/** What a lie is told with: the honest machine's state, and the means to say something else. */
export interface LiarScene extends LiarMeans {
  readonly state: MemberState
  readonly turn: LiarTurn
  send(to: NodeId, body: SlotsMessage): void
  sendToAll(body: SlotsMessage): void
  /** Signs what the honest machine would not say. */
  forge<Said extends SlotsMessage>(said: Said, change: Partial<Said>): Said
}

export interface Lies {
  /** Instead of sending what the honest machine says. */
  readonly says?: (scene: LiarScene, to: NodeId, said: SlotsMessage) => void
  /** After the honest machine has heard. */
  readonly hears?: (scene: LiarScene, said: SlotsMessage) => void
}

export interface SlotsLiar extends Liar {
  readonly name: string
}

/** The honest machine with these lies. */
export function lying(name: string, means: LiarMeans, lies: () => Lies): SlotsLiar {
  return {
    name,
    corrupt(honest: AnyProtocol): AnyProtocol {
      let own = lies()
      return {
        name: `${honest.name}, ${name}`,
        init(self, peers, saved) {
          own = lies()
          return honest.init(self, peers, saved)
        },
        step(state: MemberState, input, turn: LiarTurn) {
          const scene = sceneOf(means, state, turn)
          honest.step(state, input, {
            now: turn.now,
            below: bound => turn.below(bound),
            bytes: length => turn.bytes(length),
            do(effect: Effect<SlotsMessage, never>) {
              if (effect.kind === 'send' && own.says !== undefined) own.says(scene, effect.to, effect.body)
              else turn.do(effect)
            },
          })
          if (input.kind === 'message') own.hears?.(scene, input.body as SlotsMessage)
        },
      }
    },
  }
}

function sceneOf(means: LiarMeans, state: MemberState, turn: LiarTurn): LiarScene {
  const send = (to: NodeId, body: SlotsMessage) => turn.do({ kind: 'send', to, body })
  return {
    ...means,
    state,
    turn,
    send,
    sendToAll(body) {
      for (const { name } of state.epoch.record.members) if (name !== state.self) send(name, body)
    },
    forge(said, change) {
      const forged = { ...said, ...change }
      return { ...forged, signature: means.signer.sign(signedBytes(forged)) }
    },
  }
}
