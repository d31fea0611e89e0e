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
import { installCommands, type Printed, Reader } from '../guides/reader.fixture.ts'
import { codeBlock } from './code-block.ts'
import type { BlockAtHand } from './follow-readme.fixture.ts'

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

it.each([
  ['publisher-sdk', 'Callbacks'],
  ['advertiser-sdk', 'Postback URLs'],
])('the README of the %s has the sections of both, in their order, and its own: %s', (name, own) => {
  const readme = readFileSync(join(root, 'packages', name, 'README.md'), 'utf8')
  const sections = [...readme.matchAll(/^## (.*)$/gm)].map(([, title]) => title)
  expect(sections).toEqual([
    ...['Install', 'Ten lines', 'The outcomes', 'If the reply is lost', own, 'Errors', 'Retries and time-outs'],
    ...['Logging', 'Unknown values', 'Testing', 'Versions'],
  ])
})

it.each(['publisher-sdk', 'advertiser-sdk'])(
  'the README of the %s names the runtimes of the table of lost replies, and no other',
  name => {
    const readme = readFileSync(join(root, 'packages', name, 'README.md'), 'utf8').replace(/\s+/g, ' ')
    const table = readFileSync(join(root, 'docs/lost-replies.md'), 'utf8')
    const tested = /^\| call \| fault \| (.*) \|$/m.exec(table)?.[1]?.split(/ \| |, /)
    const named = / run on ([^;]+);/.exec(readme)?.[1]?.split(/, | and /)
    expect(named?.map(each => each.replace(/^\d/, 'Node $&'))).toEqual(tested)
  },
)

type Block = Pick<BlockAtHand<object>, 'code' | 'folder' | 'tenant' | 'run'>

/** How the sandbox is come by, in the README of either SDK. */
export const sandboxBlocks = {
  'install-sandbox': async ({ code }: Block) =>
    expect(code).toMatch(
      /^npm install --save-dev @lead-distribution\/sandbox( @lead-distribution\/control-client)?\n$/,
    ),

  'start-sandbox': async ({ code, folder }: Block) => {
    await using reader = new Reader(folder, await installCommands(folder, '0'))
    const terminal = await reader.open(code)
    expect(terminal.printed()).toMatch(/http:\/\/127\.0\.0\.1:\d+/)
  },
}

/** Types a block of commands into a shell, with the sandbox of the test at the documented port. */
export async function typeCommands({ code, folder, tenant }: Block): Promise<Printed> {
  await using reader = new Reader(folder, await installCommands(folder, new URL(tenant.adapter.url).port))
  return await reader.type(code)
}

/** Runs a block that asserts its own result, in so many lines. */
export async function runAsserting({ code, run }: Block, count: number): Promise<void> {
  expect(code.match(/\bassert\.\w+\(/g)).toHaveLength(count)
  await run()
}
