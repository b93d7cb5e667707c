// The other end of a `User`: a process that does the jobs its parent sends, and ends with it.

export function work<Job, Done>(perform: (job: Job) => Promise<Done>): void {
  process.on('message', (message: { id: number; job: Job }) => {
    perform(message.job).then(
      done => process.send?.({ id: message.id, done }),
      error => process.send?.({ id: message.id, error: String(error?.stack ?? error) }),
    )
  })
  process.on('disconnect', () => process.exit(0))
  process.on('SIGTERM', () => process.exit(0))
  // Ctrl-C goes to the whole foreground; the parent ends this process.
  process.on('SIGINT', () => {})
}
