// A job scheduler of several equal processes: one of them plans, all of them work, and any of them may be killed.
//
//   npm run example -- job-scheduler MEMBER_FOLDER OUTPUT_FOLDER [EVERY_MS]
//
// `coterie init shop --members 3 --member-clients --base-port 8800` makes the folders shop/members/member-1 to member-3. Start
// this program once for each, beside the group's servers (coterie up shop). Ctrl-C ends it.

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { enter, type Job, type Term } from 'coterie'
import { fileGuard } from 'coterie/guards'

const [config, output, every = '1000'] = process.argv.slice(2)
if (config === undefined || output === undefined) throw new Error("name a member's folder, and one for the output")
const period = Number(every)
await mkdir(output, { recursive: true })

const group = await enter({ config })
const jobs = group.recipes.jobs<{ tick: number }>('reports')

/** Runs on one member at a time: puts a job in for every tick that has come. */
async function plan(term: Term): Promise<void> {
  console.log(`${group.name} plans, term ${term.number}`)
  while (!term.signal.aborted) {
    const tick = Math.floor(Date.now() / period)
    // The tick is the job's name: a planner that was replaced in the middle of it adds no second one.
    await jobs.add({ tick }, { id: `tick-${tick}`, attempts: 5, backoff: { kind: 'exponential', delay: 200 } })
    await sleep(period - (Date.now() % period))
  }
}

/** Runs on every member: writes the report of a tick, fenced by the job's token. */
async function report(job: Job<{ tick: number }>): Promise<string> {
  const { tick } = job.data
  const file = join(output!, `report-${tick}`)
  await sleep(50, undefined, { signal: job.signal })
  // A worker that fell silent and wakes up has a smaller token than the one that does its job now, and is refused.
  await fileGuard(file).write(job.token, `tick ${tick}\n`, { signal: job.signal })
  console.log(`${group.name} did tick ${tick}, try ${job.attempt}`)
  return file
}

const worker = jobs.work(report, { concurrency: 2, lease: 5_000, name: group.name })
const candidacy = await group.coordinator('scheduler', { lead: plan })

await new Promise<void>(resolve => process.once('SIGTERM', resolve).once('SIGINT', resolve))
await candidacy.close()
await worker.close({ timeout: 5_000 })
await group.close()
