import { byLength } from '../by-length.ts'

export const figure42 = byLength('4.2', 'THESIS §4.4.1, figure 4.2', ['SQF', 'Cuckoo', 'SBF'])
