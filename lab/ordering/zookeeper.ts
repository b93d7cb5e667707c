// LECTURE, "ZooKeeper versioning" and "ZooKeeper locking protocol", on the tree that ships (src/ordering/tree).
//
// W(n, k)a writes a to node n if its version is k; R(n) gives the value and the version, R(n, k)a. With versions nobody's
// update is lost; without them they are. The lock: who creates /lock has it, the others watch it; when it is deleted all
// that watch are told, and all but one for nothing. With n clients that is n(n - 1)/2 notifications; by numbered nodes,
// each watching the one before, n - 1.

import { decode, encode, type Random, seededRandom } from '../../src/core/index.ts'
import {
  changesIn,
  eventsFor,
  operationCodec,
  resultCodec,
  type TreeEvent,
  type TreeOperation,
  type TreeResult,
  treeApplier,
} from '../../src/ordering/tree/index.ts'
import { type Experiment, type Row, type RunOptions, row } from '../experiment.ts'

const WRITES = { small: 2_000, full: 100_000 }
const CLIENTS = { small: [2, 5, 20], full: [2, 5, 20, 100] }
const READERS = 4

/** The tree, operation by operation, and what each watcher is told. */
class Tree {
  private readonly entries = new Map<string, Uint8Array>()
  private written = new Map<string, Uint8Array | undefined>()
  /** Notifications told, by who watches what. A watch is for one change, as in ZooKeeper. */
  private readonly watches = new Map<string, Map<string, (event: TreeEvent) => void>>()
  notifications = 0

  do(session: string, operation: TreeOperation): TreeResult {
    const view = {
      get: (key: string) => this.entries.get(key),
      set: (key: string, value: Uint8Array) => {
        this.entries.set(key, value)
        this.written.set(key, value)
      },
      remove: (key: string) => {
        this.entries.delete(key)
        this.written.set(key, undefined)
      },
    }
    const answer = decode(resultCodec, treeApplier.apply(view, encode(operationCodec, operation), { session } as never))
    const writes = [...this.written].map(([key, value]) => ({ key, value }))
    this.written = new Map()
    this.tell(changesIn(writes))
    if (!answer.ok) throw new Error('the tree’s answer must be readable')
    return answer.value
  }

  watch(path: string, who: string, told: (event: TreeEvent) => void): void {
    const watchers = this.watches.get(path) ?? new Map()
    this.watches.set(path, watchers.set(who, told))
  }

  private tell(changes: ReturnType<typeof changesIn>): void {
    for (const change of changes) {
      for (const [path, watchers] of [...this.watches]) {
        const [event] = eventsFor(change, path).filter(({ kind }) => kind !== 'children')
        if (event === undefined) continue
        this.watches.delete(path)
        for (const told of watchers.values()) {
          this.notifications++
          told(event)
        }
      }
    }
  }
}

const NODE = '/n'
const number = (value: Uint8Array) => new DataView(value.buffer, value.byteOffset).getUint32(0)
const bytes = (value: number) => {
  const out = new Uint8Array(4)
  new DataView(out.buffer).setUint32(0, value)
  return out
}
const create = (path: string, sequential = false): TreeOperation => ({
  kind: 'create',
  path,
  value: bytes(0),
  ephemeral: true,
  sequential,
})

interface Versioning {
  readonly accepted: number
  readonly refused: number
  readonly value: number
  /** The version that R(n) tells in the end. */
  readonly version: number
  /** W(n, k) with a k that was not the version, and was done; or the reverse. */
  readonly wrong: number
}

/** Clients read, and each adds one to what it read, some time later: W(n, k) with the k it read, or with none. */
function addUp(writes: number, versioned: boolean, random: Random): Versioning {
  const tree = new Tree()
  tree.do('a', { ...create(NODE), ephemeral: false } as TreeOperation)
  const readers: { value: number; version: number }[] = Array.from({ length: READERS }, () => ({
    value: 0,
    version: 0,
  }))
  let [accepted, refused, wrong, current] = [0, 0, 0, 0]
  for (let write = 0; write < writes; write++) {
    const at = random.below(READERS)
    if (random.chance(0.5)) {
      const found = tree.do('a', { kind: 'get', path: NODE })
      if (found.kind === 'found') readers[at] = { value: number(found.value), version: found.stat.version }
      continue
    }
    const { value, version } = readers[at]!
    const told = tree.do('a', {
      kind: 'set',
      path: NODE,
      value: bytes(value + 1),
      version: versioned ? version : undefined,
    })
    const done = told.kind === 'changed'
    if (versioned && done !== (version === current)) wrong++
    if (done) [accepted, current] = [accepted + 1, current + 1]
    else refused++
  }
  const end = tree.do('a', { kind: 'get', path: NODE })
  if (end.kind !== 'found') throw new Error('the node must be there')
  return { accepted, refused, wrong, value: number(end.value), version: end.stat.version }
}

interface Locking {
  readonly entered: number
  readonly together: number
  readonly notifications: number
}

/** Everybody wants the lock once. It is passed on when its holder deletes its node. */
function passAround(clients: number, numbered: boolean): Locking {
  const tree = new Tree()
  let [inside, entered, together] = [0, 0, 0]
  const queue: (() => void)[] = []
  const enter = (leave: () => void) => {
    inside++
    entered++
    together = Math.max(together, inside)
    queue.push(() => {
      inside--
      leave()
    })
  }
  if (numbered) tree.do('a', { ...create('/queue'), ephemeral: false } as TreeOperation)
  for (let client = 0; client < clients; client++) {
    const who = `client-${client}`
    if (numbered) standInLine(tree, who, enter)
    else ask(tree, who, enter)
  }
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) next()
  return { entered, together, notifications: tree.notifications }
}

/** The lecture's: create /lock; where it exists, watch it and try again. */
function ask(tree: Tree, who: string, enter: (leave: () => void) => void): void {
  const made = tree.do(who, create('/lock'))
  if (made.kind === 'created')
    return enter(() => void tree.do(who, { kind: 'delete', path: '/lock', version: undefined }))
  tree.watch('/lock', who, () => ask(tree, who, enter))
}

/** By numbered nodes: the lowest holds, and each watches the one before it. */
function standInLine(tree: Tree, who: string, enter: (leave: () => void) => void): void {
  const made = tree.do(who, create('/queue/at-', true))
  if (made.kind !== 'created') throw new Error('a numbered node is always made')
  const mine = made.path
  const look = () => {
    const listed = tree.do(who, { kind: 'list', path: '/queue', after: undefined, limit: 1_000 })
    const names = listed.kind === 'names' ? listed.names.map(name => `/queue/${name}`) : []
    const before = names[names.indexOf(mine) - 1]
    if (before !== undefined) return tree.watch(before, who, look)
    enter(() => void tree.do(who, { kind: 'delete', path: mine, version: undefined }))
  }
  look()
}

export const zookeeperExperiment: Experiment = {
  name: 'zookeeper',
  title: 'W(n, k)a loses no update; the lock by one node tells everybody, the one by numbered nodes the next.',
  source: 'LECTURE, "ZooKeeper versioning", "ZooKeeper locking protocol"',
  run({ scale, seed, progress }: RunOptions) {
    const versioned = addUp(WRITES[scale], true, seededRandom(seed, 0x20))
    const blind = addUp(WRITES[scale], false, seededRandom(seed, 0x20))
    progress(0.5, 'locks')
    const rows: Row[] = [
      row('W(n, k)a: done with another k, or refused with the right one', versioned.wrong, 0, 0),
      row('W(n, k)a: version in the end, as many as were done', versioned.version, versioned.accepted, 0),
      row('W(n, k)a: updates lost', versioned.accepted - versioned.value, 0, 0),
      row('W(n, k)a: refused', versioned.refused, null, null, `of ${versioned.accepted + versioned.refused}`),
      row('written without a version: updates lost (1 = some)', blind.value < blind.accepted ? 1 : 0, 1, 0),
      row('written without a version: updates lost', blind.accepted - blind.value, null, null, `of ${blind.accepted}`),
      ...CLIENTS[scale].flatMap(lockRows),
    ]
    return { rows, pictures: [], notes: NOTES }
  },
}

function lockRows(clients: number): Row[] {
  const one = passAround(clients, false)
  const numbered = passAround(clients, true)
  const what = `${clients} clients`
  return [
    row(`${what}, one node: entered`, one.entered, clients, 0),
    row(`${what}, one node: inside together, at most`, one.together, 1, 0),
    row(`${what}, one node: notifications, n(n-1)/2`, one.notifications, (clients * (clients - 1)) / 2, 0),
    row(`${what}, numbered nodes: entered`, numbered.entered, clients, 0),
    row(`${what}, numbered nodes: inside together, at most`, numbered.together, 1, 0),
    row(`${what}, numbered nodes: notifications, n-1`, numbered.notifications, clients - 1, 0),
  ]
}

const NOTES = [
  `${READERS} clients read, and add one to what they read some time later; half of all steps are reads.`,
  'The operations go through the applier that every server of a group runs, as bytes, one after the other: what the order of BACKOFF §6 ' +
    'gives. What a lost or late server does to it, the simulator tries (`coterie sim ordering`).',
]
