import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Account } from '@lead-distribution/control-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { launcher } from '../adapters/command-line.ts'
import { submissionOf } from '../adapters/tenant.ts'
import { sandboxCli } from './sandbox-cli.ts'

const { alone, cli, text, json, control, tenant } = sandboxCli()
const { run: launch } = launcher()
let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-account-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('tenants change', () => {
  it('changes fields by path and settings by name', async () => {
    const before = await control().show()
    const second = before.advertisers[1]?.advertiser_id ?? ''
    const edits = [
      'gender=required',
      'settings.duplicate_window=PT5M',
      'products.0.criteria.min_age=21',
      `advertisers.${second}.criteria.loan_amount={"min":1000,"max":2000}`,
      'blacklist=[{"email":"refused@example.com"}]',
    ]
    const after = await json<Account>('tenants', 'change', ...edits.flatMap(edit => ['--set', edit]))
    expect(after).toEqual(await control().show())
    expect(after.products[0]?.criteria).toEqual({ ...before.products[0]?.criteria, min_age: 21 })
    expect(after.advertisers[1]?.criteria).toMatchObject({ loan_amount: { min: 1000, max: 2000 } })
    expect(after.blacklist).toEqual([{ email: 'refused@example.com' }])
    expect(after.settings).toEqual({ ...before.settings, gender: 'required', duplicate_window: 'PT5M' })
    expect(after.publisher).toEqual(before.publisher)
  })

  it('accepts an account as shown, edited or not, and a part of one', async () => {
    const file = join(folder, 'account.json')
    const shown = await json<Account>('tenants', 'show')
    writeFileSync(file, JSON.stringify(shown, null, 2))
    expect(await json('tenants', 'change', '--file', file)).toEqual(shown)
    writeFileSync(file, JSON.stringify({ ...shown, blacklist: [{ phone: '600000000' }] }))
    expect(await json('tenants', 'change', tenant(), '--file', file)).toEqual({
      ...shown,
      blacklist: [{ phone: '600000000' }],
    })
    const { code, stdout } = await cli(['tenants', 'change', '--file', '-', '--json'], '{"blacklist":[]}')
    expect([code, JSON.parse(stdout).blacklist]).toEqual([0, []])
  })

  it('sets the callback URL, which a reset keeps and names', async () => {
    expect(await text('tenants', 'change', '--callback-url', 'http://127.0.0.1:9/cb')).toContain(
      'http://127.0.0.1:9/cb',
    )
    expect(await text('reset')).toBe(`Reset the tenant ${tenant()}. Its callbacks still go to http://127.0.0.1:9/cb\n`)
    expect((await json<Account>('tenants', 'change', '--callback-url', 'inbox')).publisher.callback_url).toContain(
      '/_sandbox/inbox/',
    )
  })

  it.each([
    [[], 2, 'Specify the change'],
    [['--set', 'products.7.active=false'], 2, '--set products.7.active is not a field'],
    [['--set', 'products..criteria.min_age=21'], 2, '--set products..criteria.min_age is not a field'],
    [['--set', 'products.0x0.criteria.min_age=21'], 2, '--set products.0x0.criteria.min_age is not a field'],
    [['--set', 'products.1e0.active=false'], 2, '--set products.1e0.active is not a field'],
    [['--set', 'products.first=1'], 2, '--set products.first is not a field'],
    [['--set', 'products.-1={}'], 2, '--set products.-1 is not a field'],
    [['--set', 'publisher.=x'], 2, '--set publisher. is not a field'],
    [['--set', 'colour=red'], 1, 'settings.colour: is unknown'],
    [['--callback-url', 'http://qa.example/'], 1, '--allow-callback-host qa.example'],
  ])('says what is wrong with %j', async (flags, exit, says) => {
    const { code, stdout, stderr } = await cli(['tenants', 'change', ...flags])
    expect([code, stdout, stderr]).toEqual([exit, '', expect.stringContaining(says)])
  })
})

describe('snapshot export and import', () => {
  it('export a tenant to a file and import it', async () => {
    const file = join(folder, 'before.ndjson')
    const { lead_id } = await json<{ lead_id: string }>('submit')
    await json('snapshot', 'save', 'before')
    expect(await text('snapshot', 'export', 'before', file)).toBe(`Exported the snapshot before to ${file}.\n`)
    expect(await text('snapshot', 'export', 'before')).toBe(readFileSync(file, 'utf8'))
    await json('reset')
    await json('snapshot', 'delete', 'before')
    expect(await json('snapshot', 'import', 'again', file)).toMatchObject({ name: 'again' })
    expect((await control().leads.list()).leads).toEqual([])
    expect(await text('snapshot', 'import', 'again', file, '--restore')).toContain(`from ${file}`)
    expect((await control().leads.list()).leads).toMatchObject([{ lead_id }])
  })
})

describe('coverage', () => {
  it('sums up tenants, and fails a build for what was not seen', async () => {
    await json('submit')
    const ofAll = ['coverage', '--all-tenants', '--prefix', tenant()]
    // What the command line did is not what your integration has seen.
    expect(await json(...ofAll)).toMatchObject({ tenants: 1, seen: 0 })
    const all = [...ofAll, '--origin', 'command-line']
    expect(await json(...all)).toMatchObject({ tenants: 1, seen: 1 })
    expect(
      await cli([...all, '--min', '1', '--require', 'distributed', '--require', 'outcome/distributed']),
    ).toMatchObject({ code: 0 })
    const { code, stdout, stderr } = await cli([...all, '--min', '80', '--require', 'distributed,age_restriction'])
    expect([code, stdout]).toEqual([1, expect.stringContaining('Seen: 1 of')])
    expect(stderr).toMatch(/^age_restriction was not seen\. .*\nCoverage is \d+ %, below --min 80 %\.\n$/)
  })

  it.each([
    [['--prefix', 'x'], '--prefix requires --all-tenants'],
    [['--require', 'nonsense'], "(got 'nonsense')"],
    [['--min', '101'], 'from 0 to 100'],
    [['--origin', 'me'], 'command-line'],
  ])('says what is wrong with %j', async (flags, says) => {
    expect(await cli(['coverage', ...flags])).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining(says),
    })
  })
})

describe('leads', () => {
  it('submits for an address, and explains by address, request and lead alike', async () => {
    const { lead_id } = await json<{ lead_id: string }>('submit', '--email', 'ana@example.com')
    const [call] = (await control().requests.list()).requests
    const [byId, byEmail, byCall] = await Promise.all(
      [lead_id, 'Ana@example.com', call?.request_id ?? ''].map(what => text('leads', 'explain', what)),
    )
    expect(byId).toContain(`Lead ${lead_id}`)
    expect([byEmail, byCall]).toEqual([byId, byId])
    expect(await cli(['submit', '-', '--email', 'ana@example.com'], '{}')).toMatchObject({ code: 1 })
    const [refused] = (await control().requests.list()).requests
    const explained = await text('leads', 'explain', refused?.request_id ?? '')
    expect(explained).toMatch(/^Request r\d+, submitLead, got 400, validation_error\./)
    expect(explained).toContain('Issues')
    expect(await text('logs', 'tail')).toContain(`${refused?.request_id}\n`)
  })

  it('filters by rejection reason, across all pages', async () => {
    for (const scenario of ['age_restriction', 'new', 'age_restriction', 'blacklisted'])
      await json('submit', '--scenario', scenario)
    const reasons = async (...flags: string[]) =>
      (await json<{ leads: { rejection_reason?: string }[] }>('leads', 'list', ...flags)).leads.map(
        lead => lead.rejection_reason,
      )
    expect(await reasons('--reason', 'age_restriction')).toEqual(['age_restriction', 'age_restriction'])
    expect(await reasons('--reason', 'age_restriction', '--limit', '1')).toEqual(['age_restriction'])
    expect(await reasons('--reason', 'fraud_suspected')).toEqual([])
  })
})

describe('a file of JSON', () => {
  const written = (name: string, ...parts: (string | Uint8Array)[]) => {
    const file = join(folder, name)
    writeFileSync(file, Buffer.concat(parts.map(part => Buffer.from(part as string))))
    return file
  }
  const latin1 = (text: string) => Buffer.from(text, 'latin1')
  const verbs = [
    ['submit'],
    ['explain'],
    ['leads', 'repro'],
    ['tenants', 'change', '--file'],
    ['snapshot', 'import', 'again'],
    ['repro', 'run'],
    ['start', '--port', '0', '--config'],
  ]
  const run = (verb: readonly string[], file: string) =>
    verb[0] === 'start' ? launch(...verb, file).exit : verb[0] === 'repro' ? alone(...verb, file) : cli([...verb, file])

  it.each(verbs.map(verb => [verb.join(' '), verb] as const))(
    'that is not UTF-8 is refused, with the byte: %s',
    async (_name, verb) => {
      for (const [file, says] of [
        [
          written('latin1.json', '{"a":"', latin1('Íñigo'), '"}'),
          'is not UTF-8: the byte at offset 6 is 0xCD. Save it as UTF-8.',
        ],
        [
          written('utf16.json', Buffer.from('\ufeff{}', 'utf16le')),
          'is not UTF-8: it starts with the byte order mark of UTF-16 LE. Save it as UTF-8.',
        ],
        [written('cut.json', '{"a":"', Buffer.from([0xef, 0xbf])), 'it ends within a character'],
      ] as const) {
        const { code, stdout, stderr } = await run(verb, file)
        expect([code, stdout, stderr]).toEqual([verb[0] === 'start' ? 2 : 1, '', expect.stringContaining(`${file} `)])
        expect(stderr).toContain(says)
      }
    },
  )

  it('with a byte order mark is read by every verb', async () => {
    const { lead_id } = await json<{ lead_id: string }>('submit')
    await json('snapshot', 'save', 'before')
    const account = await json<Account>('tenants', 'show')
    const marked = (name: string, text: string) => written(name, '\ufeff', text)
    const file = marked('lead.json', JSON.stringify(submissionOf(account, 'ana@example.com')))
    expect(await text('submit', file)).toContain('distributed')
    await text('explain', file)
    const repro = marked('repro.json', await text('leads', 'repro', lead_id))
    expect(await alone('repro', 'run', repro)).toMatchObject({ code: 0 })
    await text('leads', 'repro', file)
    expect(await json('tenants', 'change', '--file', marked('account.json', JSON.stringify(account)))).toEqual(account)
    await text('snapshot', 'import', 'again', marked('snapshot.json', await text('snapshot', 'export', 'before')))
    const { code, stderr } = await launch('start', '--config', marked('config.yaml', 'tenants:\n  - colour: red\n'))
      .exit
    expect([code, stderr]).toEqual([2, expect.stringContaining('config.yaml:2:5: tenants.0.')])
  })
})
