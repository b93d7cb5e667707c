// The first script: in a page it shows the laboratory, in a worker it waits for work.

import { render } from 'preact'
import { printedPlayground } from '../src/play/lock-printed.ts'
import { App } from './app.tsx'
import { outcomesOf } from './engines.ts'
import { registerFarRun } from './far.ts'
import { register } from './registry.ts'
import { serveTasks } from './worker.ts'

register(printedPlayground)

if (typeof document === 'undefined') {
  registerFarRun()
  serveTasks()
} else {
  Object.assign(globalThis, { coterieOutcomes: outcomesOf })
  const box = document.getElementById('page')
  if (box !== null) render(<App />, box)
}
