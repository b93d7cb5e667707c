// Asking all servers: one command goes out, and one event with its id brings what they answered. Servers that did not
// answer are not in it.

import type { CoterieError, NodeId } from '../core/index.ts'

interface Waiting<Answer> {
  resolve(answers: readonly Answer[]): void
  reject(error: CoterieError): void
}

/** Questions to all servers that are under way. */
export class Questions<Answer> {
  private readonly waiting = new Map<number, Waiting<Answer>>()

  /** `send` says the command; the event that answers it is given to `answered`. */
  ask(id: number, send: () => void): Promise<readonly Answer[]> {
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve, reject })
      send()
    })
  }

  answered(id: number, answers: readonly Answer[]): void {
    this.waiting.get(id)?.resolve(answers)
    this.waiting.delete(id)
  }

  /** Nobody was asked. */
  refused(id: number, error: CoterieError): void {
    this.waiting.get(id)?.reject(error)
    this.waiting.delete(id)
  }

  /** Nothing more will be heard. Whoever waits is told so: no answers would be read as "there is nothing". */
  end(error: CoterieError): void {
    for (const { reject } of this.waiting.values()) reject(error)
    this.waiting.clear()
  }
}

/** What each server said: as an error carries it, and as its message ends. */
export function saidBy(
  servers: readonly NodeId[],
  words: (server: NodeId) => string,
): { readonly answers: Readonly<Record<NodeId, string>>; readonly list: string } {
  const answers = Object.fromEntries(servers.map(server => [server, words(server)]))
  const list = Object.entries(answers).map(([server, said]) => `${server}: ${said}`)
  return { answers, list: `${list.join('; ')}.` }
}
