import { describe, expect, it } from 'vitest'
import { settled } from '../ports.fixture.ts'
import { createReadWriteLock } from './locks.ts'

/** A lock, and work under it that the test controls. Records starts and ends. */
function watched() {
  const lock = createReadWriteLock()
  const log: string[] = []
  const call = (way: 'shared' | 'exclusive', name: string) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const ended = lock[way](async () => {
      log.push(`+${name}`)
      await promise
      log.push(`-${name}`)
      return name
    })
    return { end: resolve, ended }
  }
  return { lock, log, call }
}

describe('a lock', () => {
  it('runs shared work concurrently, and resolves to its results', async () => {
    const { log, call } = watched()
    const [a, b] = [call('shared', 'a'), call('shared', 'b')]
    await settled()
    expect(log).toEqual(['+a', '+b'])
    a.end()
    b.end()
    expect(await Promise.all([a.ended, b.ended])).toEqual(['a', 'b'])
  })

  it('waits for shared work before exclusive work, and makes later work wait', async () => {
    const { log, call } = watched()
    const [a, exclusive, b] = [call('shared', 'a'), call('exclusive', 'x'), call('shared', 'b')]
    await settled()
    expect(log).toEqual(['+a'])
    a.end()
    await settled()
    expect(log).toEqual(['+a', '-a', '+x'])
    exclusive.end()
    await settled()
    b.end()
    await b.ended
    expect(log).toEqual(['+a', '-a', '+x', '-x', '+b', '-b'])
  })

  it('runs exclusive work one after the other', async () => {
    const { log, call } = watched()
    const calls = [call('exclusive', 'x'), call('exclusive', 'y'), call('shared', 'a')]
    for (const { end } of calls) end()
    await Promise.all(calls.map(({ ended }) => ended))
    expect(log.filter((_, index) => index < 4)).toEqual(['+x', '-x', '+y', '-y'])
  })

  it('is released after a failure of either kind', async () => {
    const { lock, call } = watched()
    const fail = async () => {
      throw new Error('It failed.')
    }
    await expect(lock.exclusive(fail)).rejects.toThrow('It failed.')
    await expect(lock.shared(fail)).rejects.toThrow('It failed.')
    const exclusive = call('exclusive', 'x')
    exclusive.end()
    expect(await exclusive.ended).toBe('x')
  })
})
