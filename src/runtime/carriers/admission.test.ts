import { afterEach, describe, expect, it, vi } from 'vitest'
import { Admission } from './admission.ts'
import { ANSWER_MS } from './carrier.ts'

afterEach(() => {
  vi.useRealTimers()
})

const SECOND = 1_000
const MINUTE = 60_000

function subject() {
  let now = 0
  const acts: string[] = []
  const answers: { resolve(): void; reject(error: Error): void }[] = []
  const admission = new Admission(() => now)
  return {
    admission,
    acts,
    answers,
    pass: (ms: number) => (now += ms),
    send: (name: string) =>
      admission.pass(name, {
        ask() {
          acts.push(`ask ${name}`)
          return new Promise<void>((resolve, reject) => answers.push({ resolve, reject }))
        },
        send: () => void acts.push(`send ${name}`),
      }),
  }
}

describe('whether a broker takes what is sent', () => {
  it('is asked with the first message under a name; those behind it wait for the same answer', async () => {
    const { send, acts, answers } = subject()
    const [first, second] = [send('a'), send('a')]
    expect(acts).toEqual(['ask a', 'send a'])
    answers[0]!.resolve()
    await Promise.all([first, second])
    expect(send('a')).toBeUndefined()
    send('b')
    expect(acts).toEqual(['ask a', 'send a', 'send a', 'ask b'])
  })

  it('after a no nothing is sent for a second; then it is asked again', async () => {
    const { send, acts, answers, pass, admission } = subject()
    const all = [send('a'), send('a'), send('a')]
    answers[0]!.reject(new Error('no'))
    for (const one of all) await expect(one).rejects.toThrow('no')
    pass(SECOND - 1)
    admission.forget()
    await expect(send('a')).rejects.toThrow('no')
    expect(acts).toEqual(['ask a', 'send a', 'send a'])
    pass(1)
    const again = send('a')
    expect(acts.at(-1)).toBe('ask a')
    answers[1]!.resolve()
    await again
    expect(send('a')).toBeUndefined()
  })

  it('is believed for a minute, and not on another connection', async () => {
    const { send, acts, answers, pass, admission } = subject()
    const first = send('a')
    answers[0]!.resolve()
    await first
    pass(MINUTE - 1)
    send('a')
    pass(1)
    send('a')
    expect(acts).toEqual(['ask a', 'send a', 'ask a'])
    admission.forget()
    send('a')
    expect(acts.at(-1)).toBe('ask a')
  })

  it('is remembered for a thousand names', async () => {
    const { send, acts, answers } = subject()
    for (let n = 0; n <= 1_000; n++) send(`${n}`)
    for (const one of answers) one.resolve()
    await Promise.resolve()
    acts.length = 0
    for (const name of ['1000', '1', '0']) send(name)
    expect(acts).toEqual(['send 1000', 'send 1', 'ask 0'])
  })

  it('is not known of what cannot be sent at all', () => {
    const { send, acts, admission } = subject()
    const ask = () => {
      throw new Error('too large')
    }
    expect(() => admission.pass('a', { ask, send: () => {} })).toThrow('too large')
    send('a')
    expect(acts).toEqual(['ask a'])
  })

  it('is not waited for without end, and not asked again where nobody answers', async () => {
    vi.useFakeTimers()
    const { send, acts, answers, pass, admission } = subject()
    let passed = false
    const first = send('a')?.then(() => (passed = true))
    await vi.advanceTimersByTimeAsync(ANSWER_MS - 1)
    expect(passed).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(passed).toBe(true)
    pass(2 * MINUTE)
    send('a')
    expect(acts).toEqual(['ask a', 'send a'])
    // It speaks at last.
    answers[0]!.reject(new Error('no'))
    await first
    pass(SECOND)
    send('a')
    expect(acts.at(-1)).toBe('ask a')
    // Whoever waits when the connection is closed waits no more, and no timer does.
    const last = send('a')
    admission.close()
    await last
    expect(vi.getTimerCount()).toBe(0)
  })
})
