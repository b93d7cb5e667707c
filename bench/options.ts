// What checking options costs, beside the call that it guards: a lock taken and let go in an embedded group.
// npm run bench -- options

import { checkLockOptions } from '../src/client/lock-options.ts'
import { embedded, type Group, type LockOptions } from '../src/index.ts'

const CHECKS = 1_000_000
const ROUNDS = 5_000
const REPEATS = 5

const each: readonly LockOptions[] = [{}, { ttl: 5_000 }, { ttl: 5_000, timeout: 1_000, renew: false }]

function checkNanos(): number {
  const begin = process.hrtime.bigint()
  for (let round = 0; round < CHECKS; round++) checkLockOptions('group.lock', each[round % each.length]!)
  return Number(process.hrtime.bigint() - begin) / CHECKS
}

async function lockNanos(group: Group): Promise<number> {
  const begin = process.hrtime.bigint()
  for (let round = 0; round < ROUNDS; round++) {
    const lease = await group.lock('bench', each[round % each.length]!)
    await lease.release()
  }
  return Number(process.hrtime.bigint() - begin) / ROUNDS
}

const middle = (values: number[]) => values.sort((one, other) => one - other)[values.length >> 1]!

export async function run(print: (line: string) => void) {
  const group = await embedded()
  const checks: number[] = []
  const locks: number[] = []
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    checks.push(checkNanos())
    locks.push(await lockNanos(group))
  }
  await group.close()
  const [check, lock] = [middle(checks), middle(locks)]
  print(`a check of a lock's options: ${check.toFixed(0)} ns`)
  print(`a lock taken and let go, embedded: ${(lock / 1_000).toFixed(1)} µs`)
  print(`the check is ${((100 * check) / lock).toFixed(2)} % of it`)
  return { check, lock }
}
