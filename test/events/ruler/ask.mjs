// Asks the real Event Ruler (github.com/aws/event-ruler, Apache-2.0) about its own cases, where there is a JDK:
//   node test/events/ruler/ask.mjs FOLDER [--write]     FOLDER has a copy of its sources
//   --jars FOLDER        where jackson-core, -databind and -annotations are (default: where Debian has them)
//   --commit HASH        written beside the verdicts
//
// It compiles without Maven: five files stand for what Ruler only needs by name, four annotations and a parser of numbers for which
// java.math.BigDecimal does as well. Without --write, the verdicts are compared with cases.json; with it they are kept there.
// Exit codes: 0 all as kept, 1 some differ, 2 wrong usage, 3 there is no JDK.

import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const kept = fileURLToPath(new URL('cases.json', import.meta.url))
const asking = fileURLToPath(new URL('Verdicts.java', import.meta.url))
const annotation = (folder, name) => [
  `javax/annotation/${folder}${name}.java`,
  `package javax.annotation${folder === '' ? '' : '.concurrent'};\npublic @interface ${name} {}\n`,
]
const STUBS = [
  annotation('', 'Nonnull'),
  annotation('', 'Nullable'),
  annotation('concurrent/', 'ThreadSafe'),
  annotation('concurrent/', 'Immutable'),
  [
    'ch/randelshofer/fastdoubleparser/JavaBigDecimalParser.java',
    'package ch.randelshofer.fastdoubleparser;\npublic class JavaBigDecimalParser {\n' +
      '  public static java.math.BigDecimal parseBigDecimal(CharSequence text) {\n' +
      '    return new java.math.BigDecimal(text.toString());\n  }\n}\n',
  ],
]

const [folder, ...options] = process.argv.slice(2)
const optionOf = name => (options.includes(name) ? options[options.indexOf(name) + 1] : undefined)
if (folder === undefined || folder.startsWith('-')) {
  process.stderr.write('node test/events/ruler/ask.mjs FOLDER [--write] [--jars FOLDER] [--commit HASH]\n')
  process.exit(2)
}
if (spawnSync('javac', ['-version']).status !== 0) {
  process.stderr.write('there is no JDK: `javac` does not run. Debian has one in default-jdk-headless.\n')
  process.exit(3)
}

const cases = JSON.parse(readFileSync(join(folder, 'src/test/resources/correctness-cases.json'), 'utf8'))
const verdicts = verdictsOf(folder, cases, optionOf('--jars') ?? '/usr/share/java')
if (options.includes('--write')) write(cases, verdicts, optionOf('--commit') ?? 'unknown')
process.exit(differences(cases, verdicts) === 0 ? 0 : 1)

/** What Ruler says of each case. */
function verdictsOf(sources, asked, jars) {
  const work = mkdtempSync(join(tmpdir(), 'ruler-'))
  try {
    for (const [file, text] of STUBS) {
      mkdirSync(dirname(join(work, file)), { recursive: true })
      writeFileSync(join(work, file), text)
    }
    const names = ['jackson-core', 'jackson-databind', 'jackson-annotations']
    const path = [work, ...names.map(name => join(jars, `${name}.jar`))].join(delimiter)
    const files = javaFiles(join(sources, 'src/main')).concat(STUBS.map(([file]) => join(work, file)))
    execFileSync('javac', ['-nowarn', '-encoding', 'UTF-8', '-cp', path, '-d', work, ...files, asking], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    writeFileSync(join(work, 'cases.json'), JSON.stringify(asked))
    const said = execFileSync('java', ['-cp', path, 'Verdicts', join(work, 'cases.json')], { encoding: 'utf8' })
    return said.trim().split('\n')
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

function javaFiles(root) {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.java'))
    .map(file => join(root, file))
}

function write(asked, said, commit) {
  const text = {
    source: 'github.com/aws/event-ruler, src/test/resources/correctness-cases.json',
    licence: 'Apache-2.0',
    commit,
    verdicts: 'what Machine.rulesForJSONEvent of that commit says, by test/events/ruler/ask.mjs',
    cases: asked.map(({ name, rule, event }, at) => ({ name, rule, event, verdict: said[at] })),
  }
  writeFileSync(kept, `${JSON.stringify(text, null, 2)}\n`)
}

function differences(asked, said) {
  const known = new Map(
    JSON.parse(readFileSync(kept, 'utf8')).cases.map(one => [JSON.stringify([one.rule, one.event]), one]),
  )
  let count = 0
  for (const [at, { name, rule, event }] of asked.entries()) {
    const verdict = known.get(JSON.stringify([rule, event]))?.verdict
    if (verdict === said[at]) continue
    count++
    process.stdout.write(`${name}: Ruler says ${said[at]}, kept is ${verdict ?? 'nothing'}\n`)
  }
  process.stdout.write(`${asked.length} cases, ${count} differ from what is kept\n`)
  return count
}
