import { describe, expect, it } from 'vitest'
import { handMadeTime, settled } from '../ports.fixture.ts'
import type { EventReader } from './event-channel.ts'
import { createEventChannel } from './event-channel.ts'

/** A channel that keeps few events, on time by hand. */
function openChannel(limits = { events: 3, characters: 1_000 }) {
  const time = handMadeTime()
  let series = 0
  let gone = 0
  const onReaderGone = () => {
    gone += 1
  }
  const newSeries = () => `s${++series}`
  const channel = createEventChannel({ timer: time.timer, newSeries, limits, onReaderGone })
  return { channel, time, gone: () => gone }
}

/** The next piece of a stream, each of its events as `id type`; `end` at the end. */
async function next(reading: EventReader): Promise<string[] | 'end'> {
  const { done, value } = await reading.next()
  if (done) return 'end'
  return value
    .split('\n\n')
    .filter(Boolean)
    .map(event => {
      const id = /^id: (.*)$/m.exec(event)?.[1] ?? ''
      return `${id} ${/^event: (.*)$/m.exec(event)?.[1] ?? event}`.trim()
    })
}

/** A stream whose first event was read. */
async function begun(channel: ReturnType<typeof openChannel>['channel'], lastEventId?: string) {
  const reading = channel.read(lastEventId)
  return { reading, first: await next(reading) }
}

describe('a channel', () => {
  it('sends what is added while it is read, several events in one piece', async () => {
    const { channel } = openChannel()
    channel.add('lead', '{"before":1}')
    const { reading, first } = await begun(channel)
    expect(first).toEqual(['s1-0 ready'])
    const waiting = next(reading)
    channel.add('lead', '{"n":1}')
    expect(await waiting).toEqual(['s1-1 lead'])
    channel.add('call', '{"n":2}')
    channel.add('clock', '{"n":3}')
    expect(await reading.next()).toEqual({
      done: false,
      value: 'id: s1-2\nevent: call\ndata: {"n":2}\n\nid: s1-3\nevent: clock\ndata: {"n":3}\n\n',
    })
  })

  it('keeps nothing while nobody reads', async () => {
    const { channel, time } = openChannel()
    expect(channel.isWatched()).toBe(false)
    channel.add('lead', '{}')
    expect((await begun(channel)).first).toEqual(['s1-0 ready'])
    expect(channel.isWatched()).toBe(true)
    expect(time.waiting()).toBe(1)
  })

  it('goes on after an id, without a gap, for a reader that comes back within a minute', async () => {
    const { channel, time } = openChannel()
    const { reading } = await begun(channel)
    channel.add('lead', '{}')
    await reading.return()
    await time.advance(59_999)
    channel.add('call', '{}')
    const back = await begun(channel, 's1-1')
    expect(back.first).toEqual(['s1-1 ready', 's1-2 call'])
  })

  it('starts anew a minute after its last reader, and resets one that knows the old ids', async () => {
    const { channel, time } = openChannel()
    await (await begun(channel)).reading.return()
    await time.advance(60_000)
    expect(channel.isWatched()).toBe(false)
    expect((await begun(channel, 's1-0')).first).toEqual(['s2-0 reset'])
  })

  it.each([
    ['the oldest event whose successors are all kept', 's1-1', ['s1-1 ready', 's1-2 lead', 's1-3 lead', 's1-4 lead']],
    ['one older', 's1-0', ['s1-4 reset']],
    ['the newest', 's1-4', ['s1-4 ready']],
    ['one that there never was', 's1-5', ['s1-4 reset']],
    ['one of another run', 's9-2', ['s1-4 reset']],
    ['no id of ours', 'x', ['s1-4 reset']],
  ])('resumes after %s', async (_, lastEventId, expected) => {
    const { channel } = openChannel()
    await begun(channel)
    for (let n = 0; n < 4; n++) channel.add('lead', '{}')
    expect((await begun(channel, lastEventId)).first).toEqual(expected)
  })

  it('drops a reader that fell behind what is kept, with a message, and keeps the others', async () => {
    const { channel, gone } = openChannel()
    const { reading: slow } = await begun(channel)
    const { reading: exact } = await begun(channel)
    const { reading: fast } = await begun(channel)
    channel.add('lead', '{}')
    await next(exact)
    for (let n = 0; n < 3; n++) channel.add('lead', '{}')
    expect(await next(slow)).toEqual(['dropped'])
    expect(await next(slow)).toBe('end')
    expect(await next(exact)).toEqual(['s1-2 lead', 's1-3 lead', 's1-4 lead'])
    expect(await next(fast)).toEqual(['dropped'])
    expect(gone()).toBe(2)
  })

  it('bounds what it keeps by its length too, but keeps the newest event', async () => {
    const { channel } = openChannel({ events: 100, characters: 300 })
    const { reading } = await begun(channel)
    for (let n = 0; n < 3; n++) channel.add('fault', `{"a":"${'x'.repeat(100)}"}`)
    expect(await next(reading)).toEqual(['dropped'])
    const { reading: other } = await begun(channel)
    channel.add('fault', `{"a":"${'x'.repeat(1_000)}"}`)
    expect(await next(other)).toEqual(['s1-4 fault'])
  })

  it('sends a comment where nothing happens, so that no proxy takes the stream for dead', async () => {
    const { channel, time } = openChannel()
    const { reading } = await begun(channel)
    const waiting = reading.next()
    await time.advance(15_000)
    expect(await waiting).toEqual({ done: false, value: ': still here\n\n' })
  })

  it('ends streams at once, the waiting ones too, behind what there is', async () => {
    const { channel, time } = openChannel()
    const { reading: waiting } = await begun(channel)
    const ended = next(waiting)
    await settled()
    const { reading: behind } = await begun(channel)
    channel.end()
    expect(await ended).toBe('end')
    expect(await next(behind)).toBe('end')
    expect(time.waiting()).toBe(0)
  })

  it('lets go of a reader that goes away while it waits, once', async () => {
    const { channel, gone } = openChannel()
    const { reading } = await begun(channel)
    const waiting = next(reading)
    await reading.return()
    await reading.return()
    expect(await waiting).toBe('end')
    expect(gone()).toBe(1)
  })
})
