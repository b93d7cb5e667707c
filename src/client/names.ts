import { isText, kindOf, SettingsError } from '../core/index.ts'

/** Refuses a name that has no place on the wire, before anything is sent. `what`: whose name it is. */
export function checkName(what: string, name: string, bytesMax: number): void {
  if (typeof name === 'string' && name !== '' && isText(name, bytesMax)) return
  throw new SettingsError(
    `the ${what}'s name is ${typeof name === 'string' ? JSON.stringify(name) : kindOf(name)}; it must be text of 1 to ${bytesMax} bytes of UTF-8.`,
  )
}
