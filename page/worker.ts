// The same script inside a worker: it waits for one task, does it, and tells; what comes later is
// heard by the task.

import { taskNamed } from './registry.ts'

interface Scope {
  onmessage: ((event: { data: { task: string; given: unknown } | object }) => void) | null
  postMessage(message: unknown): void
}

export function serveTasks(): void {
  const scope = globalThis as unknown as Scope
  let heard: (wish: unknown) => void = () => {}
  scope.onmessage = async ({ data }) => {
    if (!('task' in data)) return heard(data)
    const { task, given } = data
    try {
      const run = taskNamed(task)
      if (run === undefined) throw new Error(`there is no task ${task}.`)
      const tell = (told: unknown) => scope.postMessage({ told })
      const done = await run(given, tell, hear => {
        heard = hear
      })
      scope.postMessage({ done })
    } catch (error) {
      scope.postMessage({ failed: error instanceof Error ? error.message : String(error) })
    }
  }
}
