import { aloneAndQueued } from '../alone-and-queued.ts'

export const figure48 = aloneAndQueued('4.8', ['Cuckoo', 'SBF'])
