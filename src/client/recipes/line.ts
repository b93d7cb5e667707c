// Standing in line (LECTURE, "ZooKeeper locking protocol", without its herd).
//
// In the LECTURE everybody who waits watches the one entry that stands for the lock; when it goes, all are woken and one
// wins. Here everybody creates an entry of their own with the next number, and watches only the one entry that must
// go before it can be their turn: a release wakes one, and the order is that of coming. Entries end with their session,
// so a dead holder or waiter steps out by itself.

import type { WaitOptions } from '../waiting.ts'
import { Hold, takeBack } from './hold.ts'
import { gone, Patience } from './patience.ts'
import { ensure, type Tree, TreeError } from './tree.ts'

/** Which of those in front must go first; undefined where it is this one's turn. Names are in order of coming. */
export type Ahead = (names: readonly string[], own: number) => string | undefined

export const everyone: Ahead = (names, own) => names[own - 1]

/** Waits at the end of the line until nobody who matters is ahead. */
export async function standInLine(
  tree: Tree,
  line: string,
  prefix: string,
  ahead: Ahead,
  options: WaitOptions,
): Promise<Hold> {
  using patience = new Patience(tree, line, options)
  await patience.race(ensure(tree, line))
  const creating = tree.create(`${line}/${prefix}-`, undefined, { ephemeral: true, sequential: true })
  try {
    const { path, stat } = await patience.race(creating)
    for (;;) {
      const names = await patience.race(tree.list(line))
      const own = names.indexOf(path.slice(line.length + 1))
      if (own < 0) throw new TreeError('no-entry', path)
      const blocker = ahead(names, own)
      if (blocker === undefined) return await patience.race(Hold.of(tree, path, stat.created))
      await gone(tree, `${line}/${blocker}`, patience)
    }
  } catch (error) {
    takeBack(tree, creating)
    throw error
  }
}
