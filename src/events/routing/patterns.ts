// When one pattern of topics covers another, level by level.

import type { TopicDialect } from '../topics.ts'

const DIALECTS = {
  mqtt: { between: '/', one: '+', rest: '#' },
  nats: { between: '.', one: '*', rest: '>' },
}

/** Whether every topic that fits `narrow` fits `wide`. Sound, and not complete. */
export function covering(dialect: TopicDialect, wide: string, narrow: string): boolean {
  const { between, one, rest } = DIALECTS[dialect]
  const wides = wide.split(between)
  const narrows = narrow.split(between)
  // Of MQTT: a wildcard at the start does not fit what begins with $.
  if (dialect === 'mqtt' && (wides[0] === one || wides[0] === rest) && narrows[0]!.startsWith('$')) return false
  for (const [level, word] of wides.entries()) {
    // `a/#` fits `a` too, so it covers whatever agrees with it so far; `a.>` needs a level more.
    if (word === rest) return dialect === 'mqtt' || narrows.length > level
    const other = narrows[level]
    if (other === undefined || other === rest) return false
    if (word !== one && word !== other) return false
  }
  return wides.length === narrows.length
}
