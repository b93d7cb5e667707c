// Small files read and written with care: never more than a stated size, and every failure a sentence that names the
// file and says what to do. A config folder is edited by hand and copied between machines, so every kind of damage
// comes by: a file missing, a folder where a file was, a half-copied key, a text in another encoding.

import { randomBytes } from 'node:crypto'
import { lstat, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { FileError } from '../core/index.ts'

/** Only the owner may read a private key. */
export const KEY_MODE = 0o600

/** Reads a whole text file of at most `bytesMax`, or throws a FileError. */
export async function readText(file: string, bytesMax: number): Promise<string> {
  const state = await stat(file).catch(error => {
    throw cannot('read', file, error)
  })
  // Asked before opening: a pipe in the file's place would make the read wait for ever.
  if (!state.isFile()) {
    throw new FileError(
      `${file} is ${state.isDirectory() ? 'a folder' : 'not a plain file'}; a text file belongs there.`,
    )
  }
  if (state.size > bytesMax) {
    throw new FileError(`${file} has ${state.size} bytes; at most ${bytesMax} are read. Is it the right file?`)
  }
  const bytes = await readFile(file).catch(error => {
    throw cannot('read', file, error)
  })
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new FileError(`${file} is not UTF-8 text. Save it as UTF-8, or restore it from a copy.`)
  }
}

/** Writes a new file and waits until the disk has it. Refuses to overwrite. */
export async function writeNew(file: string, text: string, mode = 0o644): Promise<void> {
  await writeFile(file, text, { flag: 'wx', mode, flush: true }).catch(error => {
    throw cannot('write', file, error)
  })
}

/** Puts a new text in a file's place: after a power cut the file is the old one or the new one, whole. */
export async function replaceText(file: string, text: string): Promise<void> {
  const next = `${file}.${randomBytes(6).toString('hex')}`
  await writeNew(next, text)
  await rename(next, file)
  await syncFolder(dirname(file))
}

/** Makes the names in a folder durable: a new, renamed or deleted file is only certain after this. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Fills a folder so that it is there whole or not at all: `fill` works in a hidden sibling, which then takes the name.
 * `taken` words the refusal where the name is in use; an empty folder may be in its place.
 */
export async function makeFolder(
  folder: string,
  taken: string,
  fill: (unfinished: string) => Promise<void>,
): Promise<void> {
  const target = resolve(folder)
  const parent = dirname(target)
  const unfinished = join(parent, `.${basename(target)}.${randomBytes(6).toString('hex')}`)
  try {
    await mkdir(parent, { recursive: true })
    await mkdir(unfinished, { mode: 0o700 })
    await fill(unfinished)
    await syncFolder(unfinished)
    await takeName(unfinished, target, taken)
    await syncFolder(parent)
  } catch (error) {
    // What went wrong first is what to tell, whether or not the remains can be removed.
    await rm(unfinished, { recursive: true, force: true }).catch(() => {})
    throw (error as NodeJS.ErrnoException).code === undefined ? error : cannot('make', target, error)
  }
}

/** The kernel refuses to put a folder in the place of a full one: nobody can slip in between a look and the rename. */
async function takeName(unfinished: string, target: string, taken: string): Promise<void> {
  try {
    await rename(unfinished, target)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    throw code === 'ENOTEMPTY' || code === 'EEXIST' || code === 'ENOTDIR' ? new FileError(taken) : error
  }
}

/** The names of the folders in a folder; none where it is not there. */
export async function subfolders(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  // A name with a dot in front is a folder half made, by a `makeFolder` that was cut off.
  return entries.filter(entry => entry.isDirectory() && !entry.name.startsWith('.')).map(entry => entry.name)
}

export async function exists(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}

/** A file system's error as a sentence. */
export function cannot(verb: string, path: string, error: unknown): FileError {
  if (error instanceof FileError) return error
  const code = (error as NodeJS.ErrnoException).code ?? String(error)
  const why = verb === 'write' && code === 'ENOENT' ? 'its folder is not there' : WHY[code]
  return new FileError(`cannot ${verb} ${path}: ${why ?? `the system says ${code}`}.`)
}

const WHY: Readonly<Record<string, string>> = {
  ENOENT: 'it is not there. Check the path, or copy it from where the group was made',
  EACCES: 'this user is not allowed to. Run as the owner of the file, or change its permissions',
  EPERM: 'this user is not allowed to. Run as the owner of the file, or change its permissions',
  ENOTDIR: 'a part of its path is a file, not a folder',
  EISDIR: 'it is a folder',
  EEXIST: 'something of that name is already there',
  ENOSPC: 'the disk is full',
  EROFS: 'the disk is read-only',
  ENAMETOOLONG: 'the path is too long',
  ELOOP: 'its links lead in a circle',
}
