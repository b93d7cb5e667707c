// Runs a command under a hold that lasts for a while and is renewed for as long as this process runs.
// node under.mjs TTL_MS none|watchdog COMMAND…
// Prints "ended CODE".

import { runUnder } from '../../dist/src/cli/under/run.js'

const [ttl, fence, ...command] = process.argv.slice(2)
const now = () => Number(process.hrtime.bigint()) / 1e6
let until = now() + Number(ttl)
const renewing = setInterval(() => {
  // One that stood still finds its hold lost, as a lease would.
  if (now() < until) until = now() + Number(ttl)
  else lost.abort(new Error('it was not renewed'))
}, Number(ttl) / 4)
const lost = new AbortController()
const held = { signal: lost.signal, remaining: () => Math.max(0, until - now()) }
const code = await runUnder(held, command, {}, fence === 'watchdog' ? { fenceWith: 'watchdog' } : {})
clearInterval(renewing)
process.stdout.write(`ended ${code}\n`)
