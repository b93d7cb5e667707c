// What a wrong use is, for the lists of them, and what they are tried on.

import type { CarriedChannel, CoterieError, EmbeddedGroup, JoinedGroup, Ledger, SharedTree } from '../../src/index.ts'

/** What the uses are tried on. */
export interface Stage {
  readonly group: EmbeddedGroup
  readonly tree: SharedTree
  readonly joined: JoinedGroup
  readonly ledger: Ledger
  /** A secret channel, on a broker that carries nothing. */
  readonly channel: CarriedChannel<unknown>
}

export interface WrongUse {
  /** The function, as Class.method or by its name. */
  readonly call: string
  /** What a hasty user may write. */
  use(stage: Stage): unknown
  /** The sentence begins, or goes on, like this. */
  readonly says: string
}

// biome-ignore lint/suspicious/noExplicitAny: these are mistakes that types would refuse, as plain JavaScript makes them.
type Any = any
export const any = (value: unknown): Any => value
export const wrong = (call: string, says: string, use: WrongUse['use']): WrongUse => ({ call, says, use })

/** What is wrong with how a wrong use was met; nothing where it was refused in a sentence of this library. */
export async function whyNotRefused(
  { use, says }: WrongUse,
  stage: Stage,
  Refusal: abstract new (...args: never[]) => CoterieError,
): Promise<string | undefined> {
  try {
    await use(stage)
  } catch (error) {
    if (!(error instanceof Refusal)) return `it is no error of the library: ${error}`
    if (!error.message.includes(says)) return `it says: ${error.message}`
    return error.outcome === 'did not happen' ? undefined : `its outcome is: ${error.outcome}`
  }
  return 'it was taken'
}
