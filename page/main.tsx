// The first script: in a page it shows the laboratory, in a worker it waits for work.

import { render } from 'preact'
import { playgrounds } from '../src/play/index.ts'
import { App } from './app.tsx'
import { register } from './registry.ts'
import { serveTasks } from './worker.ts'

register(...playgrounds)

if (typeof document === 'undefined') serveTasks()
else {
  const box = document.getElementById('page')
  if (box !== null) render(<App />, box)
}
