// A client process, seen from the benchmark.

import { benchProgram, type Running, start, stop } from './processes.ts'

interface Answer<Done> {
  readonly id: number
  readonly done?: Done
  readonly error?: string
}

/** No job takes as long; a service that stalls must not stall the benchmark. */
const JOB_MS = 90_000

/** `program` takes jobs as messages `{ id, job }` and answers each with `{ id, done }` or `{ id, error }`. */
export class User<Job extends { readonly kind: string }, Done> {
  readonly process: Running
  private readonly waiting = new Map<number, (answer: Answer<Done>) => void>()
  private ids = 0

  constructor(program: string, flags: readonly string[] = []) {
    this.process = start(process.execPath, [...flags, benchProgram(program)], {
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    })
    this.process.child.on('message', answer => this.hear(answer as Answer<Done>))
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

  private hear(answer: Answer<Done>): void {
    this.waiting.get(answer.id)?.(answer)
    this.waiting.delete(answer.id)
  }
}
