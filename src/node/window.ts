// A member's window: clients of the group may look in and ask what this member may tell (who is here, who leads).
// It only carries questions and answers; what is told is decided by whoever drives the node.

import { bytes, type Codec, type NodeId, type Protocol, text, uint, variants } from '../core/index.ts'

export type WindowMessage =
  | { kind: 'look'; query: number; what: string }
  | { kind: 'seen'; query: number; found: Uint8Array }

export type WindowCommand =
  | { kind: 'look'; query: number; at: NodeId; what: string }
  | { kind: 'show'; query: number; to: NodeId; found: Uint8Array }

export type WindowEvent =
  | { kind: 'looked'; query: number; from: NodeId; what: string }
  | { kind: 'seen'; query: number; from: NodeId; found: Uint8Array }

const WHAT_BYTES_MAX = 300
/** A view of a thousand members with attributes. */
const FOUND_BYTES_MAX = 1 << 20

export const windowVocabulary: Codec<WindowMessage> = variants<WindowMessage>({
  look: { query: uint(), what: text(WHAT_BYTES_MAX) },
  seen: { query: uint(), found: bytes(FOUND_BYTES_MAX) },
})

export const windowProtocol: Protocol<object, WindowMessage, WindowCommand, WindowEvent> = {
  name: 'window',
  init: () => ({}),
  step(_state, input, turn) {
    if (input.kind === 'message') {
      const { from, body } = input
      if (body.kind === 'look')
        turn.do({ kind: 'emit', event: { kind: 'looked', from, query: body.query, what: body.what } })
      else turn.do({ kind: 'emit', event: { kind: 'seen', from, query: body.query, found: body.found } })
    } else if (input.kind === 'command') {
      const { body } = input
      const { query } = body
      if (body.kind === 'look') turn.do({ kind: 'send', to: body.at, body: { kind: 'look', query, what: body.what } })
      else turn.do({ kind: 'send', to: body.to, body: { kind: 'seen', query, found: body.found } })
    }
  },
}
