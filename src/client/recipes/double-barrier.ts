// A double barrier: work begins when enough have come, and ends when all of them are through.
//
// Coming: each creates an entry; who finds enough of them creates `ready`, and the others watch for that alone.
// Leaving: each takes its entry away and waits for the first of those that are left; the first waits for the last. So
// one entry's going wakes few, and one that dies counts as through. `ready` goes with the first member that leaves as
// the last one, or is taken away by the first that finds it without members; nobody comes in while it stands.

import { SettingsError } from '../../core/index.ts'
import type { WaitOptions } from '../waiting.ts'
import { Hold } from './hold.ts'
import { gone, Patience, until } from './patience.ts'
import { ensure, hasCode, type Tree, unless } from './tree.ts'

/** Lets a party begin when all of it has come, and end when all of it is done. */
export class DoubleBarrier {
  private readonly tree: Tree
  private readonly path: string
  private readonly size: number

  constructor(tree: Tree, path: string, size: number) {
    if (!(Number.isSafeInteger(size) && size >= 1)) {
      throw new SettingsError(`size is ${size}; it must be a whole number from 1.`)
    }
    this.tree = tree
    this.path = path
    this.size = size
  }

  /** Waits until enough have come. */
  async enter(options: WaitOptions = {}): Promise<Membership> {
    const { tree } = this
    using patience = new Patience(tree, this.path, options)
    await patience.race(ensure(tree, this.members))
    const { path, created } = await this.join(patience)
    try {
      await until(tree, this.ready, patience, () => this.complete(), { late: () => endRound(tree, this.path) })
      const hold = await Hold.of(tree, path, created)
      return new Membership(tree, this.path, hold)
    } catch (error) {
      stepOut(tree, this.path, path).catch(() => {})
      throw error
    }
  }

  private get members(): string {
    return `${this.path}/members`
  }

  private get ready(): string {
    return `${this.path}/ready`
  }

  /** Comes in, when the round before has ended. */
  private join(patience: Patience): Promise<{ path: string; created: number }> {
    const late = ({ path }: { path: string }) => this.tree.delete(path)
    return until(this.tree, this.path, patience, () => this.tryJoin(), { subtree: true, late })
  }

  private async tryJoin(): Promise<{ path: string; created: number } | undefined> {
    const member = { path: `${this.members}/m-`, value: new Uint8Array(), ephemeral: true, sequential: true }
    try {
      const [made] = await this.tree.txn([{ kind: 'absent', path: this.ready }], [{ kind: 'create', ...member }])
      return made?.kind === 'created' ? { path: made.path, created: made.stat.created } : undefined
    } catch (error) {
      if (!hasCode(error, 'condition')) throw error
      await endRound(this.tree, this.path)
      return undefined
    }
  }

  /** Opens the round where enough are here at this very moment. */
  private async complete(): Promise<true | undefined> {
    for (;;) {
      if ((await this.tree.exists(this.ready)) !== undefined) return true
      const stat = await this.tree.exists(this.members)
      if (stat === undefined || stat.children < this.size) return undefined
      const unchanged = { kind: 'childrenVersion' as const, path: this.members, version: stat.childrenVersion }
      const create = { path: this.ready, value: new Uint8Array(), ephemeral: false, sequential: false }
      try {
        await this.tree.txn([unchanged], [{ kind: 'create', ...create }])
        return true
      } catch (error) {
        // Somebody came or went, or was quicker: look again.
        if (!hasCode(error, 'condition', 'exists')) throw error
      }
    }
  }
}

async function stepOut(tree: Tree, path: string, member: string): Promise<void> {
  await unless('no-entry', tree.delete(member))
  await endRound(tree, path)
}

/** Takes `ready` away if nobody is left who belongs to it. */
async function endRound(tree: Tree, path: string): Promise<void> {
  const stat = await tree.exists(`${path}/members`)
  if (stat === undefined || stat.children > 0) return
  const unchanged = { kind: 'childrenVersion' as const, path: `${path}/members`, version: stat.childrenVersion }
  try {
    await tree.txn([unchanged], [{ kind: 'delete', path: `${path}/ready`, version: undefined }])
  } catch (error) {
    if (!hasCode(error, 'condition', 'no-entry')) throw error
  }
}

/** The part of one who came in. */
export class Membership implements AsyncDisposable {
  private readonly tree: Tree
  private readonly path: string
  private readonly hold: Hold

  /** @internal Made by `enter`. */
  constructor(tree: Tree, path: string, hold: Hold) {
    this.tree = tree
    this.path = path
    this.hold = hold
  }

  get token(): bigint {
    return this.hold.token
  }

  get signal(): AbortSignal {
    return this.hold.signal
  }

  /** Says that one's own part is done, and waits until everybody's is. */
  async leave(options: WaitOptions = {}): Promise<void> {
    using patience = new Patience(this.tree, this.path, options)
    const members = `${this.path}/members`
    const own = this.hold.path.slice(members.length + 1)
    for (;;) {
      const names = await patience.race(this.tree.list(members))
      const [first] = names
      // The first stays until it is the last, so that the others have somebody to wait for.
      const next = first === own ? names.at(-1) : first
      if (next === own || next === undefined) break
      if (first !== own) await this.hold.release()
      await gone(this.tree, `${members}/${next}`, patience)
    }
    await this.hold.release()
    await endRound(this.tree, this.path)
  }

  /** Steps out without waiting for the others. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.hold.release()
    await endRound(this.tree, this.path)
  }
}
