import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import * as advertiserSdk from '@lead-distribution/advertiser-sdk'
import * as publisherSdk from '@lead-distribution/publisher-sdk'
import * as callbacks from '@lead-distribution/publisher-sdk/callbacks'
import { type SandboxServer, startServer } from '@lead-distribution/sandbox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { root } from '../architecture/sources.ts'
import { codeBlock } from './code-block.ts'

const readme = join(root, 'README.md')
const documentedUrl = 'http://127.0.0.1:4010'

let server: SandboxServer
beforeAll(async () => {
  server = await startServer({ port: 0, logLevel: 'error' })
})
afterAll(() => server.close())

/** Runs the README's curl line in a shell unchanged, except the port; answers the reply and what was sent. */
async function firstLead() {
  const line = codeBlock(readme, 'first-lead').replace(documentedUrl, server.url)
  const { stdout } = await promisify(execFile)('sh', ['-c', line])
  return {
    reply: JSON.parse(stdout),
    lead: JSON.parse(/-d '(.*)'\s*$/s.exec(line)?.[1]?.replace(/'\$\(.*?\)'/, 'x') ?? ''),
  }
}

describe('the README', () => {
  it('has a curl line that answers distributed, and leads to an advertiser', async () => {
    const { reply } = await firstLead()
    expect(reply).toMatchObject({ status: 'distributed', lead_id: expect.any(String) })
    const page = await fetch(reply.redirect_url)
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('simulated advertiser')])
  })

  it('has the loop in twenty lines that run', async () => {
    const { lead } = await firstLead()
    const { base_url, publisher, advertisers, tenant } = server.account()
    const customer = { ...lead.customer, contact: { email: { address: 'loop@example.com' } } }
    const client = publisherSdk.createPublisher({ baseUrl: base_url, apiKey: publisher.api_key })
    const earlier = await client.submit({
      ...lead,
      customer: { ...customer, contact: { email: { address: 'earlier@example.com' } } },
    })
    const shown = await (await fetch(`${server.url}/_sandbox/v1/tenants/${tenant}/leads/${earlier.lead_id}`)).json()
    const sent: Response[] = []
    const given = {
      ...publisherSdk,
      ...advertiserSdk,
      ...callbacks,
      baseUrl: base_url,
      publisherKey: publisher.api_key,
      advertiserKey: advertisers[0]?.api_key,
      lead: { ...lead, customer },
      lead_id: earlier.lead_id,
      postbackUrl: shown.deliveries[0].postback_url,
      callbackSecret: callbacks.createCallbackUrl('http://127.0.0.1/callbacks').secret,
      send: (response: Response) => sent.push(response),
      record: () => undefined,
    }
    const body = codeBlock(readme, 'the-loop').replace(/^import .*\n/gm, '')
    await new Function(...Object.keys(given), `return (async () => {${body}})()`)(...Object.values(given))
    expect(sent.map(response => response.status)).toEqual([303])
    const after = await (await fetch(`${server.url}/_sandbox/v1/tenants/${tenant}/leads/${earlier.lead_id}`)).json()
    expect(after.events.map(({ event }: { event: string }) => event)).toEqual(['registration', 'approved'])
  })
})

it('names the runtimes of the table of lost replies, and no other, where it says what is tested', () => {
  const [runtimes = '', table = ''] = ['sdks/runtimes', 'lost-replies'].map(page =>
    readFileSync(join(root, `docs/${page}.md`), 'utf8'),
  )
  const tested = /^\| call \| fault \| (.*) \|$/m.exec(table)?.[1]?.split(/ \| |, /)
  const named = /The SDKs are tested on (.*?)\. /.exec(runtimes)?.[1]?.split(/, | and /)
  expect(named?.map(each => each.replace(/^\d/, 'Node $&'))).toEqual(tested)
})
