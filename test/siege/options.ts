// The command line of the siege.

export const HELP = `npm run siege [-- options]: a real group of seven servers, one of four, members, and members with secret ballots, as processes
over TLS with stores on disk; one node of each lies, in every way that the proofs know, also as often as it may. Clients and members
record what they do; now and then one is killed, stands still or is cut off.

  --seconds N      how long lies are told, in all groups together (default 60)
  --stages A,B     seven, four, members, secret (default: all)
  --lies A,B       only these: a lie, or part/lie (default: as many as fit, in an order drawn from the seed)
  --seed N         the order of the lies (default: drawn, and printed)
  --strict         the goals of speed, memory and naming must be met too
  --json           the result as JSON
  --markdown       the table as Markdown
  --write FILE     starts nothing: FILE is a result that --json printed, and its table is put into SECURITY.md
  --list           only says which lies there are
  --help           this

Goals: at least half of the honest throughput, p99 at most three times, memory at most 1.3 times, named wherever its words
prove the lie, and all well within 10 s after the liar turned honest. Each lie is compared with honest running of the same
minute.

Exit codes: 0 no promise was broken (with --strict: and every goal was met), 1 one was, 2 wrong usage, 130 interrupted.
`

export const STAGES = ['seven', 'four', 'members', 'secret'] as const
export type StageName = (typeof STAGES)[number]

export interface Options {
  seconds: number
  stages: readonly StageName[]
  lies: readonly string[]
  seed: number
  strict: boolean
  json: boolean
  markdown: boolean
  /** A result of an earlier siege, whose table is written. */
  write: string | undefined
  list: boolean
  help: boolean
}

const SECONDS_MAX = 24 * 60 * 60

/** The options, or what is wrong with them. */
export function readOptions(words: readonly string[]): Options | string {
  const seed = Math.floor(Math.random() * 1_000_000)
  const read: Options = {
    seconds: 60,
    stages: STAGES,
    lies: [],
    seed,
    strict: false,
    json: false,
    markdown: false,
    write: undefined,
    list: false,
    help: false,
  }
  const rest = [...words]
  while (rest.length > 0) {
    const word = rest.shift()!
    const name = word.replace(/^--/, '')
    if (name === 'strict' || name === 'json' || name === 'markdown' || name === 'list' || name === 'help') {
      read[name] = true
      continue
    }
    const wrong = takeValue(read, word, rest.shift())
    if (wrong !== undefined) return wrong
  }
  return read
}

function takeValue(read: Options, word: string, value: string | undefined): string | undefined {
  const number = Number(value)
  const words = (value ?? '').split(',').filter(Boolean)
  switch (word) {
    case '--seconds':
      read.seconds = number
      return number >= 1 && number <= SECONDS_MAX ? undefined : `--seconds is ${value}; it must be 1 to ${SECONDS_MAX}.`
    case '--seed':
      read.seed = number
      return Number.isInteger(number) && number >= 0 ? undefined : `--seed is ${value}; it must be a whole number.`
    case '--write':
      read.write = value
      return value === undefined ? '--write names no file.' : undefined
    case '--lies':
      read.lies = words
      return words.length > 0 ? undefined : '--lies names none.'
    case '--stages':
      read.stages = STAGES.filter(stage => words.includes(stage))
      return words.length > 0 && read.stages.length === words.length ? undefined : `--stages: ${STAGES.join(', ')}.`
    default:
      return `what is ${JSON.stringify(word)}?`
  }
}
