// A parameter that cannot work is refused with a sentence that names it, its value, and what would work.

import { FilterError } from '../refusals.ts'

export function parameterError(name: string, value: unknown, works: string): FilterError {
  return new FilterError(`${name} is ${String(value)}: ${works}`)
}

export function checkWhole(name: string, value: number, least: number): void {
  if (!(Number.isSafeInteger(value) && value >= least)) {
    throw parameterError(name, value, `a whole number of at least ${least} works`)
  }
}
