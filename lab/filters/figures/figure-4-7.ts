import { aloneAndQueued } from '../alone-and-queued.ts'

export const figure47 = aloneAndQueued('4.7', ['QHT', 'SQF'])
