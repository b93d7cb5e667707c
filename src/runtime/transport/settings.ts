// What two nodes must agree on before a promise of one means anything to the other: how many may lie, how long a lease
// may be, how far clocks may drift. Every node has a copy of the group's settings in a file of its own, and files can
// differ. So the first word of a connection says them, in a few letters: "liars=1 crashes=1 ttlMax=60000 …".

/** More than ours take, with every number as long as it can be. */
export const SETTINGS_BYTES_MAX = 240

/** How settings are said on the wire. The order of the fields does not matter. */
export function sayable(settings: Readonly<Record<string, string | number>>): string {
  return Object.entries(settings)
    .map(([field, value]) => `${field}=${value}`)
    .sort()
    .join(' ')
}

/** Which settings differ, in words of the one whose they are `here`; nothing where all are the same. */
export function difference(theirs: string, here: string): string | undefined {
  // A node that was given none to compare takes all.
  if (theirs === here || here === '') return undefined
  const [told, own] = [fieldsOf(theirs), fieldsOf(here)]
  const words = [...new Set([...own.keys(), ...told.keys()])]
    .filter(field => own.get(field) !== told.get(field))
    .map(field => `${field} is ${told.get(field) ?? 'missing'} in yours, ${own.get(field) ?? 'missing'} here`)
  return `${SETTINGS_DIFFER} ${words.join('; ')}`
}

/** How such a refusal begins. */
export const SETTINGS_DIFFER = 'settings differ:'

function fieldsOf(settings: string): Map<string, string> {
  return new Map(settings.split(' ').map(word => [word.slice(0, word.indexOf('=')), word.slice(word.indexOf('=') + 1)]))
}
