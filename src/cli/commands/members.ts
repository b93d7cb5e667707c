// coterie members: who is here, as the members see it.

import type { Command } from 'commander'
import { ASK_MS, type MemberAnswer, openAsker } from '../../client/peers/asking.ts'
import type { MemberInfo } from '../../client/peers/roster.ts'
import { type ConnectionOptions, clientFolder, withConnection } from '../connection.ts'
import { action, colour, newCommand, print, printLine } from '../output.ts'
import { allPrintable } from '../printable.ts'
import { untilStopped } from '../watching.ts'

interface Options extends ConnectionOptions {
  readonly watch?: boolean
  readonly json?: boolean
}

const EXAMPLE = `
Example:
  $ coterie members
      one line for each member: its name, whether it is alive, where it is, and its attributes
  $ coterie members --watch --json
      first a line of JSON for each member ("change": "seen"), then one for each that changed, and for no other

A member that broke the rules of gossip or of an election is named, with what it did and the members that say so.

Members see the group by gossip: for a moment after a change they may see it differently. What is shown is the view
of the member that answered first.

Exit codes: 0 shown, 1 no member could be reached, 2 wrong usage.`

export function membersCommand(): Command {
  return withConnection(newCommand('members'))
    .option('--watch', 'go on, and show every change')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', EXAMPLE)
    .action(action(members))
}

async function members(options: Options): Promise<void> {
  const asker = await openAsker(clientFolder(options))
  try {
    const question = { kind: 'members' } as const
    if (options.watch) return await untilStopped(asker, question, oneView(), show(options.json))
    const [seen] = await asker.ask(question, ASK_MS)
    // Members of an earlier version do not know the question.
    const caught = tallyCaught(await asker.ask({ kind: 'caught' }, CAUGHT_MS).catch(() => []))
    const found = seen!.members.map(member => ({ ...member, ...whatOf(caught, member.name) }))
    print(options.json, found, () =>
      [describeMembers(allPrintable(seen!.members)), ...allPrintable(caught).map(describeCaught)].join('\n'),
    )
  } finally {
    await asker.close()
  }
}

const CAUGHT_MS = 1_000

/** A way in which a member was caught, and the members that say so. */
interface CaughtWay {
  readonly name: string
  readonly way: string
  readonly by: readonly string[]
}

/** Nobody's word about itself counts, and each member's once. */
export function tallyCaught(answers: readonly MemberAnswer[]): CaughtWay[] {
  const tellers = new Map<string, { readonly name: string; readonly way: string; readonly by: Set<string> }>()
  for (const { member, caught = [] } of answers) {
    for (const { name, ways } of caught) {
      for (const way of name === member ? [] : ways) {
        const key = JSON.stringify([name, way])
        const known = tellers.get(key) ?? { name, way, by: new Set<string>() }
        known.by.add(member)
        tellers.set(key, known)
      }
    }
  }
  return [...tellers.keys()].sort().map(key => {
    const { name, way, by } = tellers.get(key)!
    return { name, way, by: [...by].sort() }
  })
}

function whatOf(caught: readonly CaughtWay[], member: string): { caught?: readonly Omit<CaughtWay, 'name'>[] } {
  const own = caught.filter(({ name }) => name === member)
  return own.length === 0 ? {} : { caught: own.map(({ way, by }) => ({ way, by })) }
}

/** A member may lie about another: who says so stands beside it. */
function describeCaught({ name, way, by }: CaughtWay): string {
  return colour.yellow(`  ! ${name} was caught: ${way}, says ${by.join(', ')}`)
}

/** What became of a member since it was last shown. */
type Change = { readonly change: 'seen' | 'changed' | 'gone' } & MemberInfo

/** First everybody, then who differs from what was shown before: nobody else is told of again. */
export function changes(before: readonly MemberInfo[], now: readonly MemberInfo[]): Change[] {
  const old = new Map(before.map(member => [member.name, member]))
  const told = now.flatMap((member): Change[] => {
    const was = old.get(member.name)
    if (was === undefined) return [{ change: 'seen', ...member }]
    return JSON.stringify(was) === JSON.stringify(member) ? [] : [{ change: 'changed', ...member }]
  })
  const names = new Set(now.map(({ name }) => name))
  return [...told, ...before.filter(({ name }) => !names.has(name)).map(was => ({ change: 'gone', ...was }) as const)]
}

/** Members learn of a change at different times: the one that was heard before is heard on, so that nothing goes back. */
export function oneView(): (found: readonly MemberAnswer[]) => readonly MemberInfo[] {
  let teller: string | undefined
  return found => {
    const chosen = found.find(({ member }) => member === teller) ?? found[0]!
    teller = chosen.member
    return chosen.members
  }
}

function show(json: boolean | undefined) {
  let shown: readonly MemberInfo[] = []
  return (found: readonly MemberInfo[]) => {
    for (const told of changes(shown, found)) printLine(json, told, () => describeChange(allPrintable(told)))
    shown = found
  }
}

function describeChange({ change, ...member }: Change): string {
  return change === 'gone' ? `  ${member.name}  gone` : describeMembers([member])
}

const PAINTS = { alive: colour.green, suspect: colour.yellow, left: colour.dim, failed: colour.red }

export function describeMembers(found: readonly MemberInfo[]): string {
  const width = Math.max(...found.map(member => member.name.length))
  return found
    .map(({ name, status, address, voter, attributes }) => {
      const values = Object.entries(attributes).map(([attribute, value]) => `${attribute} ${rounded(value)}`)
      const place = voter ? address : `${address} (guest)`
      return `  ${name.padEnd(width)}  ${PAINTS[status](status.padEnd(7))}  ${place}  ${values.join(', ')}`.trimEnd()
    })
    .join('\n')
}

function rounded(value: number): string {
  return String(Math.round(value * 1000) / 1000)
}
