// Loads further scripts of the page when they are needed, and makes workers of those that are loaded. A page that was
// opened from a disk can read no file, its own scripts included; but every script keeps its body as a function, and a
// function knows its text.

interface Part {
  /** Scripts whose parts this one uses. */
  readonly needs: readonly string[]
  readonly body: (require: (file: string) => unknown, exports: object) => void
}

/** What the build puts at the head of the first script. */
interface Kept {
  readonly coterieParts: Record<string, Part>
  coterieRun(name: string): unknown
}

const kept = () => globalThis as unknown as Kept

const loading = new Map<string, Promise<void>>()

/** Loads a script of the page once, with all that it needs, and runs it. */
export async function loadScript(name: string): Promise<void> {
  await fetched(name)
  kept().coterieRun(name)
}

/** Loads a script of the page and all that it needs, for a worker. */
export async function fetched(name: string): Promise<void> {
  if (kept().coterieParts[name] === undefined) {
    const known = loading.get(name) ?? added(name)
    loading.set(name, known)
    await known
  }
  await Promise.all(kept().coterieParts[name]!.needs.map(fetched))
}

function added(name: string): Promise<void> {
  return new Promise<void>((resolve, reject) => {
    const script = document.createElement('script')
    script.src = `${name}.js`
    script.onload = () => resolve()
    script.onerror = () => {
      loading.delete(name)
      script.remove()
      reject(new Error(`the file ${name}.js cannot be loaded: is the folder whole?`))
    }
    document.head.append(script)
  })
}

/** The scripts with all that they need, each after what it needs. */
function withNeeds(names: readonly string[], found = new Set<string>()): Set<string> {
  for (const name of names) {
    if (found.has(name)) continue
    withNeeds(kept().coterieParts[name]!.needs, found)
    found.add(name)
  }
  return found
}

/** Without scripts of the page's own: one that holds all that it needs. */
const isAlone = (scripts: readonly string[]) => scripts.every(name => name.startsWith('measure-')) && scripts.length > 0

function workerText(given: readonly string[]): string {
  const scripts = isAlone(given) ? given : ['core', ...given]
  const { coterieParts, coterieRun } = kept()
  const texts = [...withNeeds(scripts)].map(
    name => `coterieParts[${JSON.stringify(name)}]={body:${coterieParts[name]!.body}}`,
  )
  const runs = scripts.map(name => `coterieRun(${JSON.stringify(name)})`)
  return [`globalThis.coterieParts={};globalThis.coterieRun=${coterieRun}`, ...texts, ...runs].join(';\n')
}

/** What a worker tells: something on the way, what came out, or why nothing did. */
export type Told = { readonly told: unknown } | { readonly done: unknown } | { readonly failed: string }

export interface Helper {
  send(message: unknown): void
  end(): void
}

/** A worker made of these scripts, which must be loaded. */
export function helperOf(scripts: readonly string[], hear: (told: Told) => void): Helper {
  const address = URL.createObjectURL(new Blob([workerText(scripts)], { type: 'text/javascript' }))
  const worker = new Worker(address)
  worker.onmessage = ({ data }: MessageEvent<Told>) => hear(data)
  worker.onerror = event => hear({ failed: event.message || 'the worker could not start.' })
  return {
    send: message => worker.postMessage(message),
    end: () => {
      worker.terminate()
      URL.revokeObjectURL(address)
    },
  }
}

export interface Work<Result> {
  readonly result: Promise<Result>
  stop(): void
}

/** Runs a task in a worker made of these scripts, which must be loaded; ends it after so long. */
export function work<Result>(
  scripts: readonly string[],
  task: string,
  given: unknown,
  options: { readonly msMax: number; progress?(told: unknown): void },
): Work<Result> {
  let stop = () => {}
  const result = new Promise<Result>((resolve, reject) => {
    const helper = helperOf(scripts, told => {
      if ('told' in told) return options.progress?.(told.told)
      stop()
      if ('failed' in told) reject(new Error(told.failed))
      else resolve(told.done as Result)
    })
    const timer = setTimeout(() => {
      stop()
      reject(new Error(`stopped after ${options.msMax / 1000} s.`))
    }, options.msMax)
    stop = () => {
      clearTimeout(timer)
      helper.end()
    }
    helper.send({ task, given })
  })
  return { result, stop: () => stop() }
}
