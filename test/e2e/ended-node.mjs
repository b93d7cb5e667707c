// A program whose node ends in the middle of its work, and which does not close it: nothing of it may keep the process alive.
// node ended-node.mjs client|member FOLDER

import { connect, join } from 'coterie'

const [kind, config] = process.argv.slice(2)
const say = error => process.stdout.write(`${error.name}: ${error.message}\n`)

async function client() {
  const group = await connect({ config })
  const lease = await group.lock('held', { ttl: 60_000 })
  lease.signal.addEventListener('abort', () => say(lease.signal.reason))
  group.status().catch(say)
  // A throw out of a machine, or a store that failed, is the end of a node; here the order itself throws.
  const body = {
    get kind() {
      throw new Error('the disk failed')
    },
  }
  group.driver.command({ part: 'lock', body })
}

async function member() {
  const joined = await join({ config })
  const looking = async () => {
    for await (const _ of joined.members());
  }
  looking().catch(say)
  // An order that its own words have no room for: it ends the node where it is saved.
  const settings = { name: 'other', slots: [5] }
  joined.node.command({ part: 'slots', body: { kind: 'open', settings } })
}

await (kind === 'client' ? client() : member())
