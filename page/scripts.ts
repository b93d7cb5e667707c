// Loads further scripts of the page when they are needed, and makes workers of those that are loaded. A page that was
// opened from a disk can read no file, its own scripts included; but every script keeps its body as a function, and a
// function knows its text.

type Parts = Record<string, () => void>

const parts = (): Parts => (globalThis as unknown as { coterieParts: Parts }).coterieParts

const loading = new Map<string, Promise<void>>()

/** Loads a script of the page once. */
export function loadScript(name: string): Promise<void> {
  if (parts()[name] !== undefined) return Promise.resolve()
  const known = loading.get(name)
  if (known !== undefined) return known
  const promise = name === COMMON ? added(name) : loadScript(COMMON).then(() => added(name))
  loading.set(name, promise)
  return promise
}

/** What several scripts use, loaded before any of them. */
const COMMON = 'common'

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
  const names = ['core', COMMON, ...scripts]
  const text = names.map(name => `coterieParts[${JSON.stringify(name)}]=${parts()[name]}`)
  const runs = names.map(name => `coterieParts[${JSON.stringify(name)}]()`)
  const source = ['globalThis.coterieParts={}', ...text, ...runs].join(';\n')
  const address = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }))
  const worker = new Worker(address)
  let timer: ReturnType<typeof setTimeout> | undefined
  const end = () => {
    clearTimeout(timer)
    worker.terminate()
    URL.revokeObjectURL(address)
  }
  const result = new Promise<Result>((resolve, reject) => {
    timer = setTimeout(() => {
      end()
      reject(new Error(`stopped after ${options.msMax / 1000} s.`))
    }, options.msMax)
    worker.onmessage = ({ data }: MessageEvent<{ done?: Result; told?: unknown; failed?: string }>) => {
      if ('told' in data) return options.progress?.(data.told)
      end()
      if (data.failed !== undefined) reject(new Error(data.failed))
      else resolve(data.done as Result)
    }
    worker.onerror = event => {
      end()
      reject(new Error(event.message || 'the worker could not start.'))
    }
  })
  worker.postMessage({ task, given })
  return { result, stop: end }
}
