export { opensslPower } from '../../src/runtime/modular-power.ts'
