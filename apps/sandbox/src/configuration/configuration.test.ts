import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Account, createSandboxClient } from '@lead-distribution/control-client'
import { demoAccount } from '@lead-distribution/simulator'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type ServerOptions, startServer } from '../server.ts'
import { type Configuration, configurationSchema } from './configuration.ts'
import { readConfiguration } from './read-configuration.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'configuration-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Runs a test against a server, then closes it. */
async function onServer<Result>(
  options: ServerOptions,
  look: (client: ReturnType<typeof createSandboxClient>) => Promise<Result>,
): Promise<Result> {
  const server = await startServer({ port: 0, logLevel: 'silent', ...options })
  try {
    return await look(createSandboxClient({ baseUrl: server.url, adminToken: options.adminToken }))
  } finally {
    await server.close()
  }
}

/** Creates a file with this text. */
function fileOf(text: string, name = 'lead-sandbox.yaml'): string {
  const file = join(folder, name)
  writeFileSync(file, text)
  return file
}

const product_id = demoAccount.active_product_id
const configuration: Configuration = {
  tenants: [
    {
      name: 'demo',
      callback_url: 'http://127.0.0.1:3000/callbacks',
      products: [{ product_id, criteria: { min_age: 21 } }],
      blacklist: [{ email: 'no@example.com' }],
    },
    {
      name: 'qa',
      profile: 'formal',
      settings: { gender: 'required' },
      advertisers: [{ advertiser_id: '30000000-0000-4000-8000-00000000000a', name: 'Fourth' }],
      faults: [{ match: { operation: 'submitLead' }, effect: { status: 503 }, times: 1 }],
      clock: { set: '2035-01-01T00:00:00Z' },
    },
  ],
}

describe('a configuration', () => {
  it('creates the tenants that are missing and updates the others', async () => {
    await onServer({ configuration }, async client => {
      const demo = await client.control('demo').show()
      expect(demo).toMatchObject({
        publisher: { callback_url: 'http://127.0.0.1:3000/callbacks', api_key: demoAccount.publisher_key },
        blacklist: [{ email: 'no@example.com' }],
      })
      expect(demo.products[0]?.criteria).toMatchObject({ min_age: 21, max_age: 75 })
      const qa = client.control('qa')
      expect((await qa.show()).settings).toMatchObject({ profile: 'formal', gender: 'required' })
      expect((await qa.show()).advertisers.map(({ name }) => name)).toContain('Fourth')
      expect((await qa.faults.list()).faults).toMatchObject([{ times: 1, acted: 0 }])
      expect((await qa.clock.show()).now).toMatch(/^2035-01-01T00:00:/)
    })
  })

  it('changes nothing on a second start except to restore edited settings', async () => {
    const data = join(folder, 'sandbox.db')
    const first = await onServer({ data, configuration }, async client => {
      const qa = client.control('qa')
      await qa.clock.advance({ by: 'PT1H' })
      await client.control('demo').update({ products: [{ product_id, criteria: { min_age: 30 } }] })
      return {
        account: await qa.show(),
        faults: await qa.faults.list(),
        demo: (await client.control('demo').show()).publisher,
      }
    })
    await onServer({ data, configuration }, async client => {
      const qa = client.control('qa')
      expect(keysOf(await qa.show())).toEqual(keysOf(first.account))
      expect(await qa.faults.list()).toEqual(first.faults)
      expect((await qa.clock.show()).now).toMatch(/^2035-01-01T01:00:/)
      const demo = await client.control('demo').show()
      expect([demo.publisher.api_key, demo.products[0]?.criteria.min_age]).toEqual([first.demo.api_key, 21])
    })
  })

  it('has fixed keys and secrets that survive a reset, a restart and a new machine', async () => {
    const zeros = '0'.repeat(16)
    const credentials = (name: string) => ({
      publisher: { api_key: `sandbox_pub_${name}_${zeros}`, callback_secret: `whsec_${btoa(zeros + zeros)}` },
      advertisers: [
        {
          advertiser_id: '30000000-0000-4000-8000-00000000000a',
          name: 'Of the team',
          api_key: `sandbox_adv_${name}_${zeros}`,
          postback_secret: 'of the team',
        },
      ],
    })
    const configuration = {
      tenants: [
        { name: 'demo', ...credentials('first') },
        { name: 'qa', ...credentials('second') },
      ],
    }
    const look = (client: ReturnType<typeof createSandboxClient>) =>
      Promise.all(
        ['demo', 'qa'].map(async name => {
          const [before, after] = [await client.control(name).show(), await client.control(name).reset()]
          expect(after).toEqual(before)
          const { api_key, callback_secret } = after.publisher
          const { advertiser_id, name: label, api_key: key, postback_secret } = after.advertisers.at(-1) ?? {}
          const advertisers = [{ advertiser_id, name: label, api_key: key, postback_secret }]
          return { name, publisher: { api_key, callback_secret }, advertisers }
        }),
      )
    const data = join(folder, 'sandbox.db')
    for (const options of [{ data, configuration }, { data }, { data, configuration }, { configuration }])
      expect(await onServer(options, look)).toEqual(configuration.tenants)
  })

  it('is refused with the position of a key that another tenant has', async () => {
    const key = `sandbox_pub_demo_${'0'.repeat(16)}`
    const file = fileOf(`tenants:\n  - name: qa\n    publisher:\n      api_key: ${key}\n`)
    const { configuration, located } = await readConfiguration(file)
    const error = await onServer({ configuration }, async () => undefined).catch(located)
    expect((error as Error).message).toContain('lead-sandbox.yaml:4:7: tenants.0.publisher.api_key begins like another')
  })

  it('is applied even if the control plane requires a token', async () => {
    const adminToken = 't0ken-of-the-team'
    const { tenants } = await onServer(
      { configuration: { tenants: [{ name: 'demo' }, { name: 'qa' }] }, adminToken },
      client => client.listTenants(),
    )
    expect(tenants.map(({ tenant }) => tenant)).toEqual(['demo', 'qa'])
  })

  it('works as documented in its example', async () => {
    const page = readFileSync(new URL('../../../../docs/sandbox/configuration.md', import.meta.url), 'utf8')
    const [, block = ''] = /```yaml\n(.*?)```/s.exec(page) ?? []
    const { configuration } = await readConfiguration(fileOf(block))
    const { tenants } = await onServer({ configuration }, client => client.listTenants())
    expect(tenants.map(({ tenant }) => tenant)).toEqual(['demo', 'checkout'])
  })

  it('has a schema for editors with all fields', () => {
    const text = readFileSync(new URL('../../lead-sandbox.schema.json', import.meta.url), 'utf8')
    expect(JSON.parse(text)).toEqual(configurationSchema())
    for (const field of ['callback_url', 'min_age', 'postback_secret', 'blacklist', 'lost_reply', 'freeze'])
      expect(text).toContain(`"${field}"`)
  })
})

function keysOf({ publisher: { callback_url: _withThePort, ...publisher }, advertisers, products }: Account) {
  return [publisher, advertisers.map(({ api_key, postback_secret }) => [api_key, postback_secret]), products]
}

describe('a file', () => {
  it.each([
    ['lead-sandbox.yaml', 'tenants:\n  - name: qa\n    callback_url: http://127.0.0.1:3000/\n'],
    [
      'lead-sandbox.json',
      '{\n\t"tenants": [\n\t\t{ "name": "qa", "callback_url": "http://127.0.0.1:3000/" }\n\t]\n}\n',
    ],
  ])('provides a configuration: %s', async (name, text) => {
    const { configuration } = await readConfiguration(fileOf(text, name))
    expect(configuration).toEqual({ tenants: [{ name: 'qa', callback_url: 'http://127.0.0.1:3000/' }] })
  })

  it.each([
    ['tenants:\n  - name: qa\n    colour: red\n', ':3:5: tenants.0.colour '],
    ['tenants:\n  - nme: qa\n', ':2:5: tenants.0.name is required'],
    ['tenants:\n  - name: qa\n  - name: qa\n', ':3:5: tenants.1.name is the name of a tenant above'],
    ['tenants:\n  - name: qa\n    settings: { gender: maybe }\n', ':3:17: tenants.0.settings.gender must be '],
    ['tenants: [\n', 'this is neither JSON nor YAML'],
    ['{"tenants": [{"name": "qa"}, {"name": "Q A"}]}', ':1:31: tenants.1.name must be 1 to 63'],
    ['', ':1:1: '],
  ])('is refused with the position of the error: %j', async (text, place) => {
    const file = fileOf(text)
    await expect(readConfiguration(file)).rejects.toThrow(place)
    await expect(readConfiguration(file)).rejects.toThrow(file)
  })

  it('is refused with the position of what the control plane refuses', async () => {
    const file = fileOf('tenants:\n  - name: qa\n  - name: other\n    callback_url: http://qa.example/\n')
    const { configuration, located } = await readConfiguration(file)
    const error = await onServer({ configuration }, async () => undefined).catch(located)
    expect((error as Error).message).toMatch(
      /lead-sandbox\.yaml:4:5: tenants\.1\.callback_url goes to a host that is not allowed: .*--allow-callback-host qa\.example$/,
    )
  })

  it('that is missing is named', async () => {
    await expect(readConfiguration(join(folder, 'none.json'))).rejects.toThrow(
      /none\.json \(ENOENT\): pass an existing file/,
    )
  })
})
