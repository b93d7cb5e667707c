export { type ArmRecord, GRID, type Policy } from './policy.ts'
export { thompson } from './thompson.ts'
export { ucb1 } from './ucb1.ts'
