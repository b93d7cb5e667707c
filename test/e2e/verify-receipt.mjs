// A receipt of a ledger, checked with nothing of ours: node:crypto and the formats of docs/protocols/ledger.md.
//   node verify-receipt.mjs RECEIPT DESCRIPTOR    (files of bytes)
import { createHash, createPublicKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'

const sha256 = (...parts) => createHash('sha256').update(Buffer.concat(parts)).digest()
const fail = why => {
  console.log(`does not hold: ${why}`)
  process.exit(1)
}
function reader(bytes) {
  let at = 0
  const take = count => {
    at += count
    return bytes.subarray(at - count, at)
  }
  const number = () => {
    for (let value = 0, scale = 1; ; scale *= 128) {
      const byte = bytes[at++]
      value += (byte & 127) * scale
      if (byte < 128) return value
    }
  }
  const list = item => Array.from({ length: number() }, item)
  return { take, number, list, bytes: () => take(number()) }
}
const [receiptFile, descriptorFile] = process.argv.slice(2)
const descriptor = readFileSync(descriptorFile)
const g = reader(descriptor)
for (const _ of ['name', 'asset']) g.bytes()
g.list(() => g.bytes()) // registers
g.list(() => [g.number(), g.take(32), g.take(8)]) // balances
g.list(() => g.take(32)) // operators
g.number()
const servers = g.list(() => ({ name: g.bytes().toString(), key: g.take(32), salt: g.take(16) }))
const crashes = g.number()

const r = reader(readFileSync(receiptFile))
const ledger = r.take(32)
if (!sha256(descriptor).equals(ledger)) fail('another ledger')
const [leaf, index] = [r.bytes(), r.number()]
const path = r.list(() => r.take(32))
const [height, size, root, previous, attempt, proposal] = [
  r.number(),
  r.number(),
  r.take(32),
  r.take(32),
  r.number(),
  r.take(32),
]
const votes = r.list(() => ({ server: r.number(), signature: r.take(64) }))

let [place, last, hash] = [index, size - 1, sha256(Buffer.of(0), leaf)]
for (const sibling of path) {
  if (place % 2 === 1 || place === last) {
    hash = sha256(Buffer.of(1), sibling, hash)
    while (place % 2 === 0 && place !== 0) [place, last] = [place >> 1, last >> 1]
  } else hash = sha256(Buffer.of(1), hash, sibling)
  ;[place, last] = [place >> 1, last >> 1]
}
if (last !== 0 || !hash.equals(root)) fail('the leaf is not in the tree')
const text = `coterie.ledger/${ledger.toString('hex')}\n${size}\n${root.toString('base64')}\nepoch 0 height ${height} attempt ${attempt}\nprevious ${previous.toString('hex')}\nproposal ${proposal.toString('hex')}\n`
const signers = new Set()
for (const { server, signature } of votes) {
  const der = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), servers[server].key])
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' })
  if (verify(null, Buffer.from(text), key, signature)) signers.add(server)
}
if (signers.size < servers.length - crashes) fail(`${signers.size} of ${servers.length - crashes} signatures hold`)
console.log(`holds: leaf ${index} of ${size}, ${signers.size} signatures`)
