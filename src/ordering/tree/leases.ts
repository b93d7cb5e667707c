// Leases of a tree: what entries may end with besides a session. They are the object's (applier.ts); the tree binds
// entries to them as it binds ephemeral ones to sessions.

/** What the tree needs of an object's leases: the same words as the core of ordering uses. */
export interface LeaseTable {
  grant(ttl: number): string
  has(lease: string): boolean
  renew(lease: string): boolean
  drop(lease: string): void
}

/** Where there are none. */
export const noLeases: LeaseTable = {
  grant() {
    throw new Error('there are no leases here')
  },
  has: () => false,
  renew: () => false,
  drop: () => {},
}

/** The lease that is meant, or a new one with its own time; undefined where it has ended. */
export function ownerOf(
  leases: LeaseTable,
  { lease, ttl }: { readonly lease: string | undefined; readonly ttl: number | undefined },
): string | undefined {
  if (ttl !== undefined) return leases.grant(ttl)
  return lease !== undefined && leases.has(lease) ? lease : undefined
}

/** What a transaction grants may still come to nothing. */
export class DraftedLeases implements LeaseTable {
  private readonly below: LeaseTable
  private readonly granted: string[] = []

  constructor(below: LeaseTable) {
    this.below = below
  }

  grant(ttl: number): string {
    const lease = this.below.grant(ttl)
    this.granted.push(lease)
    return lease
  }

  has(lease: string): boolean {
    return this.below.has(lease)
  }

  renew(lease: string): boolean {
    return this.below.renew(lease)
  }

  drop(lease: string): void {
    this.below.drop(lease)
  }

  undo(): void {
    for (const lease of this.granted) this.below.drop(lease)
  }
}
