// Several programs share a small pool of machines. Each gets one for a job, and none learns which machine another has.
//
//   npm run example -- shared-pool MEMBER_FOLDER [JOBS]
//
// `coterie init pool --members 5 --base-port 8400` makes the folders pool/members/member-1 to member-5. Start this program
// once for each, in a terminal of its own: all of them deal together, and none of them decides alone. Ctrl-C ends it.

import { setTimeout as sleep } from 'node:timers/promises'
import { join, NoSeat } from 'coterie'

const [config, jobs = '3'] = process.argv.slice(2)
if (config === undefined) throw new Error("name a member's folder")

await using group = await join({ config })
const machines = group.slots('machines', { slots: ['oak', 'elm'], lease: 10_000 })

// What a real program would do with `ssh ${machine}`; it stops when the signal fires.
async function work(_machine: string, signal: AbortSignal): Promise<void> {
  await sleep(100, undefined, { signal })
}

let done = 0
while (done < Number(jobs)) {
  try {
    await using seat = await machines.request({ timeout: 60_000 })
    await work(seat.slot, seat.signal)
    done++
    // It says that it worked, not where.
    console.log(`${group.name} did job ${done} of ${jobs}`)
  } catch (error) {
    if (!(error instanceof NoSeat)) throw error
    console.log(error.message)
  }
}

// It wants nothing more, and stays: every seat is dealt by all members together.
await new Promise<void>(resolve => process.once('SIGTERM', resolve).once('SIGINT', resolve))
