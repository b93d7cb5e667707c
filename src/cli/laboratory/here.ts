// The commands of the simulator and the laboratory. In a clone they are beside the others. Published they are a package of
// their own, coterie-lab, whose door `coterie-lab/commands` is this file; coterie has installed.ts in its place.

import type { Command } from 'commander'

export { ownVersion } from '../version.ts'

/** Each is loaded when it is called. */
export interface Laboratory {
  sim(): Promise<Command>
  explore(): Promise<Command>
  lab(): Promise<Command>
}

/** The commands themselves. */
export const laboratory: Laboratory = {
  sim: async () => (await import('../commands/sim.ts')).simCommand(),
  explore: async () => (await import('../commands/explore.ts')).exploreCommand(),
  lab: async () => (await import('../commands/lab.ts')).labCommand(),
}
