// Parties of the thesis's protocols that lie. Its proofs are about parties that are honest and curious; what of a lie is refused
// nevertheless, and what a lie that nobody can refuse may do at most, is told here.

import type { AnyProtocol } from '../../core/index.ts'
import { generalLiars, twisting } from '../../simulator/index.ts'
import { GRID } from '../policies/index.ts'
import type { Level } from '../settings.ts'
import type { BanditMessage } from '../wire.ts'
import type { Part } from './liars.ts'

/** One who lies at the level of the thesis. */
export interface ThesisLiar {
  readonly name: string
  readonly part: Part
  readonly levels: readonly Level[]
  /** Whether it ends in an error, or the answer is right. Otherwise no arm pulls more than its share, and that is all. */
  readonly refused: boolean
  corrupt(honest: AnyProtocol): AnyProtocol
}

const RING: readonly Level[] = ['ucb-d', 'ucb-ds', 'ucb-ds2']
/** Where what passes along the ring is sealed. */
const SEALED: readonly Level[] = ['ucb-ds', 'ucb-ds2']
const SEARCH: readonly Level[] = ['sr-secured']

// biome-ignore lint/suspicious/noExplicitAny: a lie changes any field
type Body = any

type Told = Pick<ThesisLiar, 'name' | 'part' | 'levels'>

/** Lies in what it says, where it says that word. */
function about(told: Told, kind: BanditMessage['kind'], lie: (body: Body) => Body[]): ThesisLiar {
  const liar = twisting(told.name, (send, turn) => {
    const said = send.body.kind === kind ? lie(send.body) : [send.body]
    for (const body of said) turn.do({ kind: 'send', to: send.to, body })
  })
  return { ...told, refused: true, corrupt: honest => liar.corrupt(honest) }
}

/** Changes what it knows, and then does as the honest one does. */
function minded(told: Told, change: (state: Body) => void): ThesisLiar {
  return {
    ...told,
    refused: false,
    corrupt: honest => ({
      ...honest,
      step(state, input, turn) {
        if (input.kind !== 'start') change(state)
        honest.step(state, input, turn)
      },
      check: () => {},
    }),
  }
}

/** Says what it said first, with the number of today. */
function olds(told: Told, kind: 'ringTurn' | 'ringPass' | 'ringLead'): ThesisLiar {
  const first = new Map<string, Uint8Array>()
  const liar = twisting(told.name, (send, turn) => {
    const { body, to } = send as { readonly to: string; readonly body: Body }
    if (body.kind !== kind || body.sealed.length === 0) return turn.do({ kind: 'send', to, body })
    const sealed = first.get(body.kind) ?? body.sealed
    first.set(body.kind, sealed)
    turn.do({ kind: 'send', to, body: { ...body, sealed } })
  })
  return { ...told, refused: true, corrupt: honest => liar.corrupt(honest) }
}

const other = (bytes: Uint8Array) => bytes.map(byte => byte ^ 0x55)
const controller = (name: string, levels = RING): Told => ({ name, part: 'shuffler', levels })
const node = (name: string, levels = RING): Told => ({ name, part: 'arm', levels })
const judge = (name: string): Told => ({ name, part: 'shuffler', levels: SEARCH })
const drawer = (name: string): Told => ({ name, part: 'arm', levels: SEARCH })
const comparator = (name: string): Told => ({ name, part: 'comparator', levels: SEARCH })

/** Fresh ones for each run: some remember. */
export function thesisLiars(): readonly ThesisLiar[] {
  return [
    about(controller('changes turns', SEALED), 'ringTurn', body => [{ ...body, sealed: other(body.sealed) }]),
    about(controller('skips rings'), 'ringTurn', body => [{ ...body, round: body.round + 2 }]),
    olds(controller('says old turns again', SEALED), 'ringTurn'),
    about(controller('changes the keys of the ring'), 'ringKeys', body => [{ ...body, sealed: other(body.sealed) }]),
    about(controller('changes the total'), 'ringTotal', body => [{ ...body, sum: other(body.sum) }]),
    about(node('passes rubbish on', SEALED), 'ringPass', body => [{ ...body, sealed: other(body.sealed) }]),
    about(node('names a leader that nobody sealed', SEALED), 'ringLead', body => [
      { ...body, sealed: other(body.sealed) },
    ]),
    olds(node('passes an old leader on', SEALED), 'ringPass'),
    olds(node('names an old leader', SEALED), 'ringLead'),
    about(node('sends rubbish for its sum'), 'ringSum', body => [{ ...body, sum: other(body.sum) }]),
    about(judge('changes the order of a phase'), 'phase', body => [{ ...body, sealed: other(body.sealed) }]),
    about(judge('sends two lists for one phase'), 'phase', body => [body, { ...body, sums: [...body.sums].reverse() }]),
    about(judge('leaves out an arm'), 'phase', body => [{ ...body, sums: body.sums.slice(1) }]),
    about(judge('names a best arm unsigned'), 'best', body => [{ ...body, sealed: other(body.sealed) }]),
    about(drawer('leaves a sum out'), 'added', body => [{ ...body, sums: body.sums.slice(1) }]),
    about(drawer('sends sums under no key'), 'added', body => [
      { ...body, sums: body.sums.map((sum: Uint8Array) => sum.slice(1)) },
    ]),
    about(comparator('names a place where nobody is'), 'worst', body => [{ ...body, place: 31 }]),
    about(comparator('has a key that is none'), 'sumKey', body => [{ ...body, modulus: Uint8Array.of(1) }]),
    minded(controller('has everybody pulled'), state => {
      state.leads = 0
    }),
    minded(node('claims the best rewards'), state => {
      state.sum = state.pulls * GRID
    }),
    minded(judge('rejects the wrong arm'), state => {
      if (state.worst !== undefined) state.worst = 0
    }),
    { ...about(comparator('names the wrong place'), 'worst', body => [{ ...body, place: 0 }]), refused: false },
    ...(['arm', 'shuffler'] as const).flatMap(part =>
      // What cannot be written never leaves a member, so nobody forges here.
      generalLiars()
        .filter(({ name }) => name !== 'forging')
        .map(liar => ({
          name: `${part} is ${liar.name}`,
          part,
          levels: [...RING, ...SEARCH],
          // In UCB-D nothing is sealed: whoever says something else is believed.
          refused: /silent/.test(liar.name),
          corrupt: (honest: AnyProtocol) => liar.corrupt(honest),
        })),
    ),
  ]
}
