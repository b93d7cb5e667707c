// A client process that shares registers and a counter with others, and records what it asked and what it heard.
// node sharer.mjs CLIENT_FOLDER HISTORY
//
// Registers `a`, `b` are properties of an object, `/c` and `/d` entries of the tree; the counter is another object.
// A call is in the file before it is made (protocols/ordering: errors are definite or indefinite, never wrong). It goes on
// until SIGTERM.

import { appendFileSync } from 'node:fs'
import { connect, TreeError } from 'coterie'
import { historyLine } from '../../dist/src/simulator/index.js'

const [config, file] = process.argv.slice(2)
const who = `sharer-${process.pid}`
const timeout = 4_000
/** Calls of one process that are under way at once. */
const LANES = 3
const millis = () => Number(process.hrtime.bigint() / 1000n) / 1000
const pick = list => list[Math.floor(Math.random() * list.length)]
let ended = false
process.on('SIGTERM', () => {
  ended = true
})

const group = await connect({ config, timeout: 60_000, blockedMax: 0 })
const shared = group.object('registers', {
  initial: () => ({}),
  apply(state, { key, expected, value }) {
    if (expected !== undefined && (state[key] ?? null) !== expected) return { state, result: false }
    return { state: { ...state, [key]: value }, result: true }
  },
})
const sum = group.object('sum', {
  initial: () => 0,
  apply: (state, by) => ({ state: state + by, result: state + by }),
})
const tree = group.tree()
const bytes = value => new TextEncoder().encode(value)

async function read(key) {
  if (key === 'sum') return (await sum.read({ timeout })).state
  if (!key.startsWith('/')) return (await shared.read({ timeout })).state[key] ?? null
  return (await tree.get(key, { timeout }))?.text() || null
}

async function write(key, value) {
  if (key.startsWith('/')) await tree.set(key, value, { timeout })
  else await shared.submit({ key, value }, { timeout })
  return null
}

async function swap(key, expected, value) {
  if (!key.startsWith('/')) return shared.submit({ key, expected, value }, { timeout })
  try {
    const condition = { kind: 'value', path: key, value: bytes(expected ?? '') }
    const set = { kind: 'set', path: key, value: bytes(value), version: undefined }
    await tree.txn({ if: [condition], do: [set], timeout })
    return true
  } catch (error) {
    if (error instanceof TreeError && error.code === 'condition') return false
    throw error
  }
}

const calls = {
  read: ({ key }) => read(key),
  write: ({ key, value }) => write(key, value),
  swap: ({ key, expected, value }) => swap(key, expected, value),
  add: ({ by }) => sum.submit(by, { timeout }),
}

let ids = 0
const seen = new Map()
function draw(id) {
  const key = pick(['a', 'b', '/c', '/d', 'sum'])
  const kind = pick(['read', 'write', 'swap'])
  if (key === 'sum') return kind === 'read' ? { kind, key } : { kind: 'add', key, by: 1 }
  if (kind === 'read') return { kind, key }
  const value = `${who} ${id}`
  return kind === 'write' ? { kind, key, value } : { kind, key, expected: seen.get(key) ?? null, value }
}

async function lane() {
  while (!ended) {
    const id = ++ids
    const call = draw(id)
    const say = event => appendFileSync(file, historyLine({ at: millis(), who, id, ...event }))
    say({ what: 'call', call })
    try {
      const result = await calls[call.kind](call)
      say({ what: 'returned', result })
      if (call.kind === 'read') seen.set(call.key, result)
    } catch (error) {
      if (error.outcome === undefined) throw error
      say({ what: error.outcome === 'did not happen' ? 'failed' : 'unknown' })
      if (process.env.SHARER_LOG) process.stderr.write(`${error.message}\n`)
    }
    // Histories that a person can read, and a checker can judge in seconds.
    await new Promise(resolve => setTimeout(resolve, 5 + Math.random() * 20))
  }
}

process.stdout.write('started\n')
await Promise.all(Array.from({ length: LANES }, lane))
const { lies } = await group.status()
await group.close()
process.stdout.write(`${JSON.stringify({ who, lies })}\n`)
