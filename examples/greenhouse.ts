// Members of a greenhouse tell each other when it gets too warm, without any server.
//
//   npm run example -- greenhouse MEMBER_FOLDER [TEMPERATURE]
//
// `coterie init greenhouse --members 4 --base-port 8600` makes the folders greenhouse/members/member-1 to member-4. Start this
// program once for each, in a terminal of its own. Each wants what is above 30 degrees. Ctrl-C ends it.

import { join } from 'coterie'

const [config, temperature = '35'] = process.argv.slice(2)
if (config === undefined) throw new Error("name a member's folder")

interface Reading {
  readonly humidity: number
}

await using group = await join({ config })
const readings = group.events<Reading>('readings', { via: 'trees' })
await using warm = readings.subscribe({ temperature: { gt: 30 } }, ({ author, attributes, payload }) => {
  console.log(`${author} has ${attributes.temperature} degrees and ${payload.humidity} %`)
})
await warm.ready

// Who is not started yet is told when it comes: the event is sent to it as long as its receipt is waited for.
const { received, silent } = await readings.publish(
  { temperature: Number(temperature) },
  { humidity: 60 },
  { receipts: true },
)
console.log(`${received.length} others know, ${silent.length} have not said`)

await new Promise<void>(resolve => process.once('SIGTERM', resolve).once('SIGINT', resolve))
