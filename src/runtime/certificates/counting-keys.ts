// A member's key for counting secret ballots: a secret number in a file of its own, the point that belongs to it and the
// proof that the owner of the point knows the number in every copy of the settings. Without the proof, the last to enter
// could choose a key that makes the sum of all keys its own, and read every ballot (protocols/election).

import { randomBytes } from 'node:crypto'
import { FileError } from '../../core/index.ts'
import { type Group, keyPair, ristretto } from '../../crypto/index.ts'
import { type Counting, countingKey } from '../../election/index.ts'

/** All in hexadecimal. */
export interface CountingCredentials {
  readonly secret: string
  readonly countKey: string
  readonly possession: string
}

const random = (length: number) => new Uint8Array(randomBytes(length))

export async function issueCounting(name: string): Promise<CountingCredentials> {
  const group = await ristretto()
  const keys = keyPair(group, random)
  const { countKey, possession } = countingKey(group, keys, name, random)
  return { secret: hexOf(keys.secret), countKey: hexOf(countKey), possession: hexOf(possession) }
}

/** What the election counts with, from the secret as it stands in its file. */
export function countingOf(group: Group, secret: string, file: string): Counting {
  const scalar = group.decodeScalar(bytesOf(secret.trim()))
  if (scalar === undefined || group.integer(scalar) === 0n) {
    throw new FileError(`${file} holds no key for counting. Copy it again from where the group was made.`)
  }
  return { group, keys: { secret: scalar, publicKey: group.multiplyBase(scalar) } }
}

export function bytesOf(hexadecimal: string): Uint8Array {
  return new Uint8Array(Buffer.from(hexadecimal, 'hex'))
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex')
}
