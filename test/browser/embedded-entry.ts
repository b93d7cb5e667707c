// What the browser test runs in the tab: a whole group, with one server that may lie, used as a page would use it.

import { embedded, NotAcquired } from '../../src/browser/index.ts'

export async function useEverything() {
  const group = await embedded({ liars: 1 })
  const lease = await group.lock('door')
  const second = await group.tryLock('door')
  const refused = await group.lock('door', { timeout: 50 }).catch(error => error instanceof NotAcquired)
  await lease.release()
  const next = await group.lock('door')
  const tokens = { first: lease.token, next: next.token }
  await next.release()

  const tree = group.tree()
  await tree.create('/greeting', 'hello')
  const told = new TextDecoder().decode((await tree.get('/greeting'))?.value)

  const counter = group.recipes.counter('visits')
  await Promise.all(Array.from({ length: 20 }, () => counter.add(1)))
  const visits = Number(await counter.value())
  await group.close()
  return { second: second === undefined, refused, grew: tokens.next > tokens.first, told, visits }
}
