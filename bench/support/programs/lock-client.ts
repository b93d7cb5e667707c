// A client process of the lock benchmark: does the jobs that its parent sends, and ends with it.

import { Clients, type Job } from '../../lock/jobs.ts'

const clients = new Clients()

process.on('message', (message: { id: number; job: Job }) => {
  clients.do(message.job).then(
    done => process.send?.({ id: message.id, done }),
    error => process.send?.({ id: message.id, error: String(error?.stack ?? error) }),
  )
})
process.on('disconnect', () => process.exit(0))
process.on('SIGTERM', () => process.exit(0))
// Ctrl-C goes to the whole foreground; the parent ends this process.
process.on('SIGINT', () => {})
