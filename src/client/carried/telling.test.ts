import { describe, expect, it, vi } from 'vitest'
import { FedSubscription } from './subscribing.ts'
import { tellerOf } from './telling.ts'

const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})

const NOTHING = () => {}

describe('news of a channel', () => {
  it('goes to who listens, and warns nobody', () => {
    const news: unknown[] = []
    tellerOf('prices', one => news.push(one))({ kind: 'failed', error: new Error('bad') })
    expect(news).toHaveLength(1)
    expect(warned).not.toHaveBeenCalled()
  })

  it('that must not be swallowed is warned of once where nobody listens', () => {
    const tell = tellerOf('prices', undefined)
    for (let n = 0; n < 3; n++) {
      tell({ kind: 'failed', error: new Error('bad') })
      tell({ kind: 'carrier', url: 'nats://a', is: 'refusing', why: 'not allowed' })
      tell({ kind: 'epoch', number: 2, isParty: true })
    }
    expect(warned.mock.calls.map(([sentence]) => sentence)).toEqual([
      "Channel 'prices' failed, or its handler threw: Error: bad. With `told` you hear of each.",
      "Channel 'prices': nats://a refuses: not allowed. With `told` you hear of each.",
    ])
  })

  it('has what a handler returned that it can hardly mean, once', async () => {
    warned.mockClear()
    const asked = { filter: { $any: [[]] }, signal: undefined, handler: () => () => 1 }
    const subscription = new FedSubscription<number>(
      asked,
      () => {},
      () => {},
    )
    for (const n of [1, 2]) subscription.push(n)
    await subscription.done()
    expect(warned).toHaveBeenCalledOnce()
    expect(String(warned.mock.calls[0]?.[0])).toContain('returned a function')
  })

  it('that the channel has ended is told by the signal of who was not closed before', () => {
    const open = () => new FedSubscription<number>(asked, NOTHING, NOTHING)
    const asked = { filter: { $any: [[]] }, signal: undefined, handler: NOTHING }
    const [one, closed] = [open(), open()]
    void closed.close()
    for (const feed of [one, closed]) feed.fail(new Error('it has ended'))
    expect([one.signal.reason, closed.signal.aborted]).toEqual([new Error('it has ended'), false])
  })
})
