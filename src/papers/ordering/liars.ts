// Servers that lie to clients of the printed ordering, knowing its words.

import { generalLiars, type Liar, twisting } from '../../simulator/index.ts'

/** Different states to different clients. */
const twoFaced: Liar = twisting('two-faced', (send, turn) => {
  const { body } = send
  if (body.kind !== 'got') return turn.do(send)
  const forged = { version: (body.committed as { version: number }).version + 1, operations: [`lie-${send.to}`] }
  turn.do({ kind: 'send', to: send.to, body: { ...body, committed: forged, proposed: forged } })
})

/** Refuses with a rank that nobody ever had, as high as the wire carries. */
export const rankBurning: Liar = {
  name: 'rank-burning',
  corrupt: honest => ({
    ...honest,
    name: `${honest.name}, rank-burning`,
    step(_state, input, turn) {
      if (input.kind !== 'message' || !('attempt' in input.body)) return
      const body = { kind: 'refused', attempt: input.body.attempt, rank: Number.MAX_SAFE_INTEGER }
      turn.do({ kind: 'send', to: input.from, body })
    },
  }),
}

/** Pending operations that nobody submitted, and wrong places for those that somebody did. */
const inventing: Liar = twisting('inventing', (send, turn) => {
  const { body } = send
  if (body.kind === 'got') turn.do({ ...send, body: { ...body, pending: ['invented'] } })
  else if (body.kind === 'response') turn.do({ ...send, body: { ...body, place: (body.place as number) + 1 } })
  else turn.do(send)
})

/** Fresh ones for each run: some remember. */
export function printedOrderingLiars(): readonly Liar[] {
  return [twoFaced, rankBurning, inventing, ...generalLiars()]
}
