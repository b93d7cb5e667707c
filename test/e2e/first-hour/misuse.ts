// One wrong use of each public function: a sentence that says what is wrong, and nothing else happens.
//
// A wrong use is one entry of a list. `call` is given a group that runs inside this process; it must throw or reject
// with an error of the library whose message matches `says`. Lists are joined in `misuses`: another file adds its own.

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type * as Coterie from '../../../src/index.ts'
import type { World } from './world.ts'

export interface Misuse {
  /** As in the reference: `embedded`, `group.lock`, `tree.set`. */
  readonly of: string
  readonly call: (coterie: typeof Coterie, group: Coterie.Group) => unknown
  readonly says: RegExp
}

const basics: readonly Misuse[] = [
  { of: 'embedded', call: ({ embedded }) => embedded({ servers: 3, liars: 1 }), says: /3 servers cannot/ },
  { of: 'connect', call: ({ connect }) => connect({ config: '/no/such/folder' }), says: /\/no\/such\/folder/ },
  { of: 'join', call: ({ join: joinGroup }) => joinGroup({ config: '/no/such/folder' }), says: /\/no\/such\/folder/ },
  { of: 'group.lock', call: (_, group) => group.lock('a', { ttl: -1 }), says: /ttl is -1/ },
  { of: 'group.tryLock', call: (_, group) => group.tryLock(''), says: /name/ },
  { of: 'tree.get', call: (_, group) => group.tree().get('no-slash'), says: /no-slash/ },
  { of: 'tree.set', call: (_, group) => group.tree().set('/nothing-there', 'x'), says: /\/nothing-there/ },
]

const misuses: readonly Misuse[] = [...basics]

export async function playMisuses(world: World): Promise<void> {
  const built = pathToFileURL(join(world.clone, 'dist', 'src', 'index.js')).href
  const coterie = (await import(built)) as typeof Coterie
  await using group = await coterie.embedded()
  for (const misuse of misuses) {
    const began = performance.now()
    const wrong = await wrongWith(coterie, group, misuse)
    world.judge(`wrong use of ${misuse.of}`, wrong, '', performance.now() - began)
  }
}

async function wrongWith(
  coterie: typeof Coterie,
  group: Coterie.Group,
  { call, says }: Misuse,
): Promise<string | undefined> {
  try {
    await call(coterie, group)
  } catch (error) {
    if (!(error instanceof coterie.CoterieError)) return `it is no error of the library: ${error}`
    return says.test(error.message) ? undefined : `it says ${error.message}, not ${says}`
  }
  return 'it was taken'
}
