// Parties of a run that lie in the ways that are refused at once. What cannot be refused is not here: an arm that invents
// rewards, a comparator that names a wrong winner, a shuffler that repeats its seats.

import type { AnyProtocol, NodeId } from '../../core/index.ts'
import { generalLiars, type Liar, twisting } from '../../simulator/index.ts'
import type { BanditKeys } from '../settings.ts'
import type { BanditMessage } from '../wire.ts'

/** Which part lies. */
export type Part = 'arm' | 'shuffler' | 'comparator'

/** One who lies: a machine made of the honest one, or an honest machine with other keys. */
export interface BanditLiar {
  readonly name: string
  readonly part: Part
  corrupt(honest: AnyProtocol): AnyProtocol
  keys?(honest: BanditKeys): BanditKeys
}

// biome-ignore lint/suspicious/noExplicitAny: a lie changes any field
type Body = any

/** Lies in what it says, where it says that word. */
function about(part: Part, name: string, kind: BanditMessage['kind'], lie: (body: Body) => Body[]): BanditLiar {
  const liar = twisting(name, (send, turn) => {
    const said = send.body.kind === kind ? lie(send.body) : [send.body]
    for (const body of said) turn.do({ kind: 'send', to: send.to, body })
  })
  return { part, name, corrupt: honest => liar.corrupt(honest) }
}

const other = (bytes: Uint8Array) => bytes.map(byte => byte ^ 0x55)

function swapped<T>(items: readonly T[]): T[] {
  const [first, second, ...rest] = items
  return [second!, first!, ...rest]
}

/** Changes two boxes, and their tokens back: without a proof of the slot it would choose the winner. */
function swapsBoxes(): BanditLiar {
  const sends = about('shuffler', 'swaps boxes', 'boxes', body => [{ ...body, boxes: swapped(body.boxes) }])
  return {
    ...sends,
    corrupt(honest) {
      const liar = sends.corrupt(honest)
      return {
        ...liar,
        step(state, input, turn) {
          if (input.kind !== 'message' || input.body.kind !== 'tokens') return liar.step(state, input, turn)
          const body = { ...input.body, tokens: swapped(input.body.tokens) }
          liar.step(state, { ...input, body }, turn)
        },
      }
    },
  }
}

/** Gives every other party another part of this key. */
function splitsKeys(which: 'arms' | 'boxes' | 'pair', name: string): BanditLiar {
  let calls = 0
  return {
    part: 'arm',
    name,
    corrupt: honest => honest,
    keys: honest => ({
      ...honest,
      tools: {
        ...honest.tools,
        prf(key, message) {
          const drawn = honest.tools.prf(key, message)
          const said = new TextDecoder().decode(message)
          return said.includes('part of a key') && said.includes(which) ? drawn.map(byte => byte + ++calls) : drawn
        },
      },
    }),
  }
}

/** What stands in a block for tags: the pair of slots. */
const PAIR_AT = 6
const BLOCK_BYTES = 16
const KIND_TIES = 4

/** Tags that mean nothing towards the first of the other slots: it asks that one another question than all others. */
function answersDifferently(): BanditLiar {
  return {
    part: 'arm',
    name: 'answers its neighbours differently',
    corrupt: honest => honest,
    keys: honest => ({
      ...honest,
      tools: {
        ...honest.tools,
        blocks(key) {
          const draw = honest.tools.blocks(key)
          return blocks => {
            const drawn = draw(blocks)
            if (blocks[0] === KIND_TIES) return drawn
            const isFirst = (at: number) =>
              blocks[at + PAIR_AT] === blocks[PAIR_AT] && blocks[at + PAIR_AT + 1] === blocks[PAIR_AT + 1]
            return drawn.map((byte, at) => (isFirst(at - (at % BLOCK_BYTES)) ? byte ^ 0x55 : byte))
          }
        },
      },
    }),
  }
}

/** Lies of which the run may notice nothing, or only that something is wrong: an audit names them. */
export function subtleBanditLiars(): readonly BanditLiar[] {
  return [
    answersDifferently(),
    splitsKeys('boxes', 'gives the comparator another part of a key'),
    splitsKeys('pair', 'masks with another key than it gave'),
    about('shuffler', 'leaves an arm out', 'turn', body => [{ ...body, lost: 1 }]),
    about('shuffler', 'tells the comparator that an arm is lost', 'boxes', body => [{ ...body, lost: 1 }]),
    about('comparator', 'says that somebody was late', 'tokens', ({ round, attempt }) => [
      { kind: 'again', round, attempt },
    ]),
  ]
}

/** Fresh ones for each run: some remember. */
export function banditLiars(): readonly BanditLiar[] {
  return [
    swapsBoxes(),
    about('shuffler', 'gives two slots', 'turn', body => [body, { ...body, slot: body.slot === 0 ? 1 : 0 }]),
    about('shuffler', 'asks for more pulls', 'turn', body => [{ ...body, pulls: body.pulls + 7 }]),
    about('shuffler', 'changes tokens', 'turn', body => [{ ...body, token: other(body.token) }]),
    about('shuffler', 'skips rounds', 'turn', body => [{ ...body, round: body.round + 1 }]),
    about('shuffler', 'hands on a box twice', 'boxes', body => [
      { ...body, boxes: [body.boxes[1], ...body.boxes.slice(1)] },
    ]),
    about('shuffler', 'leaves a box out', 'boxes', body => [{ ...body, boxes: body.boxes.slice(1) }]),
    about('shuffler', 'swaps answers', 'answers', body => [{ ...body, answers: swapped(body.answers) }]),
    about('comparator', 'gives strange tokens', 'tokens', body => [{ ...body, tokens: body.tokens.map(other) }]),
    about('comparator', 'gives tokens of other slots', 'tokens', body => [{ ...body, tokens: swapped(body.tokens) }]),
    about('comparator', 'gives no verdict', 'tokens', body => [{ ...body, verdict: other(body.verdict) }]),
    about('arm', 'fills boxes with rubbish', 'box', body => [{ ...body, box: other(body.box) }]),
    about('arm', 'answers with rubbish', 'answer', body => [{ ...body, sealed: other(body.sealed) }]),
    splitsKeys('arms', 'splits the keys'),
    ...(['arm', 'shuffler', 'comparator'] as const).flatMap(part => generalLiars().map(liar => general(part, liar))),
  ]
}

function general(part: Part, liar: Liar): BanditLiar {
  return { part, name: `${part} is ${liar.name}`, corrupt: honest => liar.corrupt(honest) }
}

/** Sees every message before the machine does. */
export function listening(
  protocol: AnyProtocol,
  hear: (from: NodeId, body: BanditMessage, state: unknown) => void,
): AnyProtocol {
  return {
    ...protocol,
    step(state, input, turn) {
      if (input.kind === 'message') hear(input.from, input.body, state)
      protocol.step(state, input, turn)
    },
  }
}
