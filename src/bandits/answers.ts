// The words in which arms and comparator answer the user.

import { digest } from './party.ts'
import type { BanditTools } from './settings.ts'

/** An arm's part of the answer is signed under this name. */
export const ANSWER = 'answer of an arm'

/** What proves the winner to the user is signed under this name. */
export const VERDICT = 'verdict of the comparator'

/** Of the token that won: the user finds the arm that has it, and learns no slot. */
export function verdictOf(tools: BanditTools, run: Uint8Array, token: Uint8Array): Uint8Array {
  return digest(tools, 'winner', run, token)
}
