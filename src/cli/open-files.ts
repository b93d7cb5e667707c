// Does a command fail because the system gives it no more open files? It loads before everything else, so that the
// launcher can ask, too.

import { existsSync, readFileSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'

/** What to do about it. */
export const NO_MORE_FILES =
  'the system gives this process no more open files and connections. Raise the limit (ulimit -n), or close some.'

/** Of this process, and of the whole machine. */
const TOO_MANY_FILES = ['EMFILE', 'ENFILE']

/** Whether this error says so, itself or in Node's other words. */
export function isOutOfFiles(error: unknown): boolean {
  const { code, message } = (error ?? {}) as NodeJS.ErrnoException
  if (code !== undefined && TOO_MANY_FILES.includes(code)) return true
  return code === 'ERR_MODULE_NOT_FOUND' && wasNotOpened(/'([^']+)'/.exec(message)?.[1] ?? '')
}

/**
 * Node takes a package.json that it cannot open for one that is not there, and then misses the package's index.js. A
 * package that does have a way in was therefore not opened; one without is broken, and that is another matter.
 */
function wasNotOpened(missed: string): boolean {
  if (!isAbsolute(missed)) return false
  const folder = dirname(missed)
  try {
    const { exports, main } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    return exports !== undefined || (typeof main === 'string' && existsSync(join(folder, main)))
  } catch (error) {
    return TOO_MANY_FILES.includes((error as NodeJS.ErrnoException).code ?? '')
  }
}
