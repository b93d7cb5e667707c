import { byLength } from '../by-length.ts'
import { BASELINES } from '../contenders.ts'

export const figure33 = byLength('3.3', 'THESIS §3.8.4, figure 3.3 (artificial stream)', BASELINES)
