// Registers and a counter that clients share, and the record of what was asked and heard. `a` and `b` are properties of an
// object, `/c` and `/d` entries of the tree; the counter is another object.

import { appendFileSync } from 'node:fs'
import { type Group, TreeError } from 'coterie'
import { type CounterCall, historyLine, type RegisterCall } from '../../../src/simulator/index.ts'
import { millis } from './reporting.ts'

type Call = RegisterCall | (CounterCall & { readonly key: 'sum' })
type Registers = Record<string, string>
type Writing = { key: string; value: string; expected?: string | null }

const timeout = 5_000
const bytes = (value: string) => new TextEncoder().encode(value)
const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)]!

function openShared(group: Group) {
  return {
    registers: group.object('registers', {
      initial: (): Registers => ({}),
      apply(state: Registers, { key, expected, value }: Writing) {
        if (expected !== undefined && (state[key] ?? null) !== expected) return { state, result: false }
        return { state: { ...state, [key]: value }, result: true }
      },
    }),
    sum: group.object('sum', {
      initial: () => 0,
      apply: (state: number, by: number) => ({ state: state + by, result: state + by }),
    }),
    tree: group.tree(),
  }
}

type Shared = ReturnType<typeof openShared>

function perform(shared: Shared, call: Call): Promise<unknown> {
  if (call.kind === 'add') return shared.sum.submit(call.by, { timeout })
  if (call.kind === 'read') return read(shared, call.key)
  const { key, value } = call as { key: string; value: string }
  if (call.kind === 'write') return write(shared, key, value)
  return swap(shared, key, (call as unknown as { expected: string | null }).expected, value)
}

async function read({ registers, sum, tree }: Shared, key = 'sum'): Promise<unknown> {
  if (key === 'sum') return (await sum.read({ timeout })).state
  if (!key.startsWith('/')) return (await registers.read({ timeout })).state[key] ?? null
  return (await tree.get(key, { timeout }))?.text() || null
}

async function write({ registers, tree }: Shared, key: string, value: string): Promise<null> {
  if (key.startsWith('/')) await tree.set(key, value, { timeout })
  else await registers.submit({ key, value }, { timeout })
  return null
}

async function swap(
  { registers, tree }: Shared,
  key: string,
  expected: string | null,
  value: string,
): Promise<boolean> {
  if (!key.startsWith('/')) return registers.submit({ key, expected, value }, { timeout })
  try {
    const condition = { kind: 'value', path: key, value: bytes(expected ?? '') } as const
    const set = { kind: 'set', path: key, value: bytes(value), version: undefined } as const
    await tree.txn({ if: [condition], do: [set], timeout })
    return true
  } catch (error) {
    if (error instanceof TreeError && error.code === 'condition') return false
    throw error
  }
}

const seen = new Map<string, unknown>()
let ids = 0

function draw(who: string, id: number): Call {
  const key = pick(['a', 'b', '/c', '/d', 'sum'])
  const kind = pick(['read', 'write', 'swap'])
  if (key === 'sum') return (kind === 'read' ? { kind, key } : { kind: 'add', key, by: 1 }) as Call
  if (kind === 'read') return { kind, key } as Call
  const value = `${who} ${id}`
  return (kind === 'write' ? { kind, key, value } : { kind, key, expected: seen.get(key) ?? null, value }) as Call
}

/** Each call of what it returns does one thing, and says whether it was done. */
export function sharing(group: Group, who: string, history: string): () => Promise<boolean> {
  const shared = openShared(group)
  return async () => {
    const id = ++ids
    const call = draw(who, id)
    const tell = (event: object) => appendFileSync(history, historyLine({ at: millis(), who, id, ...event } as never))
    // In the file before it is made: errors are definite or indefinite, never wrong.
    tell({ what: 'call', call })
    try {
      const result = await perform(shared, call)
      tell({ what: 'returned', result })
      if (call.kind === 'read') seen.set((call as { key: string }).key, result)
      return true
    } catch (error) {
      const { outcome } = error as { outcome?: string }
      if (outcome === undefined) throw error
      tell({ what: outcome === 'did not happen' ? 'failed' : 'unknown' })
      return false
    }
  }
}
