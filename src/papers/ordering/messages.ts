// The printed ordering's words and numbers (BACKOFF §6, figures 2 and 3). States travel whole, as the paper has it.

import { type Codec, list, type NodeId, option, struct, text, uint, variants } from '../../core/index.ts'

/** σ: what was applied, in order. The response to an operation is its place in that order. */
export interface PrintedState {
  readonly version: number
  readonly operations: readonly string[]
}

export interface PrintedOrderingSettings {
  /** b */
  readonly liars: number
  /** f, liars included. */
  readonly crashes: number
  /** Line 2.9: the one that orders first takes a lock. It is asked for by an event and answered by a command. */
  readonly contends: boolean
  /** Above which of the ranks that servers report: all of them (printed), or the (b+1)-th largest. */
  readonly rankRule: 'maximum' | 'masked'
  /** An optimisation that figures 2 and 3 do not bear: the next version without a new get. */
  readonly skipsGet: boolean
  /** When a state reflects an operation (§6.1): it was applied itself, or one of its client with that number or a higher one. */
  readonly reflects: 'each' | 'highest'
  /** How long an ordering thread waits before it tries again, at most. */
  readonly retryMax: number
}

/** The switches as the scenario sets them. */
export const printedOrderingDefaults: Omit<PrintedOrderingSettings, 'liars' | 'crashes'> = {
  contends: false,
  rankRule: 'maximum',
  skipsGet: false,
  reflects: 'each',
  retryMax: 100,
}

export type PrintedOrderingMessage =
  | { kind: 'submit'; operation: string }
  | { kind: 'response'; operation: string; place: number }
  | { kind: 'get'; attempt: number; rank: number }
  | {
      kind: 'got'
      attempt: number
      committed: PrintedState
      proposed: PrintedState | undefined
      proposer: number
      pending: readonly string[]
    }
  | { kind: 'propose'; attempt: number; rank: number; state: PrintedState }
  | { kind: 'proposed'; attempt: number; version: number }
  | { kind: 'commit'; attempt: number; rank: number; state: PrintedState }
  | { kind: 'committed'; attempt: number; version: number }
  /** RankException, with the rank that was in the way. */
  | { kind: 'refused'; attempt: number; rank: number }

export type PrintedOrderingCommand =
  | { kind: 'submit'; operation: string }
  /** The contend has returned. */
  | { kind: 'turn' }

/** What the printed ordering tells its user. */
export type PrintedOrderingEvent =
  | { kind: 'contend' }
  | { kind: 'done'; operation: string; place: number }
  /** For the checkers: a proposal that a whole quorum took, and the rank in use. */
  | { kind: 'decided'; state: PrintedState; rank: number; by: NodeId }

const OPERATION_BYTES_MAX = 64
/** A run of the lab has far fewer operations. */
const OPERATIONS_MAX = 10_000

const operation = text(OPERATION_BYTES_MAX)
const operations = list(operation, OPERATIONS_MAX)
export const printedStateCodec: Codec<PrintedState> = struct<PrintedState>({ version: uint(), operations })
const state = printedStateCodec

/** The messages of the printed ordering on the wire. */
export const printedOrderingVocabulary: Codec<PrintedOrderingMessage> = variants<PrintedOrderingMessage>({
  submit: { operation },
  response: { operation, place: uint() },
  get: { attempt: uint(), rank: uint() },
  got: { attempt: uint(), committed: state, proposed: option(state), proposer: uint(), pending: operations },
  propose: { attempt: uint(), rank: uint(), state },
  proposed: { attempt: uint(), version: uint() },
  commit: { attempt: uint(), rank: uint(), state },
  committed: { attempt: uint(), version: uint() },
  refused: { attempt: uint(), rank: uint() },
})

export function sameState(one: PrintedState, other: PrintedState): boolean {
  return one.version === other.version && one.operations.join('\n') === other.operations.join('\n')
}

/** "client-1.5" is the fifth of client-1. One without a number is nobody's but its own. */
function numbered(operation: string): { readonly client: string; readonly number: number } {
  const dot = operation.lastIndexOf('.')
  return { client: operation.slice(0, dot), number: Number(operation.slice(dot + 1)) }
}

/** σ.reflects(o). "The highest sequence number already performed for each client" takes 5 for done when 6 came first. */
export function reflects(state: PrintedState, wanted: string, rule: PrintedOrderingSettings['reflects']): boolean {
  if (state.operations.includes(wanted)) return true
  if (rule === 'each') return false
  const { client, number } = numbered(wanted)
  return state.operations.map(numbered).some(other => other.client === client && other.number > number)
}
