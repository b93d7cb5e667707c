// Key and saved state of `coterie dedup`: what makes a run repeatable, and the next one go on where it stopped.

import { randomBytes } from 'node:crypto'
import { readFile, rename, writeFile } from 'node:fs/promises'
import { FileError, SettingsError } from '../../core/index.ts'
import { type Filter, FilterError, restore } from '../../filters/index.ts'
import { cannot, exists, KEY_MODE, readText, writeNew } from '../../runtime/files.ts'

const KEY_BYTES = 8
/** Sixteen digits and a newline; more is another file. */
const KEY_FILE_BYTES_MAX = 64

/** The key in the file, in hexadecimal digits. If there is no such file, it is made with a fresh key in it. */
export async function keyFromFile(file: string): Promise<Uint8Array> {
  if (!(await exists(file))) await writeNew(file, `${randomBytes(KEY_BYTES).toString('hex')}\n`, KEY_MODE)
  const text = (await readText(file, KEY_FILE_BYTES_MAX)).trim()
  if (!/^[0-9a-fA-F]{16}$/.test(text))
    throw new FileError(`${file} is no key: it must hold ${2 * KEY_BYTES} hexadecimal digits, and nothing else.`)
  return Uint8Array.from(Buffer.from(text, 'hex'))
}

/** Anybody can compute it: for runs that must repeat, not for streams that somebody wants to spoil. */
export function keyFromSeed(seed: number): Uint8Array {
  const key = new Uint8Array(KEY_BYTES)
  new DataView(key.buffer).setFloat64(0, seed, true)
  return key
}

/** The filter as it was saved, or null if nothing was. It must be of the shape that is asked for now. */
export async function loadState(file: string, key: Uint8Array, asked: Filter): Promise<Filter | null> {
  if (!(await exists(file))) return null
  const bytes = await readFile(file).catch(error => {
    throw cannot('read', file, error)
  })
  const found = restored(file, bytes, key)
  const shape = ({ name, options }: Filter) => `${name} ${JSON.stringify(options)}`
  if (shape(found) !== shape(asked))
    throw new SettingsError(
      `${file} was saved by ${shape(found)}, and now ${shape(asked)} is asked for. ` +
        'Give the same --memory, --window and --structure as before, or another file.',
    )
  return found
}

function restored(file: string, bytes: Uint8Array, key: Uint8Array): Filter {
  try {
    return restore(bytes, { key })
  } catch (error) {
    if (error instanceof FilterError) throw new FileError(`cannot go on from ${file}: ${error.message}.`)
    throw error
  }
}

/** After a power cut the file is the old one or the new one, whole. */
export async function saveState(file: string, filter: Filter): Promise<void> {
  const next = `${file}.${randomBytes(6).toString('hex')}`
  try {
    await writeFile(next, filter.snapshot(), { flag: 'wx', mode: KEY_MODE, flush: true })
    await rename(next, file)
  } catch (error) {
    throw cannot('write', file, error)
  }
}
