// A worker process: does jobs of the queue `orders`, and writes each try down before it begins and after it has ended.
// node job-worker.mjs CLIENT_FOLDER JOURNAL
//
// It goes on until SIGTERM.

import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { connect } from 'coterie'

const [config, journal] = process.argv.slice(2)
const note = (what, job) =>
  appendFileSync(
    journal,
    `${JSON.stringify({ what, id: job.id, token: Number(job.token), attempt: job.attempt, pid: process.pid })}\n`,
  )

const group = await connect({ config, timeout: 60_000, blockedMax: 0 })
const jobs = group.recipes.jobs('orders')
const worker = jobs.work(
  async job => {
    note('begun', job)
    await sleep(20 + Math.random() * 60)
    if (job.data.fails >= job.attempt) {
      note('failed', job)
      throw new Error('not yet')
    }
    note('done', job)
    return { by: process.pid }
  },
  { concurrency: 3, lease: 1_500, name: `worker-${process.pid}` },
)
process.stdout.write('working\n')
process.on('SIGTERM', async () => {
  await worker.close()
  await group.close()
})
