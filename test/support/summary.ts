// The last line of a test run in plain words, for people and programs that read only that.

import type { Reporter, TestModule } from 'vitest/node'

export default class Summary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const counts = { passed: 0, failed: 0, skipped: 0 }
    const again: string[] = []
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        const { state } = test.result()
        if (state !== 'pending') counts[state]++
        if (test.diagnostic()?.flaky) again.push(`${module.relativeModuleId}: ${test.fullName}`)
      }
      if (module.errors().length > 0) counts.failed++
    }
    for (const name of again) process.stdout.write(`passed only when it was tried again: ${name}\n`)
    process.stdout.write(`${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`)
  }
}
