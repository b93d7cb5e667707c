// What tests, the simulator's commands and the lab may touch of the slots' proof: scenario, liars, planted bugs, small systems.
// No machine imports it.

export { plantedErrata } from './planted.ts'
export { printedSlotsScenario } from './scenario.ts'
