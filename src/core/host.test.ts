// What all four drivers share (protocols/process-model): order, the save barrier by lane, wires, and the end.

import { describe, expect, it } from 'vitest'
import { compose } from './compose.ts'
import { createHost } from './host.ts'
import { type AnyProtocol, type Effect, NOTHING_SAVED, type Protocol, type Turn } from './process.ts'

type Does = readonly Effect<string, string>[]
const send = (body: string): Does[number] => ({ kind: 'send', to: 'peer', body })
const say = (event: string): Does[number] => ({ kind: 'emit', event })
const save = (byte: number) => ({ kind: 'save' as const, record: Uint8Array.of(byte) })
const lazily = (byte: number) => ({ ...save(byte), lazy: true })

/** A machine that does what it is told. */
const puppet: Protocol<{ steps: number }, string, Does, string> = {
  name: 'puppet',
  init: () => ({ steps: 0 }),
  step(state, input, turn) {
    state.steps++
    if (input.kind === 'command') for (const effect of input.body) turn.do(effect)
  },
}

/** Ports that write down what happens, and a disk that is told when it is done. */
function bench(protocol: AnyProtocol = puppet, options: { instant?: boolean; heard?: (event: string) => void } = {}) {
  const log: string[] = []
  const pending: (() => void)[] = []
  const host = createHost<{ steps: number }, string, unknown, unknown>(protocol, 'me', [], NOTHING_SAVED, {
    now: () => 0,
    below: () => 0,
    bytes: length => new Uint8Array(length),
    send: (_to, body) => log.push(`send ${typeof body === 'string' ? body : JSON.stringify(body)}`),
    timer: (name, after) => log.push(`timer ${name} ${after}`),
    cancel: name => log.push(`cancel ${name}`),
    save(lane, record, kind, durable) {
      log.push(`${kind === 'append' ? '' : `${kind} `}${durable ? 'save' : 'lazily'} ${lane}${record.join()}`)
      if (options.instant) durable?.()
      else if (durable) pending.push(durable)
    },
    forget: lane => log.push(`forget ${lane}`),
    emit(event) {
      log.push(`emit ${typeof event === 'string' ? event : JSON.stringify(event)}`)
      options.heard?.(event as string)
    },
  })
  const order = (...effects: Does) => host.input({ kind: 'command', body: effects })
  const synced = () => pending.shift()!()
  return { host, log, order, synced, pending }
}

describe('order', () => {
  it('effects happen in the order asked', () => {
    const { log, order } = bench()
    order(send('a'), { kind: 'timer', name: 't', after: 5 }, say('b'), { kind: 'cancel', name: 't' })
    expect(log).toEqual(['send a', 'timer t 5', 'emit b', 'cancel t'])
  })

  it('an input given while another runs waits for its turn', () => {
    const bed = bench(puppet, { heard: event => event === 'one' && bed.order(send('second')) })
    bed.order(say('one'), send('first'))
    expect(bed.log).toEqual(['emit one', 'send first', 'send second'])
  })
})

describe('the save barrier', () => {
  it('what follows a save waits until it is durable; what came before does not', () => {
    const { host, log, order, synced } = bench()
    order(send('before'), save(1), send('promise'))
    expect(log).toEqual(['send before', 'save 1'])
    expect(host.waiting()).toBe(true)
    synced()
    expect(log).toEqual(['send before', 'save 1', 'send promise'])
    expect(host.waiting()).toBe(false)
  })

  it('it holds across turns: later turns see the saved state, so their words wait too', () => {
    const { log, order, synced } = bench()
    order(save(1))
    order(send('later turn'), { kind: 'timer', name: 't', after: 1 })
    expect(log).toEqual(['save 1'])
    synced()
    expect(log).toEqual(['save 1', 'send later turn', 'timer t 1'])
  })

  it('a second save waits for the first, and holds back what follows it', () => {
    const { log, order, synced, pending } = bench()
    order(save(1), send('a'), save(2), send('b'))
    order(send('c'))
    synced()
    expect(log).toEqual(['save 1', 'send a', 'save 2'])
    synced()
    expect(log).toEqual(['save 1', 'send a', 'save 2', 'send b', 'send c'])
    expect(pending).toEqual([])
  })

  it('a disk that is done at once changes nothing', () => {
    const { log, order } = bench(puppet, { instant: true })
    order(save(1), send('a'), save(2), { kind: 'snapshot', record: Uint8Array.of(3) }, send('b'))
    expect(log).toEqual(['save 1', 'send a', 'save 2', 'replace save 3', 'send b'])
  })

  it('a lazy save holds nothing back, and nobody waits for it', () => {
    const { host, log, order, pending } = bench()
    order(lazily(1), send('a'))
    expect(log).toEqual(['lazily 1', 'send a'])
    expect([host.waiting(), pending.length]).toEqual([false, 0])
  })

  it('a lazy save, too, waits for the saves before it: the log keeps the order of the turns', () => {
    const { log, order, synced } = bench()
    order(save(1), lazily(2), send('a'), save(3), send('b'))
    expect(log).toEqual(['save 1'])
    synced()
    expect(log).toEqual(['save 1', 'lazily 2', 'send a', 'save 3'])
    synced()
    expect(log.at(-1)).toBe('send b')
  })

  it('an account is begun by a save, lazy or not, and declared whole behind its last record, at no cost', () => {
    const { log, order, synced } = bench()
    order({ ...save(1), begins: true }, save(2), { kind: 'forget' }, send('a'), { ...lazily(3), begins: true })
    expect(log).toEqual(['begin save 1'])
    synced()
    expect(log).toEqual(['begin save 1', 'save 2'])
    synced()
    expect(log).toEqual(['begin save 1', 'save 2', 'forget ', 'send a', 'begin lazily 3'])
  })

  // A listener that answers an event at once, while the queue is being let go: its effects belong behind the queue.
  // Before it, a save of the new turn would reach the log ahead of an older one.
  it('an input given while a lane is let go comes after everything that was held back', () => {
    const bed = bench(puppet, { heard: event => event === 'out' && bed.order(save(9), send('new')) })
    bed.order(save(1), say('out'), save(2), send('old'))
    while (bed.pending.length > 0) bed.synced()
    expect(bed.log).toEqual(['save 1', 'emit out', 'save 2', 'send old', 'save 9', 'send new'])
  })

  it('very many effects held back are let go in order', () => {
    const { log, order, synced } = bench()
    order(save(1), save(2))
    for (let i = 0; i < 200_000; i++) order(send(`${i}`))
    synced()
    synced()
    expect(log.length).toBe(200_002)
    expect(log.at(-1)).toBe('send 199999')
  })
})

describe('lanes', () => {
  const node = compose(
    'node',
    { left: puppet, right: puppet },
    {
      wires: [{ from: 'left', to: 'right', turn: event => (event === 'go' ? [send('wired'), save(7)] : undefined) }],
    },
  )
  const both = () => {
    const bed = bench(node)
    const tell = (part: 'left' | 'right', ...body: Does) => bed.host.input({ kind: 'command', body: { part, body } })
    return { ...bed, tell }
  }

  it('a save holds back only its own lane', () => {
    const { log, tell, synced } = both()
    tell('left', save(1), send('left'))
    tell('right', send('right'))
    expect(log).toEqual(['save left1', 'send {"part":"right","body":"right"}'])
    synced()
    expect(log.at(-1)).toBe('send {"part":"left","body":"left"}')
  })

  it('what a part says in a lane of its own waits for none of its saves, its timers included', () => {
    const { log, tell, synced } = both()
    const free = (effect: Does[number]): Does[number] => ({ ...effect, lane: 'free' })
    tell('left', save(1), send('held'), free(say('told')), free({ kind: 'timer', name: 't', after: 5 }))
    tell('left', free(send('word')), free({ kind: 'cancel', name: 't' }), free(save(2)))
    expect(log).toEqual([
      'save left1',
      'emit {"part":"left","body":"told"}',
      'timer left/t 5',
      'send {"part":"left","body":"word"}',
      'cancel left/t',
    ])
    synced()
    // There is one lane to save in.
    expect(log.slice(5)).toEqual(['send {"part":"left","body":"held"}', 'save left2'])
  })

  it('an account is declared whole in its own lane', () => {
    const { log, tell } = both()
    tell('left', { ...lazily(1), begins: true }, { kind: 'forget' })
    expect(log).toEqual(['begin lazily left1', 'forget left'])
  })

  it('a wire gives its command only when the event is out, which is after what was saved before it', () => {
    const { log, tell, synced } = both()
    tell('left', save(1), say('go'))
    expect(log).toEqual(['save left1'])
    synced()
    expect(log.slice(1)).toEqual([
      'emit {"part":"left","body":"go"}',
      'send {"part":"right","body":"wired"}',
      'save right7',
    ])
  })

  it('an event that concerns nobody is only told', () => {
    const { log, tell } = both()
    tell('right', say('go'))
    expect(log).toEqual(['emit {"part":"right","body":"go"}'])
  })
})

describe('what is held back', () => {
  /** Says what it is told, saves a byte first, and passes on what it hears from itself. */
  const passing: Protocol<object, string, never, string> = {
    name: 'passing',
    init: () => ({}),
    step(_state, input, turn) {
      if (input.kind === 'timer') turn.do(send('by itself'))
      if (input.kind !== 'message') return
      turn.do(save(1))
      turn.do(send(input.body))
      if (input.body === 'to myself') turn.do({ kind: 'send', to: 'me', body: 'again' })
    },
  }

  function bench() {
    const held = new Map<string, number>()
    const changes: string[] = []
    const disk: (() => void)[] = []
    const host = createHost<object, string, never, string>(passing, 'me', [], NOTHING_SAVED, {
      now: () => 0,
      below: () => 0,
      bytes: length => new Uint8Array(length),
      send: (to, body) => to === 'me' && host.input({ kind: 'message', from: 'me', body }),
      timer() {},
      cancel() {},
      save: (_lane, _record, _kind, durable) => disk.push(durable!),
      forget() {},
      emit() {},
      held(peer, change) {
        changes.push(peer)
        held.set(peer, (held.get(peer) ?? 0) + change)
      },
    })
    const hear = (from: string, body: string) => host.input({ kind: 'message', from, body })
    return { host, held, changes, hear, synced: () => disk.shift()!() }
  }

  it('is added up for the peer from whose words it follows, as long as it waits', () => {
    const { held, hear, synced } = bench()
    hear('ann', 'first')
    const answer = held.get('ann')!
    expect(answer).toBeGreaterThan('first'.length)
    hear('eve', 'x'.repeat(1000))
    // Her record, and her answer behind it.
    expect(held.get('eve')).toBeGreaterThan(1001 + answer)
    expect(held.get('ann')).toBe(answer)
    synced()
    expect(held.get('ann')).toBe(0)
    synced()
    expect(held.get('eve')).toBe(0)
  })
  it('counts for the peer that began it, also where a node says it to itself', () => {
    const { held, changes, hear, synced } = bench()
    hear('ann', 'to myself')
    synced()
    hear('eve', 'in between')
    synced()
    synced()
    expect(new Set(changes)).toEqual(new Set(['ann', 'eve']))
    expect([...held.values()]).toEqual([0, 0])
  })
  it('counts for nobody where no word began it', () => {
    const { host, held, hear } = bench()
    hear('ann', 'first')
    const before = held.get('ann')
    host.input({ kind: 'timer', name: 'any' })
    expect([...held]).toEqual([['ann', before]])
  })
})

describe('the end', () => {
  it('a crash drops what was held back, and a late disk is not heard', () => {
    const { host, log, order, synced } = bench()
    order(save(1), send('never'))
    host.end()
    synced()
    order(send('nor this'))
    expect(log).toEqual(['save 1'])
    expect(host.waiting()).toBe(false)
    expect(host.state.steps).toBe(1)
  })

  it('a crash in the middle of a turn drops the rest of it', () => {
    const bed = bench(puppet, { heard: () => bed.host.end() })
    bed.order(say('fatal'), send('never'))
    expect(bed.log).toEqual(['emit fatal'])
  })

  it('a crash while a lane is let go drops the rest of it', () => {
    const bed = bench(puppet, { heard: () => bed.host.end() })
    bed.order(save(1), say('fatal'), send('never'))
    bed.synced()
    expect(bed.log).toEqual(['save 1', 'emit fatal'])
  })

  // A throw is a bug: half a step must not be promised to anybody, so the host ends itself.
  it('a throw in a step ends the host, and nothing of that step happens', () => {
    const clumsy: AnyProtocol = {
      name: 'clumsy',
      init: () => ({ steps: 0 }),
      step(_state, input, turn) {
        turn.do({ kind: 'send', to: 'peer', body: 'half a step' })
        if (input.kind === 'timer') throw new Error('a bug')
      },
    }
    const { host, log } = bench(clumsy)
    expect(() => host.input({ kind: 'timer', name: 'x' })).toThrow('a bug')
    host.input({ kind: 'start' })
    expect(log).toEqual([])
  })

  it('a turn that is kept and used later is a bug', () => {
    let kept: Turn<string, string> | undefined
    const hoarder: AnyProtocol = {
      name: 'hoarder',
      init: () => ({ steps: 0 }),
      step(_state, _input, turn) {
        kept = turn
      },
    }
    const { host } = bench(hoarder)
    host.input({ kind: 'start' })
    expect(() => kept!.do(send('late'))).toThrow('a turn was used after its step')
  })

  it('a disk that says twice that a record is durable is stopped: the second word would let go what waits for the next', () => {
    const { order, pending, log } = bench()
    order(save(1), save(2), send('promise'))
    const [first] = pending
    first!()
    expect(first).toThrow("a record of lane '' became durable twice")
    expect(log).toEqual(['save 1', 'save 2'])
  })

  it('a timer that is set to no time is a bug', () => {
    const { order } = bench()
    expect(() => order({ kind: 'timer', name: 'beat', after: Number.NaN })).toThrow("timer 'beat' is set to no time")
  })

  it('so does a broken invariant', () => {
    const strict: AnyProtocol = {
      ...puppet,
      check: state => {
        if (state.steps > 1) throw new Error('broken')
      },
    }
    const { log, order } = bench(strict)
    order(send('a'))
    expect(() => order(send('b'))).toThrow('broken')
    order(send('c'))
    expect(log).toEqual(['send a'])
  })
})
