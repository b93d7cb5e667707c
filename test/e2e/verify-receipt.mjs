// A receipt of a ledger, checked with nothing of ours: node:crypto and the formats of docs/protocols/ledger.md.
//   node verify-receipt.mjs RECEIPT DESCRIPTOR    (files of bytes)
import { ok as check } from 'node:assert'
import { createHash, createPublicKey, verify } from 'node:crypto'
import { readFileSync } from 'node:fs'

const sha256 = (...parts) => createHash('sha256').update(Buffer.concat(parts)).digest()
function reader(bytes) {
  let at = 0
  const take = count => {
    at += count
    return bytes.subarray(at - count, at)
  }
  const number = () => {
    for (let value = 0, scale = 1; ; scale *= 128) {
      check(at < bytes.length, 'it ends too early')
      value += (bytes[at] & 127) * scale
      if (bytes[at++] < 128) return value
    }
  }
  const list = item => Array.from({ length: number() }, item)
  return { take, number, list, bytes: () => take(number()) }
}
const [receiptBytes, descriptor] = process.argv.slice(2).map(file => readFileSync(file))
const [g, r] = [reader(descriptor), reader(receiptBytes)]
for (const _ of ['name', 'asset']) g.bytes()
g.list(g.bytes) // registers
g.list(() => [g.number(), g.take(32), g.take(8)]) // balances
g.list(() => g.take(32)) // operators
g.number()
const servers = g.list(() => ({ name: g.bytes().toString(), key: g.take(32), salt: g.take(16) }))
const needed = servers.length - g.number()

const ledger = r.take(32)
check(sha256(descriptor).equals(ledger), 'another ledger')
const [leaf, index, path] = [r.bytes(), r.number(), r.list(() => r.take(32))]
const [height, size, root, previous] = [r.number(), r.number(), r.take(32), r.take(32)]
const [attempt, proposal] = [r.number(), r.take(32)]
const votes = r.list(() => ({ server: r.number(), signature: r.take(64) }))

let [place, last, hash] = [index, size - 1, sha256(Buffer.of(0), leaf)]
for (const sibling of path) {
  const right = place % 2 === 1 || place === last
  hash = right ? sha256(Buffer.of(1), sibling, hash) : sha256(Buffer.of(1), hash, sibling)
  while (right && place % 2 === 0 && place !== 0) [place, last] = [place >> 1, last >> 1]
  ;[place, last] = [place >> 1, last >> 1]
}
check(index < size && last === 0 && hash.equals(root), 'the leaf is not in the tree')
const [before, chosen] = [previous.toString('hex'), proposal.toString('hex')]
const lines = [`epoch 0 height ${height} attempt ${attempt}`, `previous ${before}`, `proposal ${chosen}`, '']
const text = [`coterie.ledger/${ledger.toString('hex')}`, size, root.toString('base64'), ...lines].join('\n')
const signers = new Set()
for (const { server, signature } of votes) {
  check(server < servers.length, `there is no server ${server}`)
  const x = servers[server].key.toString('base64url')
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  if (verify(null, Buffer.from(text), key, signature)) signers.add(server)
}
check(signers.size >= needed, `${signers.size} of ${needed} signatures hold`)
console.log(`holds: leaf ${index} of ${size}, ${signers.size} signatures`)
