// Three shops find out whose page sells best. None tells the others how often it was shown or what it sold; two more members
// shuffle and compare, and learn nothing.
//
//   npm run example -- private-experiment MEMBER_FOLDER [COLOUR [SALES]]     serves that page; without one it only helps
//   npm run example -- private-experiment MEMBER_FOLDER COLOUR SALES ask     and asks which is best
//
// `coterie init shops --members 5 --base-port 8400` makes the folders shops/members/member-1 to member-5. Start this program
// once for each, in a terminal of its own: red, green and blue with member-1 to member-3, and member-4 and member-5 without a
// colour. The member that asks prints the answer. Ctrl-C ends it.

import { setTimeout as sleep } from 'node:timers/promises'
import { join } from 'coterie'

const [config, colour, sales = '0.5', ask] = process.argv.slice(2)
if (config === undefined) throw new Error("name a member's folder")

await using member = await join({ config })
console.log(`${member.name} is here`)

// What a real shop would do: show its page to one visitor, and see whether it sells. The same number is the same visitor.
async function visitor(pull: number, signal: AbortSignal): Promise<number> {
  if (pull === 1) console.log('the first visitor')
  await sleep(20, undefined, { signal })
  return (pull * 0.618034) % 1 < Number(sales) ? 1 : 0
}

if (colour !== undefined) {
  const arm = await member.arm('page', colour, ({ pull, signal }) => visitor(pull, signal), {
    accept: ({ user, budget }) => {
      console.log(`${user} asks for ${budget} visitors`)
      return budget <= 1_000
    },
  })
  arm.ended.catch((error: Error) => console.log(error.message))
}

if (ask !== undefined) {
  const run = member.bestArm({
    name: 'page',
    arms: ['red', 'green', 'blue'],
    budget: 90,
    shuffler: 'member-4',
    comparator: 'member-5',
    timeout: 60_000,
  })
  try {
    for await (const { round, spent } of run) console.log(`round ${round}: ${spent} visitors`)
    const { best, told } = await run.result
    console.log(`the best page is ${best}`)
    console.log(told)
  } catch (error) {
    console.log(`${(error as Error).name}: ${(error as Error).message}`)
  }
}

// It stays: the others may need it.
await new Promise<void>(resolve => process.once('SIGTERM', resolve).once('SIGINT', resolve))
