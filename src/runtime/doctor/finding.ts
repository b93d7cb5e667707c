// What the doctor says. A finding is one checked thing: fine, worth a look, or wrong with what to do about it.

import { CoterieError } from '../../core/index.ts'

export type Level = 'ok' | 'warning' | 'problem'

export interface Finding {
  readonly level: Level
  /** The node it is about, or "group", or "authority". */
  readonly where: string
  readonly what: string
  /** What to do; empty where nothing has to be done. */
  readonly advice: string
}

/** The findings about one node or place, in the order of the checks. */
export class Findings {
  readonly list: Finding[] = []
  readonly where: string

  constructor(where: string) {
    this.where = where
  }

  ok(what: string): void {
    this.list.push({ level: 'ok', where: this.where, what, advice: '' })
  }

  warning(what: string, advice: string): void {
    this.list.push({ level: 'warning', where: this.where, what, advice })
  }

  problem(what: string, advice: string): void {
    this.list.push({ level: 'problem', where: this.where, what, advice })
  }

  /** What `work` gives, or undefined where it throws a sentence of ours, which becomes a problem. */
  async attempt<T>(work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof CoterieError)) throw error
      this.problem(error.message, 'Mend that first; what depends on it was not checked.')
      return undefined
    }
  }
}
