// A disk in memory whose power can be cut, or which fails, at the n-th operation.
//
// What a real disk may do at a power cut, this one does by chance: of what was written and not synced, any 512-byte
// sector may have arrived or not, in any order; of the names that were changed and not synced, any prefix has.

import { basename } from 'node:path'
import type { Random } from '../../src/core/index.ts'
import type { Files, OpenFile } from '../../src/runtime/storage/files.ts'

const SECTOR_BYTES = 512
const TURNS_MAX = 3

type Change = { readonly position: number; readonly bytes: Uint8Array } | { readonly length: number }

interface Content {
  synced: Uint8Array
  changes: Change[]
}

type Names = Map<string, Content>

interface Platter {
  /** As the machine's memory has them. */
  readonly names: Names
  readonly syncedNames: Names
  readonly nameChanges: ((names: Names) => void)[]
}

export interface DiskFaults {
  /** The power is cut in the midst of this operation, counted from 1: neither it nor any later one comes back. */
  readonly cutAt?: number
  /** This operation, and every later one that writes, fails with the code. */
  readonly failAt?: number
  readonly code?: string
  /** Makes operations take a turn or two of the event loop, so that saves come in between any two of them. */
  readonly delays?: Random
}

export interface Disk extends Files {
  /** How many operations failed. */
  readonly failures: number
  /** Settles when the power is cut. */
  readonly cut: Promise<void>
  readonly isCut: boolean
  /** The disk as the next start finds it. The dead process' claim on the store is gone with it. */
  afterCut(random: Random, faults?: DiskFaults): Disk
  /** As after kill -9 in place of the cut: what was not synced is still in the machine's memory, and not yet safe. */
  afterKill(faults?: DiskFaults): Disk
  bytes(path: string): Uint8Array
}

export function createDisk(faults: DiskFaults = {}, platter: Platter = platterOf(new Map())): Disk {
  const { names, syncedNames, nameChanges } = platter
  let operations = 0
  let failures = 0
  let announceCut = () => {}
  const cut = new Promise<void>(resolve => {
    announceCut = resolve
  })

  /** Every operation passes here; `effect` has happened, as far as the machine's memory goes, when power is cut. */
  async function operation<T>(effect: () => T, writes = true): Promise<T> {
    for (let turns = faults.delays?.below(TURNS_MAX) ?? 0; turns > 0; turns--) await new Promise(setImmediate)
    operations++
    const count = operations
    if (faults.failAt !== undefined && count >= faults.failAt && writes) {
      failures++
      throw Object.assign(new Error(`${faults.code}: planted`), { code: faults.code })
    }
    if (faults.cutAt !== undefined && count > faults.cutAt) return new Promise(() => {})
    const result = effect()
    if (count !== faults.cutAt) return result
    announceCut()
    return new Promise(() => {})
  }

  function rename(change: (names: Names) => void): void {
    change(names)
    nameChanges.push(change)
  }

  function openFile(content: Content): OpenFile {
    return {
      size: () => operation(() => current(content).length, false),
      read: (into, position) =>
        operation(() => {
          const bytes = current(content).subarray(position, position + into.length)
          into.set(bytes)
          return bytes.length
        }, false),
      write: (bytes, position) =>
        operation(() => void content.changes.push({ position, bytes: Uint8Array.from(bytes) })),
      truncate: length => operation(() => void content.changes.push({ length })),
      sync: () =>
        operation(() => {
          // At the cut itself the sync has not come to its end: the changes are still at chance's mercy.
          if (operations === faults.cutAt) return
          content.synced = current(content)
          content.changes = []
        }),
      close: () => operation(() => {}, false),
    }
  }

  return {
    cut,
    get isCut() {
      return faults.cutAt !== undefined && operations >= faults.cutAt
    },
    get failures() {
      return failures
    },
    bytes: path => current(names.get(path)!),
    makeFolder: () => operation(() => {}),
    list: () => operation(() => [...names.keys()].map(path => basename(path)), false),
    open: path => operation(() => openFile(names.get(path)!), false),
    create: path =>
      operation(() => {
        const content: Content = { synced: new Uint8Array(0), changes: [] }
        rename(into => into.set(path, content))
        return openFile(content)
      }),
    rename: (from, to) =>
      operation(() =>
        rename(into => {
          into.set(to, into.get(from)!)
          into.delete(from)
        }),
      ),
    remove: path => operation(() => rename(into => void into.delete(path)), false),
    syncFolder: () =>
      operation(() => {
        if (operations === faults.cutAt) return
        for (const change of nameChanges.splice(0)) change(syncedNames)
      }),
    afterCut(random, next) {
      const kept = new Map(syncedNames)
      for (const change of nameChanges.slice(0, random.below(nameChanges.length + 1))) change(kept)
      for (const [path, content] of kept) {
        if (isClaim(path)) kept.delete(path)
        else kept.set(path, { synced: torn(content, random), changes: [] })
      }
      return createDisk(next, platterOf(kept))
    },
    afterKill(next) {
      for (const path of names.keys()) if (isClaim(path)) rename(into => void into.delete(path))
      return createDisk(next, platter)
    },
  }
}

/** A disk with one file of this content. */
export function diskWith(path: string, content: Uint8Array, faults: DiskFaults = {}): Disk {
  return createDisk(faults, platterOf(new Map([[path, { synced: content, changes: [] }]])))
}

function platterOf(names: Names): Platter {
  return { names, syncedNames: new Map(names), nameChanges: [] }
}

function isClaim(path: string): boolean {
  return basename(path).startsWith('held-by-')
}

function current(content: Content): Uint8Array {
  return content.changes.reduce(apply, content.synced)
}

function torn(content: Content, random: Random): Uint8Array {
  const sectors = content.changes.flatMap(change => ('length' in change ? [change] : inSectors(change)))
  const mood = random.below(3)
  return sectors.filter(() => mood === 1 || (mood === 2 && random.below(2) === 1)).reduce(apply, content.synced)
}

function inSectors({ position, bytes }: { position: number; bytes: Uint8Array }): Change[] {
  const parts: Change[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = Math.min(bytes.length, at + SECTOR_BYTES - ((position + at) % SECTOR_BYTES))
    parts.push({ position: position + at, bytes: bytes.subarray(at, end) })
    at = end
  }
  return parts
}

function apply(before: Uint8Array, change: Change): Uint8Array {
  const length = 'length' in change ? change.length : Math.max(before.length, change.position + change.bytes.length)
  const after = new Uint8Array(length)
  after.set(before.subarray(0, length))
  if ('bytes' in change) after.set(change.bytes, change.position)
  return after
}
