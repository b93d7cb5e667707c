// What stands against the printed mechanism in `srcea-attacks`: each message signed by its author, sealed with a fresh
// nonce, and taken once. A small stand-in for the lab with Node's OpenSSL, with the parts of the product's ballots:
// the signature is over all fields, the term and the time among them.

import {
  createCipheriv,
  createDecipheriv,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  verify,
} from 'node:crypto'

export interface SignedMessage {
  readonly author: number
  readonly term: number
  readonly timestamp: number
  readonly nonce: Buffer
  readonly sealed: Buffer
  readonly mark: Buffer
  readonly signature: Buffer
}

export interface Member {
  readonly id: number
  readonly privateKey: KeyObject
}

export interface SignedGroup {
  readonly members: readonly Member[]
  /** Of every member, known to all. */
  readonly publicKeys: readonly KeyObject[]
  /** Keeps outsiders out; says nothing on who among the members wrote. */
  readonly groupKey: Buffer
}

export function signedGroup(size: number): SignedGroup {
  const pairs = Array.from({ length: size }, () => generateKeyPairSync('ed25519'))
  return {
    members: pairs.map(({ privateKey }, id) => ({ id, privateKey })),
    publicKeys: pairs.map(({ publicKey }) => publicKey),
    groupKey: randomBytes(32),
  }
}

function signedPart(message: Omit<SignedMessage, 'signature'>): Buffer {
  const head = Buffer.alloc(24)
  head.writeBigUInt64BE(BigInt(message.author), 0)
  head.writeBigUInt64BE(BigInt(message.term), 8)
  head.writeBigUInt64BE(BigInt(message.timestamp), 16)
  return Buffer.concat([head, message.nonce, message.mark, message.sealed])
}

export function sealSigned(
  group: SignedGroup,
  by: Member,
  body: Uint8Array,
  term: number,
  timestamp: number,
): SignedMessage {
  const nonce = randomBytes(12)
  const cipher = createCipheriv('chacha20-poly1305', group.groupKey, nonce, { authTagLength: 16 })
  const sealed = Buffer.concat([cipher.update(body), cipher.final()])
  const unsigned = { author: by.id, term, timestamp, nonce, sealed, mark: cipher.getAuthTag() }
  return { ...unsigned, signature: sign(null, signedPart(unsigned), by.privateKey) }
}

/** Opens what others sent: once a term and author, only of the term that is on, and not what is too old. */
export class SignedReceiver {
  private readonly taken = new Set<string>()
  private readonly group: SignedGroup

  constructor(group: SignedGroup) {
    this.group = group
  }

  open(message: SignedMessage, term: number, oldest: number): Buffer | undefined {
    const key = this.group.publicKeys[message.author]
    if (key === undefined || message.term !== term || message.timestamp < oldest) return undefined
    if (!verify(null, signedPart(message), key, message.signature)) return undefined
    const once = `${message.author} ${message.term}`
    if (this.taken.has(once)) return undefined
    this.taken.add(once)
    const { groupKey } = this.group
    const decipher = createDecipheriv('chacha20-poly1305', groupKey, message.nonce, { authTagLength: 16 })
    try {
      return Buffer.concat([decipher.setAuthTag(message.mark).update(message.sealed), decipher.final()])
    } catch {
      return undefined
    }
  }
}
