// One wrong use, or a few, of every public function, and what it says. Data, so that several suites can go through it.

import { mqtt } from '../../src/events/index.ts'
import {
  A2,
  advise,
  BlockDecayingBloom,
  Bloom,
  buildFilter,
  CompactShortHashFilter,
  Cuckoo,
  ExactWindow,
  LineStream,
  QueuedQuotientHashTableWithDuplicates,
  QueueOf,
  QuotientHashTable,
  QuotientHashTableWithDuplicates,
  ShortHashFilter,
  StableBloom,
  StreamingQuotientFilter,
} from '../../src/filters/index.ts'
import {
  createGuard,
  expressGuard,
  fastifyGuard,
  fileGuard,
  installationSql,
  installGuard,
  memoryTokens,
  tokenHeaders,
  withToken,
} from '../../src/guards/index.ts'
import { carried, connect, embedded, enter, join, mqttBroker, nats, trust } from '../../src/index.ts'
import { any, type WrongUse, wrong } from './wrong-use.ts'
import { banditWrongUses } from './wrong-uses-bandits.ts'
import { doorWrongUses } from './wrong-uses-doors.ts'
import { eventWrongUses } from './wrong-uses-events.ts'
import { jobWrongUses } from './wrong-uses-jobs.ts'
import { ledgerWrongUses } from './wrong-uses-ledger.ts'

const never = { initial: () => 0, apply: (state: number) => ({ state, result: 0 }) }
/** A loop refuses at the call, not at its first turn. */
const next = (loop: AsyncGenerator<unknown>) => loop

const beginnings: readonly WrongUse[] = [
  wrong('embedded', 'embedded has no option "liarz". Did you mean liars?', () => embedded(any({ liarz: 1 }))),
  wrong('embedded', 'ttlMax is "1m"; it must be a whole number of milliseconds', () => embedded(any({ ttlMax: '1m' }))),
  wrong('embedded', 'embedded takes its options as an object, not the number 5', () => embedded(any(5))),
  wrong('embedded', '3 servers cannot', () => embedded({ servers: 3, liars: 1 })),
  wrong('trust', 'trust has no option "crash". Did you mean crashes?', () => trust(any({ crash: 1 }))),
  wrong('connect', 'connect needs config: the client', () => connect(any({}))),
  wrong('connect', 'connect takes its options as an object, not text', () => connect(any('clients/admin'))),
  wrong('connect', 'connect takes its options as an object, not undefined', () => connect(any(undefined))),
  wrong('connect', 'log is "loud"; it must be a function', () => connect(any({ config: 'x', log: 'loud' }))),
  wrong('connect', 'blockedMax is -1; it must be', () => connect({ config: 'x', blockedMax: -1 })),
  wrong('connect', '/no/such/folder', () => connect({ config: '/no/such/folder' })),
  wrong('join', '/no/such/folder', () => join({ config: '/no/such/folder' })),
  wrong('enter', '/no/such/folder', () => enter({ config: '/no/such/folder' })),
  wrong('enter', 'enter needs config: the', () => enter(any({}))),
  wrong('enter', 'enter has no option "attribute". Did you mean attributes?', () =>
    enter(any({ config: 'x', attribute: {} })),
  ),
  wrong('join', 'join needs config: the member', () => join(any({}))),
  wrong('join', 'ranking is an array; it must be a list of 1 to 3 attributes', () =>
    join({ config: 'x', ranking: any([{ name: 'joined' }]) }),
  ),
]

const carriers = () => [nats('nats://127.0.0.1:1')]

const brokers: readonly WrongUse[] = [
  wrong('carried', 'carried needs identity', () => carried(any({}))),
  wrong('carried', 'carried has no option "carrier". Did you mean carriers?', () =>
    carried(any({ identity: 'x', channel: 'x', carrier: carriers() })),
  ),
  wrong('carried', 'carriers is an array; it must be a list of at least one carrier', () =>
    carried({ identity: 'x', channel: 'x', carriers: any(['nats://127.0.0.1']) }),
  ),
  wrong('carried', 'carriers is an array; it must be a list of at least one carrier', () =>
    carried({ identity: 'x', channel: 'x', carriers: [] }),
  ),
  wrong('carried', 'mode is "hidden"; it must be one of tagged, counted, peks', () =>
    carried({ identity: 'x', channel: 'x', carriers: carriers(), secret: any({ mode: 'hidden' }) }),
  ),
  wrong('carried', 'price is searchable in no way that is known', () =>
    carried({ identity: 'x', channel: 'x', carriers: carriers(), secret: { searchable: any({ price: 'range' }) } }),
  ),
  wrong('nats', 'nats takes the address of a broker', () => nats('127.0.0.1')),
  wrong('nats', 'nats has no option "pass"', () => nats('nats://127.0.0.1', any({ pass: 'x' }))),
  wrong('mqttBroker', 'mqttBroker takes the address of a broker', () => mqttBroker(any(undefined))),
  wrong('mqttBroker', 'user is 5; it must be a name, as text', () => mqttBroker('mqtt://127.0.0.1', any({ user: 5 }))),
]

const locks: readonly WrongUse[] = [
  wrong('Group.lock', 'group.lock has no option "tll". Did you mean ttl?', ({ group }) =>
    group.lock('x', any({ tll: 5 })),
  ),
  wrong('Group.lock', 'ttl is "5s"; it must be a whole number', ({ group }) => group.lock('x', any({ ttl: '5s' }))),
  wrong('Group.lock', 'timeout is NaN; it must be', ({ group }) => group.lock('x', { timeout: Number.NaN })),
  wrong('Group.lock', 'signal is an AbortController; it must be an AbortSignal', ({ group }) =>
    group.lock('x', { signal: any(new AbortController()) }),
  ),
  wrong('Group.lock', "the lock's name is the number 5", ({ group }) => group.lock(any(5))),
  wrong('Group.lock', "the lock's name is undefined", ({ group }) => group.lock(any(undefined))),
  wrong('Group.lock', 'group.lock takes its options as an object, not the number 5', ({ group }) =>
    group.lock('x', any(5)),
  ),
  wrong('Group.tryLock', 'group.tryLock has no option "timeout"', ({ group }) =>
    group.tryLock('x', any({ timeout: 5 })),
  ),
  wrong('Group.tryLock', 'strategy is "expo"; it must be one of', ({ group }) =>
    group.tryLock('x', { fair: false, strategy: any('expo') }),
  ),
  wrong('Group.lock', 'ttl is -1', ({ group }) => group.lock('a', { ttl: -1 })),
  wrong('Group.tryLock', 'name', ({ group }) => group.tryLock('')),
  wrong('Group.forceUnlock', "the lock's name is null", ({ group }) => group.forceUnlock(any(null))),
  wrong('Lease.extend', 'ttl is 1.5; it must be a whole number', async ({ group }) => {
    await using lease = await group.lock('extended')
    await lease.extend(1.5)
  }),
]

const trees: readonly WrongUse[] = [
  wrong('Group.tree', 'group.tree has no option "nam". Did you mean name?', ({ group }) =>
    group.tree(any({ nam: 'other' })),
  ),
  wrong('Group.tree', 'ttl is 5; it must be a whole number of milliseconds from 300', ({ group }) =>
    group.tree({ name: 'other', ttl: 5 }),
  ),
  wrong('SharedTree.create', 'tree.create has no option "ephemral". Did you mean ephemeral?', ({ tree }) =>
    tree.create('/a', '', any({ ephemral: true })),
  ),
  wrong('SharedTree.create', 'value must be text or bytes, not an array', ({ tree }) =>
    tree.create('/a', any([104, 300])),
  ),
  wrong('SharedTree.set', 'tree.set has no option "vershun". Did you mean version?', ({ tree }) =>
    tree.set('/a', '', any({ vershun: 1 })),
  ),
  ...['1', -1, 1.5].map(version =>
    wrong('SharedTree.set', `version is ${JSON.stringify(version)}; it must be a whole number from 0`, ({ tree }) =>
      tree.set('/a', '', any({ version })),
    ),
  ),
  wrong('SharedTree.set', 'value must be text or bytes, not the number 5', ({ tree }) => tree.set('/a', any(5))),
  wrong('SharedTree.set', 'value must be text or bytes, not undefined', ({ tree }) => tree.set('/a', any(undefined))),
  wrong('SharedTree.delete', 'tree.delete has no option "versoin"', ({ tree }) =>
    tree.delete('/a', any({ versoin: 1 })),
  ),
  ...['1', -1, 1.5].map(version =>
    wrong('SharedTree.delete', `version is ${JSON.stringify(version)}; it must be a whole number from 0`, ({ tree }) =>
      tree.delete('/a', any({ version })),
    ),
  ),
  wrong('SharedTree.get', 'stale is "yes"; it must be true or false', ({ tree }) =>
    tree.get('/a', any({ stale: 'yes' })),
  ),
  wrong('SharedTree.get', 'a path looks like /a/b', ({ tree }) => tree.get(any(5))),
  wrong('SharedTree.get', 'no-slash', ({ tree }) => tree.get('no-slash')),
  wrong('SharedTree.set', '/nothing-there', ({ tree }) => tree.set('/nothing-there', 'x')),
  wrong('SharedTree.exists', 'tree.exists has no option "stael". Did you mean stale?', ({ tree }) =>
    tree.exists('/a', any({ stael: true })),
  ),
  wrong('SharedTree.list', 'tree.list has no option', ({ tree }) => tree.list('/', any({ timeot: 5 }))),
  wrong('SharedTree.count', 'tree.count has no option "recursiv". Did you mean recursive?', ({ tree }) =>
    tree.count('/', any({ recursiv: true })),
  ),
  wrong('SharedTree.lease', 'tree.lease needs ttl', ({ tree }) => tree.lease(any({}))),
  wrong('SharedTree.renewLease', 'tree.renewLease has no option "timeot". Did you mean timeout?', ({ tree }) =>
    tree.renewLease('none', any({ timeot: 5 })),
  ),
  wrong('SharedTree.revokeLease', 'tree.revokeLease has no option "timeot". Did you mean timeout?', ({ tree }) =>
    tree.revokeLease('none', any({ timeot: 5 })),
  ),
  wrong('SharedTree.txn', 'tree.txn needs do: a list', ({ tree }) => tree.txn(any({ if: [] }))),
  wrong('SharedTree.txn', 'do[0].value must be text or bytes, not an array', ({ tree }) =>
    tree.txn({ do: [{ kind: 'set', path: '/a', value: any([104, 300]) }] }),
  ),
  wrong('SharedTree.txn', 'do[0].kind is "sett"; it must be one of create, attach, set, delete', ({ tree }) =>
    tree.txn({ do: [any({ kind: 'sett', path: '/a' })] }),
  ),
  wrong('SharedTree.txn', 'do[1] is null; it must be an object whose kind is', ({ tree }) =>
    tree.txn({ do: [{ kind: 'delete', path: '/a' }, any(null)] }),
  ),
  wrong('SharedTree.txn', 'if[0] (version) needs version: a whole number from 0', ({ tree }) =>
    tree.txn({ if: [any({ kind: 'version', path: '/a' })], do: [] }),
  ),
  wrong('SharedTree.txn', 'do[0] (set) has no option "vershun". Did you mean version?', ({ tree }) =>
    tree.txn({ do: [any({ kind: 'set', path: '/a', value: '', vershun: 1 })] }),
  ),
  wrong('SharedTree.watch', 'tree.watch has no option "recursiv". Did you mean recursive?', ({ tree }) =>
    next(tree.watch('/a', any({ recursiv: true }))),
  ),
]

const objects: readonly WrongUse[] = [
  wrong('Group.object', "object 'o' takes its options as an object, not undefined", ({ group }) =>
    group.object('o', any(undefined)),
  ),
  wrong('Group.object', "object 'o' needs initial: a function that returns the first state", ({ group }) =>
    group.object('o', any({ apply: never.apply })),
  ),
  wrong('Group.createLedger', 'createLedger has no option "balanc". Did you mean balances?', ({ group }) =>
    group.createLedger('a', any({ balanc: {} })),
  ),
  wrong('Group.events', 'group.events has no option "durabl". Did you mean durable?', ({ group }) =>
    group.events('prices', any({ durabl: false })),
  ),
  wrong('Group.publish', 'publish has no option "retain". Did you mean retained?', ({ group }) =>
    group.publish({ price: 3 }, 1, any({ retain: true })),
  ),
  wrong('Group.subscribe', 'subscribe has no option "que". Did you mean queue?', ({ group }) =>
    group.subscribe({}, any({ que: true })),
  ),
  wrong('EventChannel.publish', 'expires is "soon"', ({ group }) =>
    group.events('prices').publish({}, 1, { expires: 'soon' }),
  ),
  wrong('EventChannel.subscribe', 'a queue needs a name', ({ group }) =>
    group.events('prices').subscribe({}, { queue: true }),
  ),
  wrong('EventSubscription.change', 'a plain object is needed', ({ group }) =>
    group.events('prices').subscribe({}).change(any('cheap')),
  ),
  wrong('EventChannel.retained', 'retained has no option "time"', ({ group }) =>
    group.events('prices').retained({}, any({ time: 5 })),
  ),
  wrong('EventChannel.survey', 'survey has no option "time"', ({ group }) =>
    group.events('prices').survey(any({ time: 5 })),
  ),
  wrong('EventChannel.drain', 'drain has no option "time"', ({ group }) =>
    group.events('prices').drain(any({ time: 5 })),
  ),
  wrong('EventChannel.into', 'into has no option "first"', ({ group }) =>
    group.events('prices').into('totals', {}, any({ first: 0 })),
  ),
  wrong('Group.ledger', "the ledger's name is the number 5", ({ group }) => group.ledger(any(5))),
  wrong('Group.deleteObject', "the object's name is the number 5", ({ group }) => group.deleteObject(any(5))),
  wrong('Group.repairObject', "the object's name is the number 5", ({ group }) => group.repairObject(any(5))),
  wrong('SharedObject.submit', 'operation.when is a Date', async ({ group }) => {
    await using object = group.object('one', never)
    await object.submit({ when: new Date(0) })
  }),
  wrong('SharedObject.submit', 'object.submit has no option "timeot". Did you mean timeout?', async ({ group }) => {
    await using object = group.object('two', never)
    await object.submit(1, any({ timeot: 5 }))
  }),
  wrong('SharedObject.read', 'timeout is "5"; it must be', async ({ group }) => {
    await using object = group.object('three', never)
    await object.read(any({ timeout: '5' }))
  }),
  wrong('SharedObject.watch', 'signal is true; it must be an AbortSignal', async ({ group }) => {
    await using object = group.object('four', never)
    await next(object.watch(any({ signal: true })))
  }),
]

const recipes: readonly WrongUse[] = [
  wrong('Recipes.counter', 'the name of a recipe is undefined', ({ group }) => group.recipes.counter(any(undefined))),
  wrong('Counter.add', 'by is 1.5; it must be a whole number', ({ group }) => group.recipes.counter('c').add(1.5)),
  wrong('Counter.add', 'by is "1"; it must be a whole number', ({ group }) => group.recipes.counter('c').add(any('1'))),
  wrong('Recipes.semaphore', 'permits is 0; it must be a whole number', ({ group }) => group.recipes.semaphore('s', 0)),
  wrong('Semaphore.acquire', 'has no option "timout". Did you mean timeout?', ({ group }) =>
    group.recipes.semaphore('s', 1).acquire(any({ timout: 5 })),
  ),
  wrong('Recipes.readWriteLock', 'the name of a recipe is ""', ({ group }) => group.recipes.readWriteLock('')),
  wrong('ReadWriteLock.read', 'has no option "tiemout"', ({ group }) =>
    group.recipes.readWriteLock('r').read(any({ tiemout: 5 })),
  ),
  wrong('ReadWriteLock.write', 'timeout is -5; it must be', ({ group }) =>
    group.recipes.readWriteLock('r').write({ timeout: -5 }),
  ),
  wrong('Recipes.barrier', 'the name of a recipe is "a//b"', ({ group }) => group.recipes.barrier('a//b')),
  wrong('Barrier.pass', 'signal is 5; it must be', ({ group }) => group.recipes.barrier('b').pass(any({ signal: 5 }))),
  wrong('Recipes.doubleBarrier', 'size is 1.5; it must be a whole number', ({ group }) =>
    group.recipes.doubleBarrier('d', 1.5),
  ),
  wrong('DoubleBarrier.enter', 'has no option "time"', ({ group }) =>
    group.recipes.doubleBarrier('d', 2).enter(any({ time: 5 })),
  ),
  wrong('Recipes.queue', 'the name of a recipe is an object', ({ group }) => group.recipes.queue(any({}))),
  wrong('TreeQueue.put', 'value must be text or bytes, not an object', ({ group }) =>
    group.recipes.queue('q').put(any({ to: 'a' })),
  ),
  wrong('TreeQueue.take', 'has no option "timeut"', ({ group }) => group.recipes.queue('q').take(any({ timeut: 5 }))),
  wrong('Recipes.latch', 'count is 3.5; it must be', ({ group }) => group.recipes.latch('l', 3.5)),
  wrong('Latch.countDown', 'takes its options as an object, not the number 1', ({ group }) =>
    group.recipes.latch('l', 3).countDown(any(1)),
  ),
  wrong('Latch.wait', 'has no option "tmeout"', ({ group }) => group.recipes.latch('l', 3).wait(any({ tmeout: 5 }))),
  wrong('Recipes.lock', 'the name of a recipe is null', ({ group }) => group.recipes.lock(any(null))),
  wrong('TreeLock.acquire', 'has no option "ttl"', ({ group }) => group.recipes.lock('l').acquire(any({ ttl: 5 }))),
]

const members: readonly WrongUse[] = [
  wrong('JoinedGroup.members', 'group.members has no option "sginal". Did you mean signal?', ({ joined }) =>
    next(joined.members(any({ sginal: 5 }))),
  ),
  wrong('JoinedGroup.set', 'attribute "load" is NaN; it must be a number', ({ joined }) =>
    joined.set({ load: Number.NaN }),
  ),
  wrong('JoinedGroup.set', 'values is 5; it must be', ({ joined }) => joined.set(any(5))),
  wrong('JoinedGroup.aggregate', 'attribute is undefined; it must be the name of an attribute', ({ joined }) =>
    joined.aggregate(any(undefined)),
  ),
  wrong('JoinedGroup.coordinator', 'group.coordinator needs lead: a function', ({ joined }) =>
    joined.coordinator('boss', any({})),
  ),
  wrong('JoinedGroup.coordinator', 'the coordinator\'s name is "Boss"', ({ joined }) =>
    joined.coordinator('Boss', { lead() {} }),
  ),
  wrong('JoinedGroup.coordinatorOf', 'group.coordinatorOf has no option "lead"', ({ joined }) =>
    next(joined.coordinatorOf('boss', any({ lead() {} }))),
  ),
  wrong('JoinedGroup.admit', "member is undefined; it must be a member's name", ({ joined }) =>
    joined.admit(any(undefined)),
  ),
  wrong('JoinedGroup.expel', "member is 5; it must be a member's name", ({ joined }) => joined.expel(any(5))),
  wrong('JoinedGroup.arm', 'the name of an arm is "Red"; it must be 1 to 40 lower-case', ({ joined }) =>
    joined.arm('colour', 'Red', () => 1),
  ),
  wrong('JoinedGroup.arm', 'the source of an arm is 5; it must be a function', ({ joined }) =>
    joined.arm('colour', 'red', any(5)),
  ),
  wrong('JoinedGroup.arm', 'member.arm has no option "run". Did you mean runs?', ({ joined }) =>
    joined.arm('colour', 'red', () => 1, any({ run: 2 })),
  ),
  wrong('JoinedGroup.bestArm', 'group.bestArm has no option "shufler". Did you mean shuffler?', ({ joined }) =>
    joined.bestArm(any({ name: 'colour', arms: ['a', 'b'], budget: 9, shufler: 'x', comparator: 'y' })),
  ),
  wrong('JoinedGroup.maximise', 'a run needs at least 2 arms, not 1', ({ joined }) =>
    joined.maximise(any({ name: 'colour', arms: ['a'], budget: 9, shuffler: 'x', comparator: 'y' })),
  ),
  wrong('JoinedGroup.events', 'via is "servers"; it must be', ({ joined }) =>
    joined.events('news', { via: any('servers') }),
  ),
  wrong('JoinedGroup.events', 'member.events has no option "durable"', ({ joined }) =>
    joined.events('news', any({ durable: true })),
  ),
  wrong('JoinedGroup.events', "the channel's name is the number 5", ({ joined }) => joined.events(any(5))),
  wrong('MemberChannel.publish', 'publish has no option "receipt". Did you mean receipts?', ({ joined }) =>
    joined.events('news').publish({ n: 1 }, 1, any({ receipt: true })),
  ),
  wrong('MemberChannel.publish', 'attribute', ({ joined }) => joined.events('news').publish(any({ n: () => 1 }))),
  wrong('MemberChannel.subscribe', 'subscribe has no option "name"', ({ joined }) =>
    joined.events('news').subscribe({ n: 1 }, any({ name: 'audit' })),
  ),
  wrong('MemberChannel.subscribe', 'the handler is a number', ({ joined }) =>
    joined.events('news').subscribe({ n: 1 }, {}, any(5)),
  ),
  wrong('MemberChannel.subscribe', 'needs servers that remember it', ({ joined }) =>
    joined.events('news').subscribe(mqtt('$share/team/eu/#')),
  ),
  wrong('JoinedGroup.slots', 'lease is 5.5; it must be a whole number of milliseconds', ({ joined }) =>
    joined.slots('desks', { slots: ['a'], lease: 5.5 }),
  ),
  wrong('JoinedGroup.slots', 'group.slots needs slots: a list of names', ({ joined }) =>
    joined.slots('desks', any({})),
  ),
  wrong('JoinedGroup.slots', 'slots is an array; it must be a list of names', ({ joined }) =>
    joined.slots('desks', { slots: ['x'.repeat(101)] }),
  ),
  wrong('JoinedGroup.slots', 'group.slots has no option "leese". Did you mean lease?', ({ joined }) =>
    joined.slots('desks', any({ slots: ['a'], leese: 5 })),
  ),
  wrong('Slots.request', 'slots.request has no option "timout"', ({ joined }) =>
    joined.slots('desks', { slots: ['a'] }).request(any({ timout: 5 })),
  ),
  wrong('Slots.incidents', 'slots.incidents has no option "timeout"', ({ joined }) =>
    next(joined.slots('desks', { slots: ['a'] }).incidents(any({ timeout: 5 }))),
  ),
]

const database = { query: async () => ({ rows: [] }) }
const guards: readonly WrongUse[] = [
  wrong('createGuard', 'store is undefined; it must be a store of tokens', () => createGuard(any(undefined))),
  wrong('Guard.run', 'the token is 1.5; it must be a whole number', () =>
    createGuard(memoryTokens()).run('r', 1.5, () => 0),
  ),
  wrong('Guard.run', 'work is undefined; it must be a function', () =>
    createGuard(memoryTokens()).run('r', 1n, any(undefined)),
  ),
  wrong('fileGuard', 'path is undefined; it must be the path of a file', () => fileGuard(any(undefined))),
  wrong('FileGuard.write', 'data must be text or bytes, not an object', () => fileGuard('x').write(1n, any({}))),
  wrong('FileGuard.write', 'guard.write has no option "tiemout". Did you mean timeout?', () =>
    fileGuard('x').write(1n, '', any({ tiemout: 5 })),
  ),
  wrong('withToken', 'withToken has no option "shema". Did you mean schema?', () =>
    withToken(database, 'r', 1n, async () => {}, any({ shema: 's' })),
  ),
  wrong('installGuard', 'schema is 5; it must be', () => installGuard(database, any({ schema: 5 }))),
  wrong('installationSql', 'installationSql has no option "table"', () => installationSql(any({ table: 's' }))),
  wrong('expressGuard', 'expressGuard needs guard: a guard', () => expressGuard(any({ resource: 'r' }))),
  wrong('fastifyGuard', 'fastifyGuard has no option "resorce". Did you mean resource?', () =>
    fastifyGuard(any({ guard: createGuard(memoryTokens()), resorce: 'r' })),
  ),
  wrong('tokenHeaders', 'the token is undefined; it must be', () => tokenHeaders(any({}))),
]

const sizes = { bits: 1_000, window: 10 }
const filters: readonly WrongUse[] = [
  wrong('A2', 'A2 has no option "falsePositivRate"', () => new A2(any({ bits: 1_000, falsePositivRate: 0.1 }))),
  wrong(
    'BlockDecayingBloom',
    'has no option "windw". Did you mean window?',
    () => new BlockDecayingBloom(any({ windw: 1 })),
  ),
  wrong('Bloom', 'Bloom has no option "hash". Did you mean hashes?', () => new Bloom(any({ bits: 100, hash: 3 }))),
  wrong('Bloom', 'Bloom takes its options as an object, not undefined', () => new Bloom(any(undefined))),
  wrong('CompactShortHashFilter', 'has no option "hashBits"', () => new CompactShortHashFilter(any({ hashBits: 3 }))),
  wrong('Cuckoo', 'Cuckoo has no option "cell". Did you mean cells?', () => new Cuckoo(any({ cell: 4 }))),
  wrong('ExactWindow', 'ExactWindow has no option "alphabt"', () => new ExactWindow(any({ window: 4, alphabt: 4 }))),
  wrong('QueueOf', 'of is missing', () => new QueueOf(any({ ...sizes, subfilters: 2 }))),
  wrong('QuotientHashTable', 'has no option "semisorted"', () => new QuotientHashTable(any({ semisorted: true }))),
  wrong(
    'QuotientHashTableWithDuplicates',
    'has no option "rows"',
    () => new QuotientHashTableWithDuplicates(any({ rows: 1 })),
  ),
  wrong(
    'QueuedQuotientHashTableWithDuplicates',
    'has no option "semiSort"',
    () => new QueuedQuotientHashTableWithDuplicates(any({ semiSort: true })),
  ),
  wrong(
    'ShortHashFilter',
    'has no option "hashbit". Did you mean hashBits?',
    () => new ShortHashFilter(any({ hashbit: 3 })),
  ),
  wrong('StableBloom', 'StableBloom has no option "max"', () => new StableBloom(any({ max: 3 }))),
  wrong(
    'StreamingQuotientFilter',
    'has no option "remainder"',
    () => new StreamingQuotientFilter(any({ remainder: 3 })),
  ),
  wrong('LineStream', 'filter is missing', () => new LineStream(any({}))),
  wrong(
    'LineStream',
    "keep is both: it must be 'unseen' or 'duplicate'",
    () => new LineStream({ filter: new Bloom({ bits: 100, hashes: 3 }), keep: any('both') }),
  ),
  wrong('advise', 'advise has no option "windw". Did you mean window?', () => advise(any({ bits: 1, windw: 1 }))),
  wrong('buildFilter', 'has no option "hash"', () => buildFilter(advise(sizes).choice, any({ hash: 'keyed' }))),
]

export const wrongUses: readonly WrongUse[] = [
  ...beginnings,
  ...brokers,
  ...locks,
  ...trees,
  ...objects,
  ...ledgerWrongUses,
  ...doorWrongUses,
  ...recipes,
  ...jobWrongUses,
  ...members,
  ...banditWrongUses,
  ...eventWrongUses,
  ...guards,
  ...filters,
]
