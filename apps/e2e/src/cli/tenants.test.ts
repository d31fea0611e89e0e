import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSandboxClient } from '@lead-distribution/control-client'
import { describe, expect, it } from 'vitest'
import type { Account } from '../adapters/adapter.ts'
import { sandboxCli } from './sandbox-cli.ts'

const { cli, text, json, control, tenant, url } = sandboxCli()

describe('tenants', () => {
  it('creates one, shows it with its keys, lists all without them, and deletes it', async () => {
    const flags = ['--name', 'made', '--seed', '7', '--profile', 'formal', '--frozen-at', '2026-01-31T09:30:00Z']
    const made = await json<Account>('tenants', 'create', ...flags, '--callback-url', 'http://127.0.0.1:9/taken')
    expect(made).toMatchObject({ tenant: 'made', settings: { profile: 'formal' } })
    expect(made.publisher.callback_url).toBe('http://127.0.0.1:9/taken')
    expect(await (await fetch(`${url()}/_sandbox/v1/tenants/made/clock`)).json()).toMatchObject({ mode: 'frozen' })
    expect(await text('tenants', 'show', 'made')).toContain(made.publisher.api_key)
    const all = await text('tenants', 'list')
    expect(all).toContain('made')
    for (const secret of [made.publisher.api_key, ...made.advertisers.map(({ postback_secret }) => postback_secret)])
      expect(all).not.toContain(secret)
    expect(await text('tenants', 'delete', 'made', '--yes')).toBe('Deleted the tenant made.\n')
    expect((await fetch(`${url()}/_sandbox/v1/tenants/made`)).status).toBe(404)
  })

  it('creates one with given keys, and changes them', async () => {
    const callback_secret = `whsec_${btoa('0'.repeat(32))}`
    const key = (name: string) => `sandbox_pub_${name}_${'0'.repeat(16)}`
    const flags = ['--name', 'keyed', '--publisher-key', key('first'), '--callback-secret', callback_secret]
    const made = await json<Account>('tenants', 'create', ...flags)
    expect(made.publisher).toMatchObject({ api_key: key('first'), callback_secret })
    const set = ['publisher.api_key', key('second')].join('=')
    const changed = await json<Account>(
      'tenants',
      'change',
      'keyed',
      '--set',
      set,
      '--set',
      'advertisers.0.postback_secret=own',
    )
    expect([changed.publisher.api_key, changed.advertisers[0]?.postback_secret]).toEqual([key('second'), 'own'])
    const again = await cli(['tenants', 'create', '--publisher-key', key('second')])
    expect([again.code, again.stderr]).toEqual([
      1,
      expect.stringContaining('publisher.api_key: begins like another key'),
    ])
    expect(again.stderr).not.toContain('second')
    await text('tenants', 'delete', 'keyed', '--yes')
  })

  it('creates one with settings, and shows non-default ones', async () => {
    const lifecycle = '[{"event":"registration","after":"PT1M"}]'
    const printed = await text('tenants', 'create', '--set', 'gender=required', '--set', `lifecycle=${lifecycle}`)
    expect(printed.split('\n\n').at(-1)?.split('\n')).toEqual([
      'Settings that differ from the default profile',
      'setting    value',
      'gender     required',
      `lifecycle  ${lifecycle}`,
      '',
    ])
    expect(await cli(['tenants', 'create', '--set', 'nonsense=1'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('nonsense'),
    })
  })

  it('shows the criteria', async () => {
    const printed = await text('tenants', 'show')
    expect(printed).toMatch(/^blacklist +1 customer$/m)
    expect(printed).toMatch(/Product criteria\ncriterion +Personal loan +Discontinued loan\nmin_age +18 +18\n/)
    expect(printed).toMatch(/^loan_amount +500 to 10000 +3000 to 30000 +500 to 50000$/m)
    expect(printed).not.toContain('Settings that differ')
  })

  it('shows the tenant given by a flag, and generates a name by default', async () => {
    expect(await json('tenants', 'show')).toEqual(await control().show())
    expect(await text('tenants', 'create')).toMatch(/^tenant +t-/)
    expect(await json('tenants', 'list')).toMatchObject({ tenants: expect.arrayContaining([await control().show()]) })
  })
})

const allTenants = () => createSandboxClient({ baseUrl: url() }).listTenants()
const leads = async () => (await control().leads.list()).leads.length

it('requires --yes to delete a tenant without a terminal', async () => {
  await json('tenants', 'create', '--name', 'stays')
  const { code, stdout, stderr } = await cli(['tenants', 'delete', 'stays'])
  expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining('pass --yes')])
  expect(await text('tenants', 'delete', 'stays', '--yes')).toBe('Deleted the tenant stays.\n')
})

describe('snapshot and reset', () => {
  it('saves, lists, restores and deletes a snapshot', async () => {
    await json('snapshot', 'save', 'before')
    await json('submit')
    expect(await text('snapshot', 'list')).toContain('before')
    expect(await text('snapshot', 'restore', 'before')).toContain(`Restored the tenant ${tenant()} from`)
    expect(await leads()).toBe(0)
    expect(await json('snapshot', 'delete', 'before')).toEqual({ deleted: 'before' })
    expect(await json('snapshot', 'list')).toMatchObject({ snapshots: [{ name: 'before-restore' }] })
    await json('snapshot', 'delete', 'before-restore')
    expect(await text('snapshot', 'list')).toBe('No snapshots.\n')
    expect(await cli(['snapshot', 'restore', 'before'])).toMatchObject({ code: 1 })
  })

  it.each([
    ['snapshot', 'delete', '..'],
    ['faults', 'clear', '..'],
    ['tenants', 'delete', '..', '--yes'],
  ])('refuses a name that would resolve to another path, and deletes nothing: %s %s %j', async (...args) => {
    await json('snapshot', 'save', 'before')
    await control().faults.add({ match: { operation: 'callback' }, effect: { drop: true } })
    const [before, { tenants }] = [await control().show(), await allTenants()]
    const { code, stdout, stderr } = await cli(args)
    expect([code, stdout, stderr]).toEqual([
      2,
      '',
      expect.stringMatching(/^`[a-z_]+` must be .+ \(got "\.{0,2}"\)\.\n$/),
    ])
    expect([await control().show(), (await allTenants()).tenants.length]).toEqual([before, tenants.length])
    expect((await control().snapshots.list()).snapshots).toMatchObject([{ name: 'before' }])
    expect((await control().faults.list()).faults).toHaveLength(1)
  })
})

describe('coverage', () => {
  it('shows what was covered and how to cover the rest, and writes a report for build servers', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sandbox-coverage-'))
    try {
      await json('submit')
      const file = join(folder, 'coverage.xml')
      const printed = await text('coverage', '--origin', 'command-line', '--junit', file)
      expect(printed).toMatch(/outcome +distributed +1/)
      expect(printed).toMatch(/Seen: 1 of \d+\./)
      expect(readFileSync(file, 'utf8')).toContain('<testcase classname="coverage.outcome" name="distributed"')
      expect(await json('coverage')).toEqual(await control().coverage())
      expect(await cli(['coverage', '--junit', join(folder, 'none', 'x.xml')])).toMatchObject({ code: 1 })
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
})

describe('diagnose', () => {
  it('accepts a correct postback URL, and rejects a broken one', async () => {
    const { lead_id } = await json<{ lead_id: string }>('submit')
    const lead = await control().leads.show(lead_id)
    const postback = `${lead.deliveries[0]?.postback_url}&event=approved`
    expect(await text('diagnose', postback)).toMatch(/token +ok/)
    const { code, stdout, stderr } = await cli(['diagnose', postback.replace(/token=./, 'token=x'), '--json'])
    expect([code, stderr]).toEqual([1, expect.stringContaining('would report nothing')])
    expect(JSON.parse(stdout).findings).toContainEqual(expect.objectContaining({ check: 'token', verdict: 'wrong' }))
    expect(await control().leads.show(lead_id)).toMatchObject({ events: [] })
  })
})
