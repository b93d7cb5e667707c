// The same script inside a worker: it waits for one task, does it, and tells.

import { taskNamed } from './registry.ts'

interface Scope {
  onmessage: ((event: { data: { task: string; given: unknown } }) => void) | null
  postMessage(message: unknown): void
}

export function serveTasks(): void {
  const scope = globalThis as unknown as Scope
  scope.onmessage = async ({ data: { task, given } }) => {
    try {
      const run = taskNamed(task)
      if (run === undefined) throw new Error(`there is no task ${task}.`)
      const done = await run(given, told => scope.postMessage({ told }))
      scope.postMessage({ done })
    } catch (error) {
      scope.postMessage({ failed: error instanceof Error ? error.message : String(error) })
    }
  }
}
