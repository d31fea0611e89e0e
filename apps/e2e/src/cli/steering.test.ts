import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { launcher } from '../adapters/command-line.ts'
import { freePort } from '../adapters/sockets.ts'
import { sandboxCli } from './sandbox-cli.ts'

interface Entry {
  outcome: string
  status: number
}

interface Fault {
  fault_id: string
  match: object
  effect: object
}

const { alone, cli, follow, followAlone, text, json, control } = sandboxCli()
const { start: launch } = launcher()

describe('clock', () => {
  it('freezes, sets, advances and resumes', async () => {
    const now = '2035-01-01T00:00:00.000Z'
    expect(await json('clock', 'freeze')).toMatchObject({ mode: 'frozen' })
    expect(await text('clock', 'set', '2035-01-01T00:00:00Z')).toBe('2035-01-01 00:00:00 UTC, frozen\n')
    expect(await control().clock.show()).toEqual({ mode: 'frozen', now })
    expect(await json('clock', 'show')).toEqual({ mode: 'frozen', now })
    expect(await json('clock', 'advance', '24h')).toMatchObject({ now: '2035-01-02T00:00:00.000Z', executed: 0 })
    expect(await text('clock', 'advance', 'PT90S')).toContain('2035-01-02 00:01:30 UTC')
    await text('clock', 'resume')
    expect(await control().clock.show()).toMatchObject({ mode: 'running' })
  })
})

describe('faults', () => {
  it('adds them, lists them with their counts, and clears one or all', async () => {
    const first = await json<Fault>(
      'faults',
      'add',
      'submitLead',
      '--status',
      '503',
      '--retry-after',
      '2',
      '--times',
      '1',
    )
    await text('faults', 'add', 'callback', '--delay', '5s', '--after', '1', '--probability', '0.5')
    const { faults } = await control().faults.list()
    expect(faults).toMatchObject([
      { match: { operation: 'submitLead' }, effect: { status: 503, retry_after: 2 }, times: 1 },
      { match: { operation: 'callback' }, effect: { delay: 'PT5S' }, after: 1, probability: 0.5 },
    ])
    expect(await cli(['submit'])).toMatchObject({ code: 1 })
    expect(await json('submit')).toMatchObject({ status: 'distributed' })
    expect(await json('faults', 'list')).toMatchObject({ faults: [{ matched: 2, acted: 1 }, { acted: 0 }] })
    expect(await json('faults', 'clear', first.fault_id)).toEqual({ cleared: 1 })
    expect(await text('faults', 'clear')).toBe('Faults removed: 1.\n')
    expect(await text('faults', 'list')).toBe('No faults.\n')
  })

  it('have a flag for each effect', async () => {
    const flags: [flag: string, effect: object][] = [
      ['submitLead --latency-ms 0', { latency_ms: 0 }],
      ['submitLead --timeout', { timeout: true }],
      ['reportEvent --reset', { reset: true }],
      ['reportStatus --malformed', { malformed: true }],
      ['submitLead --lost-reply', { lost_reply: true }],
      ['callback --drop', { drop: true }],
      ['callback --duplicate 1', { duplicate: 1 }],
      ['callback --reorder', { reorder: true }],
    ]
    const set = await Promise.all(flags.map(([flag]) => json<Fault>('faults', 'add', ...flag.split(' '))))
    expect(set.map(({ effect }) => effect)).toEqual(flags.map(([, effect]) => effect))
  })

  it('adds a fault from a preset, and lists the presets', async () => {
    expect(await json('faults', 'preset', 'rate-limited', '--times', '3')).toMatchObject({
      match: { operation: 'submitLead' },
      effect: { status: 429, retry_after: 3 },
      times: 3,
    })
    expect(await text('faults', 'preset')).toMatch(/rate-limited +--times --seconds +The next 2 submissions get a 429/)
  })
})

describe('settings', () => {
  it('sets several at once, as JSON or as text', async () => {
    expect(await text('settings', 'set', 'gender=required', 'callback_retries=["PT1S"]')).toContain('["PT1S"]')
    const { settings } = await control().show()
    expect(settings).toMatchObject({ gender: 'required', callback_retries: ['PT1S'] })
    expect(await json('settings', 'show')).toEqual(settings)
    expect(await json('settings', 'set', 'profile=formal')).toMatchObject({ profile: 'formal', gender: 'required' })
    expect(await text('settings', 'show')).toMatch(/duplicate_window +PT60S/)
  })
})

describe('logs', () => {
  it('prints requests by status and operation, oldest first, and ends in a pipe', async () => {
    const { lead_id } = await json<{ lead_id: string }>('submit')
    await cli(['submit', '-', '--no-fill'], '{}')
    const lines = (await text('logs', 'tail')).trim().split('\n')
    expect(lines).toMatchObject([expect.stringContaining('distributed'), expect.stringContaining('validation_error')])
    expect(await json('logs', 'tail', '--status', '4xx')).toMatchObject({ status: 400, operation: 'submitLead' })
    expect(await json('logs', 'tail', '--lead', lead_id, '--operation', 'submitLead')).toMatchObject({ lead_id })
    expect(await json('logs', 'tail', '--limit', '1')).toMatchObject({ status: 400 })
  })

  it('finds requests whose connection was cut', async () => {
    await cli(['faults', 'add', 'submitLead', '--lost-reply', '--times', '1'])
    await cli(['submit'])
    await cli(['submit'])
    expect(await json('logs', 'tail', '--status', 'cut')).toMatchObject({ status: 0, broken: 'cut' })
    expect(await text('logs', 'tail', '--status', 'withheld')).toBe('')
  })

  it('follows requests across a reset, one JSON object per line, and exits with 0 on Ctrl-C', async () => {
    const { entries, stop } = follow<Entry>('logs', 'tail')
    const outcomes = () => entries().map(({ outcome }) => outcome)
    await text('submit')
    await expect.poll(outcomes).toEqual(['distributed'])
    await json('submit', '--scenario', 'age_restriction')
    await expect.poll(outcomes).toEqual(['distributed', 'rejected'])
    await text('reset')
    await json('submit', '--scenario', 'new')
    await expect.poll(outcomes).toEqual(['distributed', 'rejected', 'new'])
    expect(await stop()).toMatchObject({ code: 0, stderr: '' })
  })

  it('follows only matching requests', async () => {
    const rejected = follow<Entry>('logs', 'tail', '--status', '4xx', '--limit', '1')
    const { lead_id } = await json<{ lead_id: string }>('submit')
    const ofLead = follow<Entry>('logs', 'tail', '--lead', lead_id.toUpperCase(), '--operation', 'submitLead')
    await expect.poll(ofLead.entries).toMatchObject([{ outcome: 'distributed' }])
    await control().leads.trigger(lead_id, { event: 'approved' })
    await cli(['submit', '-', '--no-fill'], '{}')
    await expect.poll(rejected.entries).toMatchObject([{ status: 400 }])
    expect(ofLead.entries()).toHaveLength(1)
    await Promise.all([rejected.stop(), ofLead.stop()])
  })

  it('follows requests across a restart of the sandbox', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tail-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const flags = ['--port', String(await freePort()), '--data', join(folder, 'sandbox.db')]
    const first = await launch(...flags)
    const ofSandbox = ['--sandbox', first.url]
    const { entries, stop } = followAlone<Entry>('logs', 'tail', ...ofSandbox)
    await alone('submit', ...ofSandbox)
    await expect.poll(entries).toMatchObject([{ outcome: 'distributed' }])
    first.child.kill('SIGTERM')
    await first.exit
    await launch(...flags)
    await alone('submit', '--scenario', 'age_restriction', ...ofSandbox)
    await expect.poll(entries).toMatchObject([{ outcome: 'distributed' }, { outcome: 'rejected' }])
    expect(await stop()).toMatchObject({ code: 0, stderr: '' })
  })
})
