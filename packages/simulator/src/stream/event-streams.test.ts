import { describe, expect, it } from 'vitest'
import { manualTime, settled } from '../ports.fixture.ts'
import { createEventStreams, type EventReader, maxStreams } from './event-streams.ts'

/** The size of a stream's buffer. */
const kept = 4_096

/** A tenant's streams, with a manual clock. */
function openStreams() {
  const time = manualTime()
  const streams = createEventStreams({ timer: time.timer, clock: time.clock, show: () => ({}) })
  const add = (type: string, more: object = {}) => streams.add([{ type, tenant: 'qa', ...more }])
  const read = (lastEventId?: string) => streams.read('qa', lastEventId) ?? expect.unreachable()
  const addMany = (count: number) => {
    for (let n = 0; n < count; n++) add('lead')
  }
  return { streams, add, addMany, read, time }
}

/** Returns the events in a chunk of a stream, each as `id type`. Removes the prefix of the sandbox's run from ids. */
function eventsIn(text: string): string[] {
  return text
    .split('\n\n')
    .filter(Boolean)
    .map(event => {
      const id = /^id: [^-]+-(.*)$/m.exec(event)?.[1] ?? ''
      return `${id} ${/^event: (.*)$/m.exec(event)?.[1] ?? event}`.trim()
    })
}

/** Returns the next chunk of a stream, or `end`. */
async function next(reader: EventReader): Promise<string[] | 'end'> {
  const { done, value } = await reader.next()
  return done ? 'end' : eventsIn(value)
}

/** Starts a reader and reads its first chunk. Returns the full id of the last event too. */
async function begun({ read }: ReturnType<typeof openStreams>, lastEventId?: string) {
  const reader = read(lastEventId)
  const { value = '' } = await reader.next()
  return { reader, first: eventsIn(value), id: [...value.matchAll(/^id: (.*)$/gm)].at(-1)?.[1] ?? '' }
}

describe('a stream', () => {
  it('sends events as they are added, several in one chunk', async () => {
    const opened = openStreams()
    opened.add('lead', { before: 1 })
    const { reader, first } = await begun(opened)
    expect(first).toEqual(['1-0 ready'])
    const waiting = next(reader)
    opened.add('lead')
    expect(await waiting).toEqual(['1-1 lead'])
    opened.add('request', { n: 2 })
    opened.add('clock', { n: 3 })
    const { value } = await reader.next()
    expect(value.replaceAll(/^id: [^-]+-/gm, 'id: ')).toBe(
      'id: 1-2\nevent: request\ndata: {"type":"request","tenant":"qa","n":2}\n\nid: 1-3\nevent: clock\ndata: {"type":"clock","tenant":"qa","n":3}\n\n',
    )
  })

  it('stores nothing without readers', async () => {
    const opened = openStreams()
    expect(opened.streams.isWatched('qa')).toBe(false)
    opened.add('lead')
    expect((await begun(opened)).first).toEqual(['1-0 ready'])
    expect([opened.streams.isWatched('qa'), opened.streams.isWatched('other')]).toEqual([true, false])
    expect(opened.time.waiting()).toBe(1)
  })

  it('resumes after an id, without a gap, for a reader that reconnects within a minute', async () => {
    const opened = openStreams()
    const { reader } = await begun(opened)
    opened.add('lead')
    const { value } = await reader.next()
    const id = /^id: (.*)$/m.exec(value)?.[1] ?? ''
    await reader.return()
    await opened.time.advance(59_999)
    opened.add('request')
    expect((await begun(opened, id)).first).toEqual(['1-1 ready', '1-2 request'])
  })

  it('starts over a minute after its last reader, and resets a reader with old ids', async () => {
    const opened = openStreams()
    const { reader, id } = await begun(opened)
    await reader.return()
    await opened.time.advance(60_000)
    expect(opened.streams.isWatched('qa')).toBe(false)
    expect((await begun(opened, id)).first).toEqual(['2-0 reset'])
  })

  it.each([
    ['the oldest id without a gap after it', '1-4', ['1-4 ready', '1-5 lead']],
    ['one older', '1-3', [`1-${kept + 4} reset`]],
    ['the newest', `1-${kept + 4}`, [`1-${kept + 4} ready`]],
    ['an id that was never assigned', `1-${kept + 5}`, [`1-${kept + 4} reset`]],
    ['an id of another run', '9-5', [`1-${kept + 4} reset`]],
    ['no number', '1-x', [`1-${kept + 4} reset`]],
  ])('resumes after %s', async (_, number, expected) => {
    const opened = openStreams()
    const { id } = await begun(opened)
    opened.addMany(kept + 4)
    const { first } = await begun(opened, id.replace('1-0', number))
    expect(first.slice(0, 2)).toEqual(expected)
  })

  it('sends one reset to a reader that fell behind the buffer, then continues; other readers miss nothing', async () => {
    const opened = openStreams()
    const { reader: slow } = await begun(opened)
    const { reader: exact } = await begun(opened)
    opened.add('lead')
    await next(exact)
    opened.addMany(kept)
    const { value } = await slow.next()
    expect(value.replace(/^id: [^-]+-/, 'id: ')).toBe(
      `id: 1-${kept + 1}\nevent: reset\ndata: {"type":"reset","reason":"Events after your last id are gone. Reload."}\n\n`,
    )
    expect(await next(exact)).toHaveLength(kept)
    opened.add('request')
    expect([await next(slow), await next(exact)]).toEqual([[`1-${kept + 2} request`], [`1-${kept + 2} request`]])
    expect(opened.streams.readers()).toBe(2)
  })

  it("bounds the buffer's length too, but keeps the newest event", async () => {
    const opened = openStreams()
    const { reader } = await begun(opened)
    const more = { text: 'x'.repeat(700_000) }
    for (let n = 0; n < 3; n++) opened.add('fault', more)
    expect(await next(reader)).toEqual(['1-3 reset'])
    opened.add('fault', { text: 'x'.repeat(2_000_001) })
    expect(await next(reader)).toEqual(['1-4 fault'])
  })

  it("sends a heartbeat comment while idle, so that proxies don't close the connection", async () => {
    const opened = openStreams()
    const { reader } = await begun(opened)
    const waiting = reader.next()
    await opened.time.advance(15_000)
    expect(await waiting).toEqual({ done: false, value: ': still here\n\n' })
  })

  it('ends at once when its tenant is deleted, after sending the rest to waiting readers', async () => {
    const opened = openStreams()
    const { reader: waiting } = await begun(opened)
    const ended = next(waiting)
    const { reader: behind } = await begun(opened)
    await settled()
    opened.add('tenant')
    opened.streams.remove('qa')
    expect([await ended, await next(waiting)]).toEqual([['1-1 tenant'], 'end'])
    expect([await next(behind), await next(behind)]).toEqual([['1-1 tenant'], 'end'])
    expect([opened.time.waiting(), opened.streams.readers()]).toEqual([0, 0])
  })

  it('releases a reader that disconnects while it waits, once', async () => {
    const opened = openStreams()
    const { reader } = await begun(opened)
    await begun(opened)
    const waiting = next(reader)
    await reader.return()
    await reader.return()
    expect(await waiting).toBe('end')
    expect(opened.streams.readers()).toBe(1)
  })

  it('has a bounded number of readers, including ended ones that have not read the end', async () => {
    const opened = openStreams()
    const readers = Array.from({ length: maxStreams }, () => opened.read())
    expect(opened.streams.read('qa')).toBeUndefined()
    expect(opened.streams.read('other')).toBeDefined()
    opened.streams.remove('qa')
    expect(opened.streams.read('qa')).toBeUndefined()
    await readers[0]?.next()
    expect(opened.streams.read('qa')).toBeDefined()
  })
})
