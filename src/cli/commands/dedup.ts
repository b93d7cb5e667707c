// coterie dedup: lines that came before, dropped or shown, in fixed memory.

import { Argument, type Command, InvalidArgumentError, Option } from 'commander'
import { FileError, SettingsError } from '../../core/index.ts'
import { type AdviceRequest, advise, FilterError } from '../../filters/index.ts'
import { inputOf } from '../dedup/input.ts'
import { describeReport, estimate, progressText } from '../dedup/report.ts'
import { keyFromFile, keyFromSeed, loadState, saveState } from '../dedup/state.ts'
import { type DedupReport, dedup } from '../dedup/stream.ts'
import { type Plan, planFor, structureNames } from '../dedup/structures.ts'
import { action, newCommand, print, wholeNumber } from '../output.ts'
import { memorySize } from '../size.ts'

interface Options {
  readonly memory: number
  readonly window: number
  readonly onlyDuplicates?: boolean
  readonly field?: number
  readonly separator?: number
  readonly structure?: string
  readonly report?: boolean
  readonly keyFile?: string
  readonly seed?: number
  readonly snapshot?: string
}

interface AdviseOptions {
  readonly memory: number
  readonly window: number
  readonly alphabet?: number
  readonly json?: boolean
}

const EXAMPLE = `
Example:
  $ coterie dedup --memory 1MB --window 1000000 < access.log > first-seen.log
      passes on each line unless it was among the last million lines, in one megabyte of memory
  $ coterie dedup --field 1 --only-duplicates --report access.log access.log.1 > again.log
      lines whose first field came before, and on standard error how many, how many in error, and how fast
  $ coterie dedup --snapshot seen.state --key-file seen.key < today.log
      goes on where the last run stopped; the key file is made when it is not there
  $ coterie dedup advise --memory 100kB --window 50000
      which structure that would be, and which errors to expect

Memory is that of the filter's cells; the program itself takes about 60 MB beside it.
A line's newline does not belong to it. Fields are separated by any run of spaces and tabs unless --separator is given.
A filter may err: see --report, and docs/guide/spot-a-duplicate.md.

Exit codes: 0 done, also where the reader of the output stopped early; 1 a file could not be read or written, or the input
is not lines; 2 wrong usage, or a memory and a window that cannot work.`

const ADVISE_EXAMPLE = `
Example:
  $ coterie dedup advise --memory 100kB --window 50000
      the structure that errs least, its parameters, its expected errors, and what the others would do
  $ coterie dedup advise --memory 100kB --window 5000 --alphabet 1000000
      for elements that are whole numbers below a million: the exact window is taken when it fits

Exit codes: 0 advised, 2 wrong usage, or a memory and a window that cannot work.`

const MEMORY_DEFAULT = 8 * 16_000_000
const WINDOW_DEFAULT = 1_000_000

export function dedupCommand(): Command {
  return newCommand('dedup')
    .addArgument(new Argument('[files...]', 'what to read; - or nothing is standard input'))
    .addOption(memoryOption().default(MEMORY_DEFAULT, '16MB'))
    .addOption(windowOption().default(WINDOW_DEFAULT))
    .option('--only-duplicates', 'pass on the lines that came before, and not the others')
    .option('--field <number>', 'compare this field, counted from 1, and not the whole line', wholeNumber)
    .option('--separator <character>', 'what separates fields: one character of ASCII, or \\t', separator)
    .addOption(
      new Option('--structure <name>', 'the filter (default: the one that errs least)').choices(structureNames),
    )
    .option(
      '--report',
      'say at the end, on standard error, what was found, which errors to expect, and how fast it was',
    )
    .option('--key-file <file>', "the filter's secret key, so that runs repeat; made when it is not there")
    .addOption(new Option('--seed <number>', 'a key from a number: repeatable, but no secret').argParser(wholeNumber))
    .option('--snapshot <file>', 'go on from this state if it is there, and save it at the end')
    .enablePositionalOptions()
    .addCommand(adviseCommand())
    .addHelpText('after', EXAMPLE)
    .action(action(run))
}

function adviseCommand(): Command {
  return newCommand('advise')
    .description('which structure, which parameters, what error to expect')
    .addOption(memoryOption().makeOptionMandatory())
    .addOption(windowOption().makeOptionMandatory())
    .option('--alphabet <number>', 'how many different elements there can be, if they are whole numbers', wholeNumber)
    .option('--json', 'print the advice as JSON')
    .addHelpText('after', ADVISE_EXAMPLE)
    .action(action(printAdvice))
}

function memoryOption(): Option {
  return new Option('--memory <size>', 'memory for the filter: 1MB, 100kB, 64KiB, 8Mbit, 5000bits').argParser(
    memorySize,
  )
}

function windowOption(): Option {
  return new Option('--window <lines>', 'how far back a duplicate counts, in lines').argParser(wholeNumber)
}

function separator(value: string): number {
  const character = value === '\\t' ? '\t' : value
  const code = character.charCodeAt(0)
  if (character.length === 1 && code < 128 && code !== 10) return code
  throw new InvalidArgumentError('It must be one character of ASCII, or \\t, and not a newline.')
}

async function printAdvice(options: AdviseOptions): Promise<void> {
  const { memory: bits, window, alphabet } = options
  const request: AdviceRequest = alphabet === undefined ? { bits, window } : { bits, window, alphabet }
  const advice = settings(() => advise(request))
  print(options.json, advice, () => {
    const others = advice.others.map(({ structure, expected }) => {
      const [positive, negative] = [expected.falsePositive, expected.falseNegative].map(rate => (100 * rate).toFixed(3))
      return `  ${structure.padEnd(38)} ${positive!.padStart(8)} % ${negative!.padStart(8)} %`
    })
    if (others.length === 0) return advice.sentence
    const head = `  ${'the best of every other structure'.padEnd(38)} new as old  old as new`
    return [advice.sentence, '', head, ...others].join('\n')
  })
}

async function run(files: readonly string[], options: Options): Promise<void> {
  const key = await keyOf(options)
  const { memory: bits, window, structure } = options
  const plan = settings(() => planFor(structure, { bits, window, hash: key === undefined ? {} : { key } }))
  const saved = options.snapshot === undefined ? null : await loadState(options.snapshot, requireKey(key), plan.filter)
  const filter = saved ?? plan.filter
  const line = progressLine()
  const { field, separator } = options
  const keep = options.onlyDuplicates ? 'duplicate' : 'unseen'
  settings(() => requireField(options))
  const settled = { filter, keep, field, separator, progress: line.show } as const
  const report = await dedup(settled, inputOf(files), process.stdout).catch(inputError).finally(line.clear)
  if (options.snapshot !== undefined) await saveState(options.snapshot, filter)
  if (options.report) tell(report, { ...plan, filter }, saved === null)
}

function tell(report: DedupReport, plan: Plan, fresh: boolean): void {
  process.stderr.write(`${describeReport(report, plan.filter, estimate(report, plan, fresh))}\n`)
}

async function keyOf({ keyFile, seed }: Options): Promise<Uint8Array | undefined> {
  if (keyFile !== undefined && seed !== undefined)
    throw new SettingsError('--key-file and --seed both give the key: drop one.')
  if (keyFile !== undefined) return keyFromFile(keyFile)
  return seed === undefined ? undefined : keyFromSeed(seed)
}

function requireKey(key: Uint8Array | undefined): Uint8Array {
  if (key !== undefined) return key
  throw new SettingsError('--snapshot needs the key that the next run will have, too: give --key-file FILE.')
}

function requireField({ field, separator }: Options): void {
  if (field === 0) throw new SettingsError('--field is 0: fields are counted from 1.')
  if (separator !== undefined && field === undefined)
    throw new SettingsError('--separator separates fields: give --field, too.')
}

/** What a filter refuses at its making comes from the command line. */
function settings<T>(make: () => T): T {
  try {
    return make()
  } catch (error) {
    if (error instanceof FilterError) throw new SettingsError(`${error.message}.`)
    throw error
  }
}

/** What it refuses later comes from the input. */
function inputError(error: unknown): never {
  if (error instanceof FilterError) throw new FileError(`${error.message}.`)
  throw error
}

const PROGRESS_FIRST_MS = 1000
const PROGRESS_EVERY_MS = 200

/** One line on the terminal that is written over, for long inputs; nothing where the lines go to that terminal, too. */
function progressLine() {
  const { stderr, stdout } = process
  const visible = stderr.isTTY === true && stdout.isTTY !== true
  let next = performance.now() + PROGRESS_FIRST_MS
  let shown = false
  return {
    show(report: DedupReport): void {
      if (!visible || performance.now() < next) return
      next = performance.now() + PROGRESS_EVERY_MS
      shown = true
      stderr.write(`\r\x1b[K${progressText(report)}`)
    },
    clear(): void {
      if (shown) stderr.write('\r\x1b[K')
    },
  }
}
