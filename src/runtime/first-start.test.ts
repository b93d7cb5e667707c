// A first start that comes to nothing must leave a node that can be started; a node that promised must never pass for
// one that never ran (protocols/lock 6).

import { once } from 'node:events'
import { copyFile, cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createDisk } from '../../test/storage/disk.ts'
import { freePorts } from '../../test/support/processes.ts'
import { FileError, type Saved, seededRandom } from '../core/index.ts'
import type { MemberEvent } from '../node/member.ts'
import { slotsDefaults } from '../slots/index.ts'
import { loadNodeConfig, type MemberConfig, type ServerConfig } from './config/config.ts'
import { exists } from './files.ts'
import { FIRST_START_FILE, leaveFirstStartMark, openNodeStore } from './first-start.ts'
import { silence } from './log.ts'
import { startMember } from './member.ts'
import { type RunningServer, startServer } from './server.ts'
import { initGroup } from './setup/group.ts'
import { createLogStorage } from './storage/log.ts'

const OWNER = { group: 'k3x9', role: 'server', name: 'server-1' } as const

const folder = await mkdtemp(join(tmpdir(), 'coterie-first-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

const unexpected = (error: Error) => {
  throw error
}

let folders = 0
const newFolder = () => join(folder, String(folders++))

describe('a node', () => {
  let server: ServerConfig
  let member: MemberConfig

  beforeEach(async () => {
    const made = await initGroup({ dir: newFolder(), basePort: await freePorts(3), liars: 0, members: 3 })
    server = (await loadNodeConfig(made.serverFolders[0]!)) as ServerConfig
    member = (await loadNodeConfig(made.memberFolders[0]!)) as MemberConfig
  })

  const start = () => startServer({ config: server, log: silence, failed: unexpected })

  /** What a member says when it is asked to open slots: only one that knows what it promised may. */
  async function openSlots(): Promise<unknown> {
    let say: (event: MemberEvent) => void = () => {}
    const said = new Promise<MemberEvent>(resolve => {
      say = resolve
    })
    const event = (one: MemberEvent) => {
      if (one.part === 'slots' && one.body.kind !== 'said') say(one)
    }
    const running = await startMember({
      config: member,
      log: silence,
      attributes: [],
      ranking: [],
      event,
      failed: unexpected,
    })
    const settings = { ...slotsDefaults, name: 'tills', slots: ['one'], level: 'curious' as const }
    running.command({ part: 'slots', body: { kind: 'open', settings } })
    const { body } = await said
    await running.stop()
    return body
  }

  describe('whose first start finds a port taken starts later as one that never ran', () => {
    it.each(['port', 'metricsPort'] as const)('server, %s', async which => {
      const taken = server.address[which]
      const sentence = `server-1 cannot listen: port ${taken} is in use. Is this server running already?`
      await withPortTaken(taken, () => expect(start()).rejects.toThrow(sentence))
      const running = await start()
      expect(running.recovering()).toBe(0)
      await running.stop()
    })

    it('member', async () => {
      const taken = member.address.port
      const sentence = `member-1 cannot listen: port ${taken} is in use. Is this member running already?`
      await withPortTaken(taken, () => expect(openSlots()).rejects.toThrow(sentence))
      expect(await openSlots()).toMatchObject({ kind: 'opened', name: 'tills', settings: { level: 'curious' } })
    })
  })

  describe('that lost its store does not pass for new', () => {
    it('server', async () => {
      await (await start()).stop()
      await rm(server.storeFolder, { recursive: true })
      for (let time = 0; time < 2; time++) {
        await expect(start()).rejects.toThrow(/has run before, and its store .* is empty/)
      }
    })

    it('member, not even at the second start after', async () => {
      await openSlots()
      await rm(member.storeFolder, { recursive: true })
      for (let time = 0; time < 2; time++) {
        expect(await openSlots()).toMatchObject({ kind: 'shut', why: expect.stringMatching(/store was lost/) })
      }
    })
  })

  it('that crashed waits for its leases though the mark came back, and takes the mark away', async () => {
    const [store, aside] = [join(server.storeFolder, 'store.log'), newFolder()]
    const crashing = await start()
    await copyFile(store, aside)
    await crashing.stop()
    await copyFile(aside, store)
    await leaveFirstStartMark(server.folder)
    const running = await start()
    expect(running.recovering()).toBeGreaterThan(0)
    expect(await exists(join(server.folder, FIRST_START_FILE))).toBe(false)
    await running.stop()
  })
})

describe('a server whose folder was put back from an old copy', () => {
  let configs: ServerConfig[] = []
  let running: RunningServer[] = []

  const start = (config: ServerConfig, rejoins = false) =>
    startServer({ config, log: silence, failed: unexpected, rejoins })

  beforeEach(async () => {
    const made = await initGroup({ dir: newFolder(), basePort: await freePorts(3), liars: 0, members: 0 })
    configs = await Promise.all(made.serverFolders.map(async one => (await loadNodeConfig(one)) as ServerConfig))
    running = await Promise.all(configs.map(config => start(config)))
    // A later life than the one that is copied.
    await running[0]!.stop()
    await cp(configs[0]!.storeFolder, join(configs[0]!.folder, 'copy'), { recursive: true })
    running[0] = await start(configs[0]!)
    await running[0].stop()
    await rm(configs[0]!.storeFolder, { recursive: true })
  })
  afterEach(() => Promise.all(running.slice(1).map(one => one.stop())))

  it('is told so by the others and does not run, at every start; without the store it rejoins', async () => {
    const config = configs[0]!
    await cp(join(config.folder, 'copy'), config.storeFolder, { recursive: true })
    for (let time = 0; time < 3; time++) {
      await expect(start(config)).rejects.toThrow(/of server-1 is an old copy: the other servers know a later life/)
    }
    await rm(config.storeFolder, { recursive: true })
    const rejoined = await start(config, true)
    expect(rejoined.recovering()).toBeGreaterThan(0)
    await rejoined.stop()
    await (await start(config, true)).stop()
  })
  it('the same where only the mark of a first start came back', async () => {
    const config = configs[0]!
    await leaveFirstStartMark(config.folder)
    await expect(start(config)).rejects.toThrow(/is an old copy/)
    await expect(start(config)).rejects.toThrow(/is an old copy/)
  })
})

/** Somebody else sits on the port while the work is done. */
async function withPortTaken(port: number, work: () => Promise<void>): Promise<void> {
  const other = createServer().listen(port, '127.0.0.1')
  await once(other, 'listening')
  try {
    await work()
  } finally {
    other.close()
    await once(other, 'close')
  }
}

describe('the store of a node that never ran', () => {
  const first: Saved = new Map([['part', [Buffer.from('never ran')]]])
  const open = (node: string, files = createDisk(), name = 'server-1') =>
    openNodeStore({
      store: createLogStorage({ folder: '/store', files }),
      folder: node,
      owner: { ...OWNER, name },
      first,
      failed: unexpected,
    })

  async function markedFolder(): Promise<string> {
    const node = newFolder()
    await mkdir(node)
    await leaveFirstStartMark(node)
    return node
  }

  it("says whose it is, and another's is refused", async () => {
    const node = await markedFolder()
    const disk = createDisk()
    await (await open(node, disk)).storage.close()
    await expect(open(node, disk, 'server-2')).rejects.toThrow(/is that of coterie:.*server-1, and this is .*server-2/)
    const { storage, saved } = await open(node, disk)
    expect([...saved.keys()]).toEqual(['part'])
    await storage.close()
  })
  it('was lost where it only says whose it is: a mark that came back beside it says nothing', async () => {
    const node = newFolder()
    await mkdir(node)
    const disk = createDisk()
    const lost = await open(node, disk)
    expect(lost.saved.size).toBe(0)
    await lost.storage.close()
    await leaveFirstStartMark(node)
    const again = await open(node, disk)
    expect(again.saved.size).toBe(0)
    await again.storage.close()
  })

  it('says so whenever the power is cut, and the mark goes only when the store says it', async () => {
    let cuts = 0
    for (let cutAt = 1; ; cutAt++) {
      const node = await markedFolder()
      const disk = createDisk({ cutAt })
      const opened = open(node, disk)
      await Promise.race([opened, disk.cut])
      if (!disk.isCut) break
      cuts++
      expect(await exists(join(node, FIRST_START_FILE))).toBe(true)
      const { storage, saved } = await open(node, disk.afterCut(seededRandom(cutAt)))
      expect([...saved.keys()]).toEqual(['part'])
      await storage.close()
    }
    expect(cuts).toBeGreaterThan(5)
  })

  it('needs the mark once', async () => {
    const node = await markedFolder()
    const disk = createDisk()
    const opened = await open(node, disk)
    expect(await exists(join(node, FIRST_START_FILE))).toBe(false)
    await opened.storage.close()
    const again = await open(node, disk)
    expect([...again.saved.keys()]).toEqual(['part'])
    await again.storage.close()
    expect((await open(node)).saved.size).toBe(0)
  })

  it('that cannot be written stops the start, and leaves the mark', async () => {
    for (let failAt = 1; failAt < 30; failAt++) {
      const node = await markedFolder()
      const disk = createDisk({ failAt, code: 'EIO' })
      const outcome = await open(node, disk).then(
        () => 'opened',
        error => error,
      )
      if (disk.failures === 0) return expect(outcome).toBe('opened')
      expect(outcome).toBeInstanceOf(FileError)
      expect(await exists(join(node, FIRST_START_FILE))).toBe(true)
    }
  })

  it('is not begun where the mark cannot be deleted: it would be there again next time', async () => {
    const node = newFolder()
    await mkdir(join(node, FIRST_START_FILE), { recursive: true })
    await expect(open(node)).rejects.toBeInstanceOf(FileError)
  })
})
