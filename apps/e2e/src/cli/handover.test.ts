import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { errorStatus, pixelEvents, rejectionReasons } from '@lead-distribution/contract'
import { describe, expect, it, onTestFinished } from 'vitest'
import { sandboxCli } from './sandbox-cli.ts'

const { text, control, tenant } = sandboxCli()
const run = promisify(execFile)

/** A block of the page, as its reader copies it, with the key filled in. */
async function copied(html: string, id: string): Promise<string> {
  const [, block = ''] = new RegExp(`<pre id="${id}">(.*?)</pre>`, 's').exec(html) ?? []
  const { publisher } = await control().show()
  return block
    .replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replace('YOUR_API_KEY', publisher.api_key)
}

/** Writes a text to a file that goes with the test. */
function fileOf(name: string, content: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'handover-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}

/** Not on every machine. */
const php = 'php'

function hasPhp(): boolean {
  try {
    execFileSync(php, ['--version'])
    return true
  } catch {
    return false
  }
}

const statuses = async () => (await control().leads.list()).leads.map(({ status }) => status)

describe('the handover page', () => {
  it('has a first lead in curl that works with the key alone, also where the account requires more', async () => {
    await control().update({ settings: { gender: 'required', consent_metadata: 'required' } })
    const line = await copied(await text('tenants', 'handover', tenant()), 'curl')
    const { stdout } = await run('sh', ['-c', line])
    expect(JSON.parse(stdout)).toMatchObject({ status: 'distributed', redirect_url: expect.any(String) })
    expect(await statuses()).toEqual(['distributed'])
  })

  it('has one in TypeScript', async () => {
    const program = fileOf('lead.ts', await copied(await text('tenants', 'handover'), 'typescript'))
    const { stdout } = await run(process.execPath, [program])
    expect(stdout).toMatch(/^200 [\s\S]*status: 'distributed'/)
  })

  it.skipIf(!hasPhp())('has one in PHP', async () => {
    const program = fileOf('lead.php', await copied(await text('tenants', 'handover'), 'php'))
    const { stdout } = await run(php, [program])
    expect(JSON.parse(stdout)).toMatchObject({ status: 'distributed' })
  })

  it('names every event, reason, error, product and field of the account', async () => {
    const html = await text('tenants', 'handover')
    const { base_url, products, publisher } = await control().show()
    const facts = [
      base_url,
      publisher.publisher_id,
      ...products.map(({ product_id }) => product_id),
      ...pixelEvents,
      ...rejectionReasons,
      ...Object.keys(errorStatus),
      ...['customer.personal_data.nacionality', 'consents.entries[].accepted_at', '500 to 75000', '3 to 84'],
    ]
    expect(facts.filter(fact => !html.includes(fact))).toEqual([])
  })

  it('holds no secret, loads nothing, and escapes what others chose', async () => {
    const attack = '<script>alert(1)</script>'
    await control().update({
      callback_url: 'http://127.0.0.1:9/planted-callback',
      blacklist: [{ email: 'planted-customer@example.com' }],
      products: [{ product_id: (await control().show()).products[0]?.product_id ?? '', name: attack }],
      advertisers: (await control().show()).advertisers.map(({ advertiser_id }) => ({
        advertiser_id,
        name: attack,
        backend_url: 'http://127.0.0.1:9/planted-back-end',
      })),
    })
    const html = await text('tenants', 'handover')
    const { publisher, advertisers } = await control().show()
    const secrets = [publisher, ...advertisers].flatMap(each => [
      each.api_key,
      'callback_secret' in each ? each.callback_secret : each.postback_secret,
    ])
    expect([...secrets, 'planted', attack].filter(secret => html.includes(secret))).toEqual([])
    expect(html).toContain('&#60;script&#62;')
    expect(html).not.toMatch(/<script|<link|<img|src=|@import|url\(/)
  })
})
