// Data that a script of its own brings: a page from a disk can load scripts, and nothing else.

const data = new Map<string, unknown>()

export function publish(name: string, value: unknown): void {
  data.set(name, value)
}

export function published<Value>(name: string): Value | undefined {
  return data.get(name) as Value | undefined
}
