// A member under siege: node member.js MEMBER_FOLDER TERMS_JOURNAL SEATS_JOURNAL TOLD_JOURNAL NAME SLOT,SLOT,… LEASE_MS
//
// It says every second what time it is, and tells how late it hears it of the others (gossip); stands for a place, leads
// for a while and stands aside, and tells how long nobody led (election); asks for seats, and lets go of them (slots); tells
// the others events, and how late it hears theirs (events). A line {"slots":"other"} on its input says where it is to ask
// from now on: who was caught cheating is out of the old ones.

import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { join, NoSeat, type Slots, type Term } from 'coterie'
import { millis, note, onStop, say } from './reporting.ts'
import { leadForAWhile, PLACE, RANKING, stand, worthOf } from './standing.ts'
import { tell } from './telling.ts'

const [config = '.', terms = '', seats = '', told = '', first = '', slots = '', lease = '2000'] = process.argv.slice(2)
const SAY_MS = 1_000
const SEAT_MS = 15_000
const HOLD_MS = 30
const REST_MS = 100
/** For lanes that are under way. */
const CLOSE_MS = 1_500

let ended = false
const isOver = () => ended
const log = (level: string, msg: string, fields: object) => {
  if (level !== 'debug') say({ level, msg, ...fields })
}
const group = await join({ config, log, ranking: RANKING, attributes: worthOf(config) })
const who = group.name
const write = (file: string, line: object) =>
  appendFileSync(file, `${JSON.stringify({ who, boot: process.pid, ...line })}\n`)

async function lead(term: Term): Promise<void> {
  const look = () => {
    // The clock is read first: a process that is stopped between the two readings believes for less, not for longer.
    const at = millis()
    const remaining = term.remaining()
    if (term.leads()) write(terms, { at, what: 'leads', term: term.number, until: at + remaining })
  }
  await leadForAWhile(term, look, isOver)
  write(terms, { at: millis(), what: 'stopped', term: term.number })
}

async function follow(): Promise<void> {
  let vacantSince = millis()
  let last = 0
  for await (const { term, coordinator } of group.coordinatorOf(PLACE)) {
    write(terms, { at: millis(), what: 'sees', term, coordinator: coordinator ?? null })
    if (coordinator === undefined) vacantSince = millis()
    else if (term > last) note('election', vacantSince, true)
    last = Math.max(last, term)
  }
}

async function gossip(): Promise<void> {
  const heard = new Map<string, number>()
  const saying = setInterval(() => group.set({ clock: millis() }), SAY_MS)
  for await (const members of group.members()) {
    for (const { name, attributes } of members) {
      const { clock } = attributes as { clock?: number }
      if (name === who || clock === undefined || clock === heard.get(name)) continue
      // What was said before this process began is no news.
      if (heard.has(name)) note('gossip', clock, true)
      heard.set(name, clock)
    }
  }
  clearInterval(saying)
}

async function watch(channels: Slots): Promise<void> {
  for await (const incident of channels.incidents()) {
    const { kind } = incident
    if (kind === 'cheat' || kind === 'forged') say({ incident: { kind, member: incident.member, what: incident.what } })
  }
}

function open(name: string): Slots {
  const opened = group.slots(name, { slots: slots.split(','), lease: Number(lease), onDemand: true })
  void watch(opened)
  return opened
}

let channels = open(first)

async function sit(): Promise<void> {
  while (!ended) {
    const began = millis()
    const asked = channels
    try {
      const seat = await asked.request({ timeout: SEAT_MS, signal: moved.signal })
      note('seat', began, true)
      const slot = `${asked.name}/${seat.slot}`
      const at = millis()
      write(seats, { at, what: 'enter', slot, until: at + seat.remaining() })
      await sleep(HOLD_MS, undefined, { signal: seat.signal }).catch(() => {})
      write(seats, { at: millis(), what: 'leave', slot })
      await seat.release()
    } catch (error) {
      if (!(error instanceof NoSeat)) throw error
      if (asked === channels) note('seat', began, false)
    }
    await sleep(REST_MS)
  }
}

let moved = new AbortController()
onStop(
  () => {
    ended = true
    setTimeout(() => group.close().then(() => process.exit(0)), CLOSE_MS)
  },
  line => {
    channels = open((JSON.parse(line) as { slots: string }).slots)
    moved.abort()
    moved = new AbortController()
  },
)
say({ msg: 'started' })
await Promise.all([stand(group, lead, isOver), follow(), gossip(), sit(), tell(group, told, isOver)])
