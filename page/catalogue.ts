// What there is to play, with the script that brings it: known before any of these scripts is loaded.

interface Entry {
  readonly name: string
  readonly title: string
  /** Left out where the first script holds it. */
  readonly script?: string
}

export const catalogue: readonly Entry[] = [
  { name: 'lock-printed', title: 'The lock as printed in the paper' },
  { name: 'lock', title: 'The lock that ships', script: 'lock' },
  { name: 'redlock', title: 'Redlock’s rule', script: 'redlock' },
  { name: 'ordering', title: 'Objects in one order', script: 'ordering' },
  { name: 'membership', title: 'Membership', script: 'members' },
  { name: 'election', title: 'Election of a coordinator', script: 'members' },
  { name: 'slots', title: 'Seats without names', script: 'slots' },
  { name: 'centralised', title: 'Mutual exclusion: centralised', script: 'mutex' },
  { name: 'decentralised', title: 'Mutual exclusion: decentralised', script: 'mutex' },
  { name: 'ricart-agrawala', title: 'Mutual exclusion: Ricart and Agrawala', script: 'mutex' },
  { name: 'token-ring', title: 'Mutual exclusion: token ring', script: 'mutex' },
]

/** What can be explored, with the script that brings it. */
export const explored: readonly Required<Entry>[] = [
  { name: 'lock', title: 'The lock that ships', script: 'lock' },
  { name: 'ordering', title: 'Objects in one order', script: 'ordering' },
  { name: 'election', title: 'Election of a coordinator', script: 'members' },
  { name: 'mutex', title: 'Mutual exclusion, the lecture’s four', script: 'mutex' },
]

export function scriptOf(name: string): string | undefined {
  return catalogue.find(entry => entry.name === name)?.script
}
