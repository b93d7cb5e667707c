// Something held: an ephemeral entry of the tree that stands for it. It says when it is lost.

import { CoterieError } from '../../core/index.ts'
import { pulse } from './pulse.ts'
import { hasCode, type Tree, unless } from './tree.ts'

/** What was held is no longer: the session may be over, or somebody deleted the entry. */
export class HoldLost extends CoterieError {
  override readonly name = 'HoldLost'
  readonly outcome = 'may have happened'

  constructor(path: string, why: string) {
    super(`${path} is no longer held: ${why}. Stop what it protects; what was done with its token is fenced.`)
  }
}

const DELETED = 'somebody deleted its entry'

/** Something that is held, with a token that grows and a signal for when it is lost. */
export class Hold implements AsyncDisposable {
  readonly path: string
  /** Larger than the token of every holder before. Give it to what is protected, and let that refuse smaller ones. */
  readonly token: bigint
  private readonly tree: Tree
  private readonly controller = new AbortController()
  private watching: Promise<AsyncDisposable> | undefined
  private ended = false

  private constructor(tree: Tree, path: string, created: number) {
    this.tree = tree
    this.path = path
    this.token = BigInt(created)
  }

  /** @internal Of an entry that was just seen to be there. */
  static async of(tree: Tree, path: string, created: number): Promise<Hold> {
    const hold = new Hold(tree, path, created)
    pulse.use()
    hold.watching = tree.watch(path, event => {
      // Older news is of somebody else's entry of that name.
      if (event.kind === 'deleted' && event.change > created) hold.lose(DELETED)
      if (event.kind === 'missed') hold.look(created).catch(hold.sessionLost)
    })
    tree.signal.addEventListener('abort', hold.sessionLost, { once: true })
    await hold.watching
    await hold.look(created)
    if (tree.signal.aborted) hold.sessionLost()
    return hold
  }

  /** Fires with a `HoldLost` when it is lost; not on release. */
  get signal(): AbortSignal {
    return this.controller.signal
  }

  /**
   * By the local clock. Never true by mistake: a process that stood still (SIGSTOP, sleep) says no once its session may be
   * over, and after a longer stop until it has heard what it missed.
   */
  held(): boolean {
    return !this.ended && (this.tree.lives?.() ?? true) && pulse.isSteady()
  }

  /** Lets go. Doing it twice does no harm. */
  async release(): Promise<void> {
    if (this.ended) return
    this.finish()
    // A lost session takes the entry with it.
    await unless('no-entry', this.tree.delete(this.path)).catch(error => {
      if (!this.tree.signal.aborted) throw error
    })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.release()
  }

  private async look(created: number): Promise<void> {
    const stat = await this.tree.exists(this.path)
    if (stat?.created !== created) this.lose(DELETED)
  }

  private readonly sessionLost = () => this.lose('its session may be over')

  private lose(why: string): void {
    if (this.ended) return
    this.finish()
    this.controller.abort(new HoldLost(this.path, why))
  }

  private finish(): void {
    this.ended = true
    pulse.leave()
    this.tree.signal.removeEventListener('abort', this.sessionLost)
    this.watching?.then(watch => watch[Symbol.asyncDispose]()).catch(() => {})
  }
}

/** Takes an entry back that may not be there yet. Nobody waits for it: a session that is lost takes it back itself. */
export function takeBack(tree: Tree, creating: Promise<{ path: string }>): void {
  creating
    .then(({ path }) => tree.delete(path))
    .catch(error => {
      if (!hasCode(error, 'no-entry') && !tree.signal.aborted) throw error
    })
    .catch(() => {})
}
