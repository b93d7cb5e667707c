// coterie bandit: the best of several arms, or as much as can be earned, without anybody seeing the rewards.

import { type Command, InvalidArgumentError } from 'commander'
import { serveArm } from '../bandit/arm.ts'
import { askBest, askMaximise } from '../bandit/ask.ts'
import { audit } from '../bandit/audit.ts'
import { showPlan } from '../bandit/plan.ts'
import { showStatus } from '../bandit/status.ts'
import { duration } from '../duration.ts'
import { action, choiceOption, logOption, newCommand, several, wholeNumber } from '../output.ts'

const SEARCHES = ['successive-rejects', 'sequential-halving']
const EARNINGS = ['ucb1', 'thompson']

const ARM_HELP = `
Example:
  $ coterie bandit arm page green --config shops/members/member-2 --run ./visitor.sh
      serves the arm until Ctrl-C: ./visitor.sh prints one number for each pull; COTERIE_PULL has the number of the pull

After a crash a pull is asked for again with the same number. An arm serves one run, unless --runs says more.

Exit codes: 0 ended by Ctrl-C, 1 it could not join, or the command gave no reward, 2 wrong usage.`

const BEST_HELP = `
Example:
  $ coterie bandit best page --config shops/members/member-6 --arms red,green,blue --budget 300 --shuffler member-4 --comparator member-5
      joins, asks the owners of the arms, and prints the best arm

Every arm is served by a member of its own (coterie bandit arm), and this command is one more, with a folder of its own:
three arms take six members. Those that shuffle or compare only join (coterie join).

Exit codes: 0 there is an answer, 1 there is none, 2 wrong usage.`

const MAXIMISE_HELP = `
Example:
  $ coterie bandit maximise page --config shops/members/member-6 --arms red,green,blue --budget 40 --batch 0.1 --shuffler member-4 --comparator member-5
      spends the budget on what pays best, and prints the sum of all rewards

Who serves arms, shuffles and compares: see coterie bandit best --help.

Exit codes: 0 there is an answer, 1 there is none, 2 wrong usage.`

const STATUS_HELP = `
Example:
  $ coterie bandit status page --config shops/members/member-2
      each run of that name that this member was in: what it played, how far the run is, and its own pulls

It reads the logs in runs/ of the member's folder, also while the member runs. A run with --no-audit or --privacy
thesis leaves none.

Exit codes: 0 shown, 1 there is no run of that name, 2 wrong usage.`

const AUDIT_HELP = `
Example:
  $ coterie bandit audit logs/*.log
      judges a run by the logs of all its parties, which stand in runs/ of their folders: right, or who lied

With --table what the arms must have paid is compared, too: {"red": [1, 0, 1], "green": [0, 1, 1]}. The logs have the
secrets of the run: the auditor learns everything. A run with --no-audit or --privacy thesis keeps none, and
nobody can judge it.

Exit codes: 0 the run is right, 1 somebody lied, or it cannot be told, 2 wrong usage.`

const PLAN_HELP = `
Example:
  $ coterie bandit plan --arms 10 --budget 1000
      what a run would cost, and who must not work together

Exit codes: 0 shown, 2 wrong usage.`

export function banditCommand(): Command {
  return newCommand('bandit')
    .addCommand(
      asks('best', 'find the best arm', SEARCHES, BEST_HELP)
        .option('--values <name=number,…>', 'with --privacy thesis: what each arm is worth', worth)
        .option('--epsilon <number>', 'with --privacy thesis: how far a reward may be from its value', decimal)
        .option('--drawers <members>', 'with --privacy thesis: who draws for each phase, with commas between', several)
        .action(action(askBest)),
    )
    .addCommand(
      asks('maximise', 'earn as much as a budget of pulls allows', EARNINGS, MAXIMISE_HELP)
        .option(
          '--batch <number>',
          'after t pulls the chosen arm is pulled this share of t at once (default: 0)',
          share,
        )
        .addOption(
          choiceOption('--protocol <name>', 'with --privacy thesis: which (default: ucb-ds2)', [
            'ucb-d',
            'ucb-ds',
            'ucb-ds2',
          ]),
        )
        .action(action(askMaximise)),
    )
    .addCommand(armCommand())
    .addCommand(statusCommand())
    .addCommand(auditCommand())
    .addCommand(planCommand())
    .addHelpText(
      'after',
      '\nExample:\n  $ coterie bandit plan --arms 10 --budget 1000\n\nExit codes: see each command.',
    )
}

function asks(word: string, description: string, algorithms: readonly string[], help: string): Command {
  return newCommand(word)
    .description(description)
    .argument('<name>', 'name of the run')
    .option('--config <folder>', "the member's folder")
    .option('--arms <names>', 'the arms, with commas between', several)
    .option('--budget <number>', 'pulls of all arms together', wholeNumber)
    .option('--shuffler <member>', 'who seats the arms: of another owner than the arms')
    .option('--comparator <member>', 'who compares: of another owner than the arms and the shuffler')
    .addOption(choiceOption('--algorithm <name>', `how (default: ${algorithms[0]})`, algorithms))
    .option('--rewards <least,most>', 'between which numbers rewards lie (default: 0,1)', range)
    .option('--timeout <duration>', 'how long to wait for the answer (default: for ever)', duration)
    .addOption(choiceOption('--privacy <level>', 'who may see what (default: blind)', ['blind', 'thesis']))
    .option(
      '--pace <duration>',
      'every arm answers so long after its slot, for each pull: time tells nothing',
      duration,
    )
    .option(
      '--arm-timeout <duration>',
      'how long an arm may be silent before it counts as lost (default: for ever)',
      duration,
    )
    .addOption(choiceOption('--on-lost <what>', 'what becomes of the run then (default: stop)', ['stop', 'drop']))
    .option('--no-audit', 'sign nothing and keep no logs: quicker (--privacy thesis never keeps any)')
    .addOption(logOption())
    .option('--json', 'print the result as JSON')
    .addHelpText('after', help)
}

function armCommand(): Command {
  return newCommand('arm')
    .description('serve an arm: a command gives its rewards')
    .argument('<name>', 'name of the run')
    .argument('<arm>', 'name of the arm')
    .option('--config <folder>', "the member's folder")
    .option('--run <command>', 'prints one number for each pull')
    .option('--runs <number>', 'how many runs it serves in all (default: 1)', wholeNumber)
    .addOption(logOption())
    .addHelpText('after', ARM_HELP)
    .action(action(serveArm))
}

function statusCommand(): Command {
  return newCommand('status')
    .description('what a member knows of runs of a name, by its logs')
    .argument('<name>', 'name of the run')
    .option('--config <folder>', "the member's folder")
    .option('--json', 'print the result as JSON')
    .addHelpText('after', STATUS_HELP)
    .action(action(showStatus))
}

function auditCommand(): Command {
  return newCommand('audit')
    .description('judge a run by the logs of its parties')
    .argument('<logs...>', 'the logs of all parties')
    .option('--table <file>', 'what the arms must have paid, as JSON')
    .option('--json', 'print the result as JSON')
    .addHelpText('after', AUDIT_HELP)
    .action(action(audit))
}

function planCommand(): Command {
  return newCommand('plan')
    .description('what a run would cost, and who must not work together')
    .option('--arms <number>', 'how many arms', wholeNumber)
    .option('--budget <number>', 'pulls of all arms together', wholeNumber)
    .addOption(choiceOption('--algorithm <name>', 'how (default: successive-rejects)', [...SEARCHES, ...EARNINGS]))
    .option('--batch <number>', 'with ucb1 and thompson: see maximise', share)
    .option('--json', 'print the result as JSON')
    .addHelpText('after', PLAN_HELP)
    .action(action(showPlan))
}

function share(value: string): number {
  const number = Number(value)
  if (value.trim() === '' || !(number >= 0 && number <= 1))
    throw new InvalidArgumentError('It must be a number from 0 to 1.')
  return number
}

function range(value: string): [number, number] {
  const numbers = value.split(',').map(Number)
  const [least, most] = numbers
  if (numbers.length !== 2 || !numbers.every(Number.isFinite) || !(least! < most!)) {
    throw new InvalidArgumentError('It must be two numbers, the smaller first, such as 0,1.')
  }
  return [least!, most!]
}

function decimal(value: string): number {
  const number = Number(value)
  if (value.trim() === '' || !Number.isFinite(number)) throw new InvalidArgumentError('It must be a number.')
  return number
}

function worth(value: string): Record<string, number> {
  const pairs = value.split(',').map(pair => pair.split('='))
  for (const pair of pairs) {
    if (pair.length !== 2 || pair[0] === '') throw new InvalidArgumentError('It must be like red=13,green=17.')
  }
  return Object.fromEntries(pairs.map(([name, number]) => [name!, decimal(number!)]))
}
