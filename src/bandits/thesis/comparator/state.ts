// What Comp remembers: the two primes that open sums. It is what the ring's user remembers, too.

export { type HolderScene, type HolderState, holderSnapshot, newHolder } from '../user/state.ts'
