// A file system in memory, with folders, whose power can be cut at the n-th operation: as node:fs/promises, as far as
// guards use it.
//
// At the cut, of the names that were changed and not synced any prefix has arrived (a sync of a folder keeps all up to its
// own last change), and of a file that was not synced nothing, a part or all.

import { basename, dirname } from 'node:path'
import { type Random, seededRandom } from '../../src/core/index.ts'

interface File {
  readonly kind: 'file'
  bytes: Buffer
  synced: Buffer
  mode: number
}

interface Folder {
  readonly kind: 'folder'
  readonly names: Map<string, Node>
}

type Node = File | Folder

/** One change of names, as it can be done again on another copy of the tree. */
interface Change {
  readonly folders: readonly Folder[]
  do(tree: (folder: Folder) => Map<string, Node>): void
}

export class CutDisk {
  readonly root: Folder
  private readonly cutAt: number
  /** The names as they are safe, and what was changed since. */
  private readonly safe = new Map<Folder, Map<string, Node>>()
  private readonly changes: Change[] = []
  private readonly files = new Set<File>()
  operations = 0
  private announce = () => {}
  readonly cut = new Promise<void>(resolve => {
    this.announce = resolve
  })

  constructor(cutAt = Number.POSITIVE_INFINITY, root: Folder = { kind: 'folder', names: new Map() }) {
    this.cutAt = cutAt
    this.root = root
    this.adopt(root)
  }

  private adopt(node: Node): void {
    if (node.kind === 'file') return void this.files.add(node)
    this.safe.set(node, new Map(node.names))
    for (const inner of node.names.values()) this.adopt(inner)
  }

  /** What the next start finds. */
  afterCut(random: Random, cutAt?: number): CutDisk {
    const arrived = random.below(this.changes.length + 1)
    for (const change of this.changes.slice(0, arrived)) change.do(folder => this.safeNames(folder))
    const copies = new Map<Node, Node>()
    const copy = (node: Node): Node => {
      const known = copies.get(node)
      if (known !== undefined) return known
      const made: Node =
        node.kind === 'folder'
          ? { kind: 'folder', names: new Map([...this.safeNames(node)].map(([name, inner]) => [name, copy(inner)])) }
          : { ...node, ...survived(node, random) }
      copies.set(node, made)
      return made
    }
    return new CutDisk(cutAt, copy(this.root) as Folder)
  }

  private safeNames(folder: Folder): Map<string, Node> {
    const known = this.safe.get(folder) ?? new Map<string, Node>()
    this.safe.set(folder, known)
    return known
  }

  async operation<Result>(act: () => Result): Promise<Result> {
    this.operations++
    if (this.operations >= this.cutAt) {
      // The one under way may have been done.
      if (this.operations === this.cutAt && seededRandom(this.cutAt).chance(0.5)) {
        try {
          act()
        } catch {}
      }
      this.announce()
      return new Promise(() => {})
    }
    return act()
  }

  change(change: Change): void {
    change.do(folder => folder.names)
    this.changes.push(change)
  }

  syncFolder(folder: Folder): void {
    const last = this.changes.findLastIndex(({ folders }) => folders.includes(folder))
    for (const change of this.changes.splice(0, last + 1)) change.do(one => this.safeNames(one))
  }

  at(path: string): Node {
    return path
      .split('/')
      .filter(part => part !== '')
      .reduce<Node>((node, part) => {
        const next = node.kind === 'folder' ? node.names.get(part) : undefined
        return next ?? refuse('ENOENT', path)
      }, this.root)
  }

  folder(path: string): Folder {
    const node = this.at(path)
    return node.kind === 'folder' ? node : refuse('ENOTDIR', path)
  }

  create(path: string, node: Node): void {
    const into = this.folder(dirname(path))
    if (into.names.has(basename(path))) refuse('EEXIST', path)
    if (node.kind === 'file') this.files.add(node)
    this.change({ folders: [into], do: names => void names(into).set(basename(path), node) })
  }

  remove(path: string): void {
    const from = this.folder(dirname(path))
    this.change({ folders: [from], do: names => void names(from).delete(basename(path)) })
  }

  rename(before: string, after: string): void {
    const [from, into] = [this.folder(dirname(before)), this.folder(dirname(after))]
    const node = this.at(before)
    const there = into.names.get(basename(after))
    if (there?.kind === 'folder' && there.names.size > 0) refuse('ENOTEMPTY', after)
    this.change({
      folders: [from, into],
      do(names) {
        names(from).delete(basename(before))
        names(into).set(basename(after), node)
      },
    })
  }
}

function survived({ bytes, synced }: File, random: Random): Pick<File, 'bytes' | 'synced'> {
  if (bytes === synced) return { bytes, synced }
  const left = bytes.subarray(0, [0, random.below(bytes.length + 1), bytes.length][random.below(3)])
  return { bytes: left, synced: left }
}

function refuse(code: string, path: string): never {
  throw Object.assign(new Error(`${code}: ${path}`), { code, syscall: 'simulated' })
}

/** node:fs/promises on the disk that `disk` gives: as far as guards use it. */
export function simulatedFiles(disk: () => CutDisk) {
  const operation = <Result>(act: (disk: CutDisk) => Result) => {
    const on = disk()
    return on.operation(() => act(on))
  }
  return {
    mkdir: (path: string, options?: { recursive?: boolean }) =>
      operation(on => {
        try {
          on.create(path, { kind: 'folder', names: new Map() })
        } catch (error) {
          if (!options?.recursive || (error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
        }
      }),
    open: (path: string, flags: string, mode = 0o666) =>
      operation(on => {
        if (flags === 'wx') on.create(path, { kind: 'file', bytes: Buffer.alloc(0), synced: Buffer.alloc(0), mode })
        return handle(operation, on.at(path))
      }),
    readdir: (path: string) => operation(on => [...on.folder(path).names.keys()]),
    readFile: (path: string) =>
      operation(on => {
        const node = on.at(path)
        return node.kind === 'file' ? node.bytes : refuse('EISDIR', path)
      }),
    realpath: (path: string) => operation(on => on.at(path) && path),
    rename: (before: string, after: string) => operation(on => on.rename(before, after)),
    rm: (path: string, { force = false } = {}) =>
      operation(on => {
        try {
          on.at(path)
          on.remove(path)
        } catch (error) {
          if (!force) throw error
        }
      }),
    stat: (path: string) =>
      operation(on => {
        const node = on.at(path)
        return { mode: node.kind === 'file' ? node.mode : 0o755, mtimeMs: Date.now() }
      }),
  }
}

function handle(operation: <Result>(act: (disk: CutDisk) => Result) => Promise<Result>, node: Node) {
  const file = () => (node.kind === 'file' ? node : refuse('EISDIR', ''))
  return {
    chmod: (mode: number) => operation(() => void Object.assign(file(), { mode })),
    writeFile: (data: string | Uint8Array) => operation(() => void Object.assign(file(), { bytes: Buffer.from(data) })),
    sync: () =>
      operation(on => {
        if (node.kind === 'folder') on.syncFolder(node)
        else node.synced = node.bytes
      }),
    close: async () => {},
  }
}
