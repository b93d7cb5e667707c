// Whether a server will find its store, and whether a running process already has it.

import { constants } from 'node:fs'
import { access, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ServerSettings } from '../config/config.ts'
import { exists } from '../files.ts'
import { FIRST_START_FILE } from '../first-start.ts'
import type { Findings } from './finding.ts'

/** A process that has the store open says so by the name of a file in it, which begins with its number. */
const HOLDER = /^held-by-(\d+)-/

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
  const names = await readdir(folder)
  if (marked && names.length > 0) {
    findings.warning(
      `${join(node.folder, FIRST_START_FILE)} is there although the server has a store`,
      'Start the server, which deletes it: it goes by its store. Do not copy the file back.',
    )
  }
  checkHolder(findings, names, serving)
}

function sayMissing(findings: Findings, node: ServerSettings, marked: boolean): void {
  if (marked) {
    findings.ok('the server was never started; its store is made at the first start')
    return
  }
  findings.warning(
    `${node.storeFolder} is not there, though the server was started before`,
    node.group.trust.orderingQuorum === undefined
      ? `If the store was lost, start the server all the same: it grants nothing for ${node.group.lock.ttlMax} ms, which is right.`
      : `If the store was lost, coterie serve --rejoin ${node.folder} takes its content from the other servers.`,
  )
}

/**
 * Numbers of processes are used again, so a live one may have nothing to do with the store; the store itself looks
 * closer when it is opened. Here the worst is a needless warning.
 */
function checkHolder(findings: Findings, names: readonly string[], serving: boolean | undefined): void {
  const pid = names.map(name => Number(HOLDER.exec(name)?.[1] ?? 0)).find(isAlive)
  if (pid === undefined) {
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
