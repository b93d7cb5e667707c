// The tree as recipes see it. `group.tree()` gives one; any other thing that keeps these promises does as well.

import { CoterieError } from '../../core/index.ts'
import type {
  Stat,
  TreeCondition,
  TreeErrorCode,
  TreeEvent,
  TreeWrite,
  TreeWriteResult,
} from '../../ordering/tree/index.ts'

/** What kind of entry is made. */
export interface CreateOptions {
  /** It goes when this client's session ends. */
  readonly ephemeral?: boolean
  /** The parent's next number is added to the name. */
  readonly sequential?: boolean
}

/** A change, and where values were asked for, what is there and what was. */
export interface ValuedEvent extends TreeEvent {
  /** After the version in which the change stands: of several changes in one version, all show the last. */
  readonly value?: Uint8Array
  /** Before that version. Not known of changes that are told from memory. */
  readonly before?: Uint8Array
}

/** `missed`: this client was away for longer than changes are kept. Look again; `change` is the last there was. */
export type WatchEvent = ValuedEvent | { readonly kind: 'missed'; readonly path: string; readonly change: number }

/** Operations of one session apply once, in the order in which they were called. Errors of the tree are `TreeError`s. */
export interface Tree {
  /** Fires when the session may be over: from then on others may see its ephemeral entries gone. */
  readonly signal: AbortSignal
  /** By the local clock: whether the session certainly lives, also where `signal` could not fire yet. */
  lives?(): boolean
  /** After the session was lost: the next one begins, and `signal` is its. Nothing where it lives. */
  renew?(): void
  create(path: string, value?: Uint8Array, options?: CreateOptions): Promise<{ path: string; stat: Stat }>
  /** `version`: only where the value was set this many times. */
  set(path: string, value: Uint8Array, version?: number): Promise<Stat>
  delete(path: string, version?: number): Promise<void>
  get(path: string): Promise<{ value: Uint8Array; stat: Stat } | undefined>
  exists(path: string): Promise<Stat | undefined>
  /** The names of all children, in order of creation. */
  list(path: string): Promise<readonly string[]>
  txn(conditions: readonly TreeCondition[], writes: readonly TreeWrite[]): Promise<readonly TreeWriteResult[]>
  /**
   * Once the promise is kept, `listener` hears of every change of the path, in order, until the watch is disposed of;
   * with `subtree` also of all below. No change after a later read is missed; it may hear of older ones as well.
   */
  watch(path: string, listener: (event: WatchEvent) => void, options?: { subtree?: boolean }): Promise<AsyncDisposable>
}

/** The tree refused: nothing was written. `at` names the condition or the write of a transaction that failed. */
export class TreeError extends CoterieError {
  override readonly name = 'TreeError'
  readonly outcome = 'did not happen'
  readonly code: TreeErrorCode
  readonly path: string
  readonly at: number | undefined

  /** `what`: what it is about, where that is no entry. */
  constructor(code: TreeErrorCode, path: string, at?: number, what = path) {
    super(`${what}: ${reason(code, path)}${at === undefined ? '' : ` (number ${at + 1} of the transaction)`}`)
    this.code = code
    this.path = path
    this.at = at
  }
}

const explain: Readonly<Record<TreeErrorCode, string>> = {
  'no-entry': 'there is no such entry.',
  exists: 'the entry exists already.',
  'bad-version': 'the entry has another version than expected: read it again.',
  'not-empty': 'the entry has children: delete them first.',
  'no-parent': 'there is no such entry to put a child under: create it first.',
  'ephemeral-parent': 'an entry that ends with its session has no children.',
  'bad-path': 'a path looks like /a/b, up to 1,000 bytes, without empty steps, dots alone or control characters.',
  condition: 'the condition does not hold.',
  'too-many': 'this session has as many ephemeral entries as it may.',
  'too-large': 'it is too large: an entry holds 4 MiB at most, a transaction 256 conditions and 256 writes.',
  malformed: 'the operation cannot be read.',
  'no-lease': 'the lease has ended, or never was: grant another.',
  forgotten: 'changes so far back are no longer remembered: read the tree, and watch from what it shows.',
}

function reason(code: TreeErrorCode, path: string): string {
  return code === 'bad-path' && path === '/' ? 'the root is always there, and stays.' : explain[code]
}

export function hasCode(error: unknown, ...codes: TreeErrorCode[]): boolean {
  return error instanceof TreeError && codes.includes(error.code)
}

/** Creates what is missing on the way to a path, and the path. It stays. */
export async function ensure(tree: Tree, path: string, value?: Uint8Array): Promise<void> {
  if ((await tree.exists(path)) !== undefined) return
  const parent = path.slice(0, path.lastIndexOf('/'))
  if (parent !== '') await ensure(tree, parent)
  await unless('exists', tree.create(path, value))
}

/** Waits for it; an error of this code is as good as done. */
export async function unless(code: TreeErrorCode, doing: Promise<unknown>): Promise<void> {
  try {
    await doing
  } catch (error) {
    if (!hasCode(error, code)) throw error
  }
}
