import { describe, expect, it } from 'vitest'
import { launcher } from '../adapters/command-line.ts'

const { run, start } = launcher()

describe('wrong usage', { timeout: 30_000 }, () => {
  it.each([
    ['an unknown flag', ['start', '--colour', 'red'], /colour/],
    ['an unknown command', ['stop'], /stop/],
    ['a word too much', ['start', 'now'], /argument/],
    ['a port that is no number', ['start', '--port', 'x'], /port/i],
    ['a port that is too high', ['start', '--port', '65536'], /65535/],
    ['a port below zero', ['start', '--port', '-1'], /65535/],
    ['a seed that is no number', ['start', '--seed', 'x'], /whole number/],
    ['a profile that is not there', ['start', '--profile', 'legal'], /prose/],
    ['a flag without its value', ['start', '--data'], /data/],
    ['a host that others reach, without a token', ['start', '--port', '0', '--host', '0.0.0.0'], /--admin-token/],
    [
      'an address that is not this machine’s',
      ['start', '--port', '0', '--host', '192.0.2.1', '--admin-token', 't'],
      /--host/,
    ],
  ])('%s ends with 2 and says what to do', async (_title, args, words) => {
    const { code, stderr, stdout } = await run(...args).exit
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(words)
    expect(stderr).not.toContain('    at ')
  })

  it('a port that is taken ends with 2 and says so', async () => {
    const server = await start()
    const { code, stderr } = await run('start', '--port', new URL(server.url).port).exit
    expect([code, stderr]).toEqual([2, expect.stringContaining('--port')])
  })

  it('help ends with 0', async () => {
    const { code, stdout } = await run('start', '--help').exit
    expect([code, stdout]).toEqual([0, expect.stringContaining('--admin-token')])
  })
})
