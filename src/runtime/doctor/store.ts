// Whether a server will find its store, and whether a running process already has it.

import { constants } from 'node:fs'
import { access, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ServerSettings } from '../config.ts'
import { exists, readText } from '../files.ts'
import { FIRST_START_FILE } from '../first-start.ts'
import type { Findings } from './finding.ts'

/** The store's lock file; it begins with the number of the process that has the store open. */
export const STORE_LOCK_FILE = 'lock'
const LOCK_BYTES_MAX = 1024

/** `serving`: whether the server was seen to answer; undefined where nobody asked. */
export async function checkStore(findings: Findings, node: ServerSettings, serving?: boolean): Promise<void> {
  const folder = node.storeFolder
  const marked = await exists(join(node.folder, FIRST_START_FILE))
  if (!(await exists(folder))) return sayMissing(findings, node, marked)
  if (!(await stat(folder).catch(() => undefined))?.isDirectory()) {
    findings.problem(`${folder} is not a folder`, 'Move it away; the store belongs there.')
    return
  }
  const { R_OK, W_OK, X_OK } = constants
  const usable = await access(folder, R_OK | W_OK | X_OK).then(
    () => true,
    () => false,
  )
  if (!usable) {
    findings.problem(`this user may not read and write ${folder}`, 'Run as its owner, or change its permissions.')
    return
  }
  if (marked && (await readdir(folder)).length > 0) {
    findings.warning(
      `${join(node.folder, FIRST_START_FILE)} is there although the server has a store`,
      'Delete it, unless the server was stopped in the middle of its very first start.',
    )
  }
  await checkLock(findings, folder, serving)
}

function sayMissing(findings: Findings, node: ServerSettings, marked: boolean): void {
  if (marked) {
    findings.ok('the server was never started; its store is made at the first start')
    return
  }
  findings.warning(
    `${node.storeFolder} is not there, though the server was started before`,
    `If the store was lost, start the server all the same: it grants nothing for ${node.group.lock.ttlMax} ms, which is right.`,
  )
}

async function checkLock(findings: Findings, folder: string, serving: boolean | undefined): Promise<void> {
  const file = join(folder, STORE_LOCK_FILE)
  if (!(await exists(file))) {
    findings.ok('the store can be read and written')
    return
  }
  const text = await findings.attempt(() => readText(file, LOCK_BYTES_MAX))
  if (text === undefined) return
  const pid = Number.parseInt(text, 10)
  if (!Number.isInteger(pid) || !isAlive(pid)) {
    findings.ok('the store can be read and written; no running process has it open')
  } else if (serving === false) {
    findings.warning(
      `process ${pid} has the store open, but the server does not answer`,
      `Look at that process (ps ${pid}) and at its log; end it before you start the server again.`,
    )
  } else {
    findings.ok(`the store is in use by process ${pid}`)
  }
}

function isAlive(pid: number): boolean {
  if (pid < 1) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Not allowed to signal it: it is there, and somebody else's.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
