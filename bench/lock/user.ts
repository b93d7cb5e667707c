// A client process, seen from the benchmark.

import { benchProgram, type Running, start, stop } from '../support/processes.ts'
import type { Done, Job } from './jobs.ts'

interface Answer {
  readonly id: number
  readonly done?: Done
  readonly error?: string
}

/** No job takes as long; a service that stalls must not stall the benchmark. */
const JOB_MS = 90_000

export class User {
  readonly process: Running
  private readonly waiting = new Map<number, (answer: Answer) => void>()
  private ids = 0

  constructor(flags: readonly string[] = []) {
    this.process = start(process.execPath, [...flags, benchProgram('lock-client')], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    this.process.child.on('message', answer => this.hear(answer as Answer))
    void this.process.ended.then(() => {
      for (const id of [...this.waiting.keys()]) this.hear({ id, error: `ended: ${this.process.output()}` })
    })
  }

  ask(job: Job): Promise<Done> {
    const id = ++this.ids
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.hear({ id, error: `no answer after ${JOB_MS} ms` }), JOB_MS)
      this.waiting.set(id, answer => {
        clearTimeout(timer)
        if (answer.done !== undefined) resolve(answer.done)
        else reject(new Error(`${job.kind}: ${answer.error}`))
      })
      this.process.child.send({ id, job })
    })
  }

  end(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
    return stop(this.process, signal)
  }

  private hear(answer: Answer): void {
    this.waiting.get(answer.id)?.(answer)
    this.waiting.delete(answer.id)
  }
}
