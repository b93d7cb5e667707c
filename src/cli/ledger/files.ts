// What `coterie ledger` keeps in files: secrets of accounts, descriptions of ledgers, receipts, checkpoints and logs. None is
// trusted for being there: each is bounded, and checked when it is used.

import { constants, createReadStream, statSync } from 'node:fs'
import { access, readFile, stat, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { accountFrom, type NewAccount, newAccount } from '../../client/ledger/accounts.ts'
import { CoterieError, FileError } from '../../core/index.ts'
import {
  type Checkpoint,
  type Descriptor,
  decodeReceipt,
  encodeDescriptor,
  encodeReceipt,
  fromBase64,
  type LedgerReceipt,
  NOTE_CHARACTERS_MAX,
  NotProven,
  readDescriptor,
  readNote,
} from '../../ledger/index.ts'
import { cannot, exists, KEY_MODE, readText, writeNew } from '../../runtime/files.ts'
import { ledgerCryptoOf } from '../../runtime/ledger.ts'
import { cannotRead } from '../output.ts'

const KEY_BYTES_MAX = 1_024
/** As long as the longest leaf with its proof and all votes. */
const RECEIPT_BYTES_MAX = 128 * 1024
/** A genesis, and a thousand changes of keepers. */
const DESCRIPTOR_BYTES_MAX = 8 << 20
/** A leaf in base 64. */
const LINE_CHARACTERS_MAX = 128 * 1024
const OTHERS = 0o077

/** A new account in a new file that only its owner may read. */
export async function makeKey(file: string): Promise<NewAccount> {
  const account = newAccount()
  await writeNew(file, `${account.secret}\n`, KEY_MODE)
  return account
}

/** The account of a file. One that others may read is refused: a reader could spend. */
export async function readKey(file: string): Promise<NewAccount> {
  if (!(await exists(file)))
    throw new FileError(`cannot read ${file}: there is no such file. coterie ledger key makes an account.`)
  const text = await readText(file, KEY_BYTES_MAX)
  const { mode } = await stat(file)
  if (process.platform !== 'win32' && (mode & OTHERS) !== 0) {
    throw new FileError(
      `${file} may be read by others (mode ${(mode & 0o777).toString(8)}), and anyone who reads it can spend. Make it yours alone: chmod 600 ${file}`,
    )
  }
  if (!/^[0-9a-f]{64}$/.test(text.trim()))
    throw new FileError(
      `${file} holds no account's secret: 64 digits of hexadecimal belong there (coterie ledger key).`,
    )
  return accountFrom(text.trim())
}

/** An account by its public key, or by a file that holds its secret. */
export async function keyOf(given: string): Promise<string> {
  if (/^[0-9a-f]{64}$/.test(given)) return given
  if (await exists(given)) return (await readKey(given)).key
  throw new FileError(
    `${given} is no account: neither a public key, of 64 digits of hexadecimal in small letters, nor a file that is there.`,
  )
}

export async function readDescription(file: string): Promise<Descriptor> {
  const descriptor = readDescriptor(await readBytes(file, DESCRIPTOR_BYTES_MAX), ledgerCryptoOf())
  if (typeof descriptor === 'string') throw new FileError(`${file} describes no ledger: ${descriptor}`)
  return descriptor
}

export async function readReceipt(file: string): Promise<LedgerReceipt> {
  return decodeReceipt(await readBytes(file, RECEIPT_BYTES_MAX))
}

export async function readCheckpoint(file: string, descriptor: Descriptor): Promise<Checkpoint> {
  const note = new TextDecoder().decode(await readBytes(file, NOTE_CHARACTERS_MAX))
  return readNote(descriptor, note, ledgerCryptoOf())
}

export function writeReceipt(file: string, receipt: LedgerReceipt): Promise<void> {
  return writeBytes(file, encodeReceipt(receipt))
}

export function writeDescription(file: string, descriptor: Descriptor): Promise<void> {
  return writeBytes(file, encodeDescriptor(descriptor))
}

/** A file of bytes, or a sentence. */
export async function readBytes(file: string, bytesMax: number): Promise<Uint8Array> {
  try {
    const size = await sizeOf(file)
    if (size > bytesMax)
      throw new FileError(`${file} has ${size} bytes; at most ${bytesMax} are read. Is it the right file?`)
    return new Uint8Array(await readFile(file))
  } catch (error) {
    throw cannotRead(file, error)
  }
}

/** Of a plain file only: a device never ends, and a pipe in its place would be waited for. */
async function sizeOf(file: string): Promise<number> {
  const found = await stat(file)
  if (!found.isFile()) throw new FileError(`${file} is ${found.isDirectory() ? 'a folder' : 'not a plain file'}.`)
  return found.size
}

/** Whether it is there, and no folder: a group may have the name of its ledger. */
export function isFileThere(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isDirectory() === false
}

/** Before anything is done of which the file is to tell: it must not fail afterwards. */
export async function checkFree(file: string | undefined): Promise<void> {
  if (file === undefined) return
  if (await exists(file))
    throw new FileError(`${file} is there already, and is not written over. Nothing was done: name another file.`)
  const folder = dirname(resolve(file))
  await access(folder, constants.W_OK | constants.X_OK).catch(error => {
    const { message } = cannot('write', file, error)
    throw new FileError(`${message} Nothing was done.`)
  })
}

/** Never over a file that is there. */
export async function writeBytes(file: string, value: Uint8Array): Promise<void> {
  await writeFile(file, value, { flag: 'wx', flush: true }).catch(error => {
    throw cannot('write', file, error)
  })
}

/** The leaves of a log as `coterie ledger log --raw` writes it: one in base 64 a line. */
export async function* readLog(file: string): AsyncGenerator<Uint8Array, void, undefined> {
  let place = 0
  for await (const line of linesOf(file)) {
    const leaf = line.length > LINE_CHARACTERS_MAX ? undefined : fromBase64(line)
    if (leaf === undefined || leaf.length === 0)
      throw new NotProven(`leaf ${place} is wrong: line ${place + 1} is no base 64.`)
    yield leaf
    place++
  }
}

/** A line that is too long is given as far as it was read: a file without ends of lines must not fill the memory. */
async function* linesOf(file: string): AsyncGenerator<string, void, undefined> {
  let rest = ''
  try {
    for await (const chunk of createReadStream(file, { encoding: 'latin1' })) {
      const lines = `${rest}${chunk}`.split('\n')
      rest = lines.pop()!
      yield* lines
      if (rest.length > LINE_CHARACTERS_MAX) return yield rest
    }
  } catch (error) {
    throw error instanceof CoterieError ? error : cannotRead(file, error)
  }
  if (rest !== '') yield rest
}
