import { describe, expect, it } from 'vitest'
import { settled } from '../world.fixture.ts'
import { createGate } from './gate.ts'

/** A gate, and calls of it that end when they are told to; it notes what began and what ended. */
function watched() {
  const gate = createGate()
  const log: string[] = []
  const call = (way: 'pass' | 'alone', name: string) => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const ended = gate[way](async () => {
      log.push(`+${name}`)
      await promise
      log.push(`-${name}`)
      return name
    })
    return { end: resolve, ended }
  }
  return { gate, log, call }
}

describe('a gate', () => {
  it('lets calls through together, and answers what they answer', async () => {
    const { log, call } = watched()
    const [a, b] = [call('pass', 'a'), call('pass', 'b')]
    await settled()
    expect(log).toEqual(['+a', '+b'])
    a.end()
    b.end()
    expect(await Promise.all([a.ended, b.ended])).toEqual(['a', 'b'])
  })

  it('waits for the calls inside before it lets one be alone, and holds back those behind', async () => {
    const { log, call } = watched()
    const [a, alone, b] = [call('pass', 'a'), call('alone', 'x'), call('pass', 'b')]
    await settled()
    expect(log).toEqual(['+a'])
    a.end()
    await settled()
    expect(log).toEqual(['+a', '-a', '+x'])
    alone.end()
    await settled()
    b.end()
    await b.ended
    expect(log).toEqual(['+a', '-a', '+x', '-x', '+b', '-b'])
  })

  it('lets be alone one after the other', async () => {
    const { log, call } = watched()
    const calls = [call('alone', 'x'), call('alone', 'y'), call('pass', 'a')]
    for (const { end } of calls) end()
    await Promise.all(calls.map(({ ended }) => ended))
    expect(log.filter((_, index) => index < 4)).toEqual(['+x', '-x', '+y', '-y'])
  })

  it('is open again after a failure on either way', async () => {
    const { gate, call } = watched()
    const fail = async () => {
      throw new Error('It failed.')
    }
    await expect(gate.alone(fail)).rejects.toThrow('It failed.')
    await expect(gate.pass(fail)).rejects.toThrow('It failed.')
    const alone = call('alone', 'x')
    alone.end()
    expect(await alone.ended).toBe('x')
  })
})
