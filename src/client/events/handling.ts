// A user's handler of events, and what may be wrong with it: heard once where nobody asked to be told, and never swallowed.

import { SettingsError } from '../../core/index.ts'

/** Refuses what is no function, and a function that does nothing when it is called. */
export function checkHandler(handler: unknown): void {
  if (typeof handler !== 'function')
    throw new SettingsError(`the handler is a ${typeof handler}; it must be a function that takes an event.`)
  if (isGenerator(handler))
    throw new SettingsError('the handler is a generator, which does nothing when it is called: write it without the *.')
}

/** Options after the handler would be passed over, and a name among them forgotten. */
export function refuseThird(third: unknown): void {
  if (third !== undefined)
    throw new SettingsError('subscribe takes nothing after the handler: options stand before it.')
}

function isGenerator(value: unknown): boolean {
  return /^\[object (Async)?Generator/.test(Object.prototype.toString.call(value))
}

/** Calls a handler. Throws what it throws, and where it has only begun; `strange` hears of what it can hardly mean by what it returned. */
export async function callHandler<Event>(
  handler: (event: Event) => unknown,
  event: Event,
  strange: (sentence: string) => void,
): Promise<void> {
  const answer = await handler(event)
  if (isGenerator(answer))
    throw new SettingsError(
      'the handler returned a generator, and nobody runs it: read it to its end, and then return.',
    )
  if (typeof answer === 'function') strange('returned a function, and nobody calls it: was it to be called')
  if (answer instanceof Error)
    strange(`returned an error (${answer.message}), and what returns acknowledges: was it to be thrown`)
}

/** Handlers throw now and then; at one event three times in a row is worth a word. */
export const TOLD_AT = 3

/** Says one thing, once, in the way of the platform: on standard error, or to whoever listens to the process's warnings. */
export class Warning {
  private wasSaid = false

  say(sentence: string): void {
    if (this.wasSaid) return
    this.wasSaid = true
    // A browser has no process.
    globalThis.process?.emitWarning(sentence, 'CoterieWarning')
  }
}

/** What a handler threw, in a sentence. */
export function thrownBy(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error)
}
