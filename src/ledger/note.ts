// A certificate read back from its signed note: everything that was signed stands in the text, so the file that a person
// keeps and mails is all that an audit needs.

import { fromHex } from '../core/index.ts'
import { type Checkpoint, type CountedVote, fromBase64, originOf, signedNote } from './checkpoint.ts'
import { type Descriptor, type Epoch, epochAt, type LedgerCrypto } from './genesis.ts'
import { HASH_BYTES, SIGNATURE_BYTES } from './limits.ts'
import { NotProven } from './receipt.ts'

/** Longer than a note with the signatures of a hundred servers. */
export const NOTE_CHARACTERS_MAX = 32_768
const HINT_BYTES = 4
const NUMBERS = /^epoch \d{1,10} height (\d{1,10}) attempt (\d{1,5})$/

/** The certificate that a note holds. Throws `NotProven` where it is none of that ledger; whether its signatures hold, an audit says. */
export function readNote(descriptor: Descriptor, note: string, suite: LedgerCrypto): Checkpoint {
  const [text, signed, ...more] = note.slice(0, NOTE_CHARACTERS_MAX).split('\n\n')
  if (text === undefined || signed === undefined || more.length > 0) throw none('it has no text and no signatures')
  const [origin, size = '', root = '', numbers = '', previous = '', proposal = ''] = text.split('\n')
  if (origin !== originOf(descriptor)) throw none(`it is not of ledger ${descriptor.hex.slice(0, 8)}`)
  const counted = NUMBERS.exec(numbers)
  const hashes = [fromBase64(root), fromHex(previous.slice(9)), fromHex(proposal.slice(9))]
  if (counted === null || !/^\d{1,10}$/.test(size) || hashes.some(hash => hash?.length !== HASH_BYTES))
    throw none('its text cannot be read')
  const [height, attempt] = counted.slice(1).map(Number) as [number, number]
  const statement = {
    height,
    attempt,
    size: Number(size),
    root: hashes[0]!,
    previous: hashes[1]!,
    proposal: hashes[2]!,
  }
  // Whatever else could be written there: there is one note for one certificate.
  const checkpoint = { ...statement, votes: votesOf(epochAt(descriptor, statement.size), signed) }
  if (signedNote(descriptor, checkpoint, suite) !== note) throw none('it is not as a ledger writes it')
  return checkpoint
}

function votesOf({ servers }: Epoch, signed: string): CountedVote[] {
  if (!signed.endsWith('\n')) throw none('its last line is cut')
  const lines = signed.split('\n').slice(0, -1)
  const votes = lines.map(line => {
    const [dash, name, value, ...more] = line.split(' ')
    const server = servers.findIndex(voter => voter.name === name)
    const bytes = fromBase64(value ?? '')
    if (dash !== '—' || server < 0 || more.length > 0 || bytes?.length !== HINT_BYTES + SIGNATURE_BYTES)
      throw none('a line of it is no signature of a server of this ledger')
    return { server, signature: bytes.subarray(HINT_BYTES) }
  })
  return votes
}

const none = (why: string) => new NotProven(`no checkpoint: ${why}.`)
