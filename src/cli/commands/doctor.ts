// coterie doctor [PATH]: explains what is wrong with a config, a certificate, a port.

import type { Command } from 'commander'
import { examine, type Finding, type Level } from '../../runtime/doctor/examine.ts'
import { examineLive } from '../live.ts'
import { action, colour, EXIT_FAILED, newCommand, print } from '../output.ts'
import { allPrintable } from '../printable.ts'

interface Options {
  readonly probe: boolean
  readonly json?: boolean
  readonly quiet?: boolean
}

const EXAMPLE = `
Example:
  $ coterie doctor shop
      examines the group's folder and every server and client in it, and asks the running servers for tokens and objects that
      a client has spoiled
  $ coterie doctor shop/servers/server-1 --no-probe
      examines one server's files and leaves the network alone

Exit codes: 0 no problem (there may be warnings), 1 at least one problem, 2 wrong usage.`

export function doctorCommand(): Command {
  return newCommand('doctor')
    .argument('[path]', 'folder of a group, of a server or of a client', '.coterie')
    .option('--no-probe', 'read files only: try no port and dial no server')
    .option('--quiet', 'leave out what is fine')
    .option('--json', 'print the findings as JSON')
    .addHelpText('after', EXAMPLE)
    .action(action(doctor))
}

async function doctor(path: string, options: Options): Promise<void> {
  const findings = [
    ...(await examine(path, { probe: options.probe })),
    ...(options.probe ? await examineLive(path) : []),
  ]
  const shown = options.quiet ? findings.filter(finding => finding.level !== 'ok') : findings
  print(options.json, { path, ...count(findings), findings: shown }, () => describe(allPrintable(shown), findings))
  if (count(findings).problems > 0) process.exitCode = EXIT_FAILED
}

function count(findings: readonly Finding[]) {
  const of = (level: Level) => findings.filter(finding => finding.level === level).length
  return { problems: of('problem'), warnings: of('warning'), fine: of('ok') }
}

const SIGNS: Readonly<Record<Level, string>> = {
  ok: colour.green('ok     '),
  warning: colour.yellow('warning'),
  problem: colour.red('problem'),
}

function describe(shown: readonly Finding[], all: readonly Finding[]): string {
  const lines: string[] = []
  let where = ''
  for (const finding of shown) {
    if (finding.where !== where) lines.push(colour.bold(finding.where))
    where = finding.where
    lines.push(`  ${SIGNS[finding.level]}  ${finding.what}`)
    if (finding.advice !== '') lines.push(`           ${colour.cyan(finding.advice)}`)
  }
  const { problems, warnings, fine } = count(all)
  lines.push('', `${plural(problems, 'problem')}, ${plural(warnings, 'warning')}, ${fine} fine`)
  return lines.join('\n')
}

function plural(number: number, noun: string): string {
  return `${number === 0 ? 'no' : number} ${noun}${number === 1 ? '' : 's'}`
}
