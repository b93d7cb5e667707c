// Lies about lives: one server cannot call a good store old, nor keep another from starting, nor make an old one good.

import type { AnyProtocol, Turn } from '../../core/index.ts'
import type { Liar } from '../../simulator/index.ts'
import { LIFE_MAX, type LivesMessage } from '../lives/wire.ts'

type Said = (hail: LivesMessage & { kind: 'hail' }) => readonly LivesMessage[]

/** Honest but for its answers to a hail. */
function answering(name: string, said: Said): Liar {
  return {
    name,
    corrupt: (honest: AnyProtocol): AnyProtocol => ({
      ...honest,
      step(state, input, turn: Turn<LivesMessage, never>) {
        const heard = input.kind === 'message' ? (input.body as LivesMessage) : undefined
        if (input.kind !== 'message' || heard?.kind !== 'hail') return honest.step(state, input, turn)
        for (const body of said(heard)) turn.do({ kind: 'send', to: input.from, body })
      },
    }),
  }
}

/** Every member that starts has an old store, and the newest life there is was seen. */
const callsOld = answering('calls-old', ({ mark }) => [{ kind: 'older', mark, life: LIFE_MAX }])
/** Every member that starts is welcome; nothing is written down. */
const welcomesAll = answering('welcomes-all', ({ mark }) => [{ kind: 'welcome', mark }])
/** First the one, then the other. */
const takesBack = answering('takes-back', ({ mark, life }) => [
  { kind: 'older', mark, life },
  { kind: 'welcome', mark },
])
const saysNothing = answering('says-nothing', () => [])

export const livesLiars: readonly Liar[] = [callsOld, welcomesAll, takesBack, saysNothing]
