// Where the reader stands in a run, and how the place moves by itself while it plays: between two events time goes on
// smoothly, so that a message is seen on its way.

import { useEffect, useRef, useState } from 'preact/hooks'
import type { Drawing } from './diagram/marks.ts'

/** What has places to stand at: a run, or a story. */
export interface Told {
  readonly drawing: Drawing
  readonly spec: {
    readonly at?: number | undefined
    readonly say: Readonly<Record<string, { readonly words: readonly string[] }>>
  }
}

export interface Cursor {
  readonly place: number
  /** The time that is shown as now: between two events while it plays. */
  readonly now: number
  readonly playing: boolean
  readonly speed: number
  go(place: number): void
  play(playing: boolean): void
  setSpeed(speed: number): void
  next(what: 'node' | 'told'): void
}

const SPEED = 6

const still = () => globalThis.matchMedia?.('(prefers-reduced-motion: reduce)').matches === true

export function useCursor(session: Told): Cursor {
  const { drawing, spec } = session
  const { marks } = drawing
  const last = marks.length - 1
  // A fraction between two places while it plays.
  const [position, setPosition] = useState(() => Math.min(last, spec.at ?? usualPlace(drawing)))
  const [playing, setPlaying] = useState(false)
  const [speed, setSpeed] = useState(SPEED)
  const before = useRef(session)
  const changed = before.current !== session
  // Another run: what a word brought is played from where it was said; after a change of the past one stays where one is.
  const next = changed ? nextPosition(before.current, session, position) : { at: position, plays: false }
  const start = next.at
  useEffect(() => {
    if (before.current === session) return
    before.current = session
    setPosition(next.plays && still() ? last : start)
    setPlaying(next.plays && !still())
  }, [session, start, last, next.plays])
  usePlaying(playing, speed, last, setPosition, setPlaying)
  const place = Math.max(0, Math.min(last, Math.floor(start)))
  const go = (to: number) => {
    setPlaying(false)
    setPosition(Math.max(0, Math.min(last, to)))
  }
  return {
    place,
    // At its end a run stays as it is: who is inside stays inside.
    now: place === last ? (drawing.asks?.at ?? drawing.last) : timeBetween(marks, start),
    playing,
    speed,
    go,
    play: on => {
      if (on && place >= last) setPosition(0)
      setPlaying(on)
    },
    setSpeed,
    next: what => {
      const node = marks[place]?.node
      const found = marks.findIndex(
        (mark, at) => at > place && (what === 'node' ? mark.node === node : mark.kind === 'emit'),
      )
      if (found >= 0) go(found)
    },
  }
}

/** Longer runs are not seen whole. */
const LONG = 600

/** Where a reader begins: at the end, where it is decided; in a long run that held, where the first one is told something. */
function usualPlace({ marks, clashes, steps }: Drawing): number {
  const last = marks.length - 1
  if (marks.length <= LONG || steps || clashes.length > 0) return last
  const told = marks.findIndex(({ kind }) => kind === 'emit')
  return Math.max(0, told)
}

/** How many events two runs have in common. */
function sameUntil(one: Told, other: Told): number {
  const [a, b] = [one.drawing.marks, other.drawing.marks]
  const length = Math.min(a.length, b.length)
  for (let place = 0; place < length; place++) {
    const [x, y] = [a[place]!, b[place]!]
    if (x.at !== y.at || x.node !== y.node || x.what !== y.what || x.from !== y.from) return place
  }
  return length
}

interface Next {
  readonly at: number
  readonly plays: boolean
}

function nextPosition(before: Told, session: Told, position: number): Next {
  const last = session.drawing.marks.length - 1
  if (session.spec.at !== undefined) return { at: Math.min(last, session.spec.at), plays: false }
  const words = (one: Told) => Object.values(one.spec.say).reduce((sum, script) => sum + script.words.length, 0)
  if (words(session) > words(before)) {
    const common = sameUntil(before, session)
    return { at: Math.min(last, Math.max(0, common - 1)), plays: common <= last }
  }
  return { at: words(session) < words(before) ? last : Math.min(last, Math.floor(position)), plays: false }
}

function timeBetween(marks: readonly { readonly at: number }[], position: number): number {
  const place = Math.max(0, Math.min(marks.length - 1, Math.floor(position)))
  const here = marks[place]?.at ?? 0
  const there = marks[place + 1]?.at ?? here
  return here + (there - here) * Math.max(0, Math.min(1, position - place))
}

type Set<Value> = (value: Value | ((before: Value) => Value)) => void

function usePlaying(
  playing: boolean,
  speed: number,
  last: number,
  setPosition: Set<number>,
  setPlaying: Set<boolean>,
): void {
  useEffect(() => {
    if (!playing) return
    let frame = 0
    let then = performance.now()
    const tick = (now: number) => {
      const passed = Math.min(100, now - then) / 1000
      then = now
      let ended = false
      setPosition(position => {
        ended = position + passed * speed >= last
        return ended ? last : position + passed * speed
      })
      frame = requestAnimationFrame(tick)
    }
    frame = requestAnimationFrame(tick)
    return () => cancelAnimationFrame(frame)
  }, [playing, speed, last, setPosition])
  useEffect(() => {
    if (!playing) return
    const timer = setInterval(() => {
      setPosition(position => {
        if (position >= last) setPlaying(false)
        return position
      })
    }, 100)
    return () => clearInterval(timer)
  }, [playing, last, setPosition, setPlaying])
}
