import {
  checkLead,
  convertedStatus,
  proseInterpretation,
  type RejectionName,
  rejectionLeads,
} from '@lead-distribution/contract'
import { type TestRequest, testLeadCatalog } from '@lead-distribution/contract/test-leads'
import { type ItemName, isReachedBy } from './coverage.ts'
import { quoteForShell, type SubmissionSource } from './curl.ts'
import { isJsonRequest } from './draft.ts'
import { parsedJson } from './json.ts'
import { readBody } from './submission.ts'
import type { TestTenant } from './test-tenant.ts'

const quoteForCode = (text: string) => JSON.stringify(text)

/** Formats a submission as code for the publisher SDK. Its first line says how to run it. */
export function sdkCodeOf(source: SubmissionSource): string {
  const { baseUrl, apiKey, requests } = source
  const run = `// LEAD_BASE_URL=${quoteForShell(baseUrl)} LEAD_PUBLISHER_API_KEY=${quoteForShell(apiKey)} node submit.mjs\n`
  return run + (requests.every(isJsonRequest) ? sdkSubmissionCode(requests) : fetchCode(requests))
}

function sdkSubmissionCode(requests: readonly TestRequest[]): string {
  const isChecked = requests.every(({ body }) => checkLead(parsedJson(body), proseInterpretation).length === 0)
  const submit = ({ headers, body }: TestRequest) => {
    const { 'content-type': _, ...others } = headers
    const options = Object.keys(others).length === 0 ? '' : `, { headers: ${JSON.stringify(others)} }`
    return `await publisher.submit(${indentedJson(body, '')}${options})\n`
  }
  const earlier = requests.slice(0, -1).map(submit).join('')
  return `import { createPublisher } from '@lead-distribution/publisher-sdk'

${isChecked ? '' : '// The SDK checks a lead first, and would not send this one.\n'}const publisher = createPublisher(${isChecked ? '' : '{ validate: false }'})
${earlier}const result = ${requests.slice(-1).map(submit).join('')}
switch (result.outcome) {
  case 'distributed':
    console.log('Redirect the customer to', result.redirect_url)
    break
  case 'new':
    console.log('Accepted, but no advertiser has it yet:', result.lead_id)
    break
  case 'rejected':
    console.log('Rejected:', result.rejection_reason)
    break
  case 'unrecognized':
    console.log('A response that this version does not know:', result.raw)
    break
  case 'unknown':
    // The reply was lost, so the lead may exist. Submit it again only with \`{ resubmission: true }\`.
    console.log(result.error.message)
    break
}
`
}

/** Formats requests that the SDK never sends as code without the SDK. */
function fetchCode(requests: readonly TestRequest[]): string {
  const submit = ({ headers, body }: TestRequest) => `await submit(${JSON.stringify(headers)}, ${quoteForCode(body)})\n`
  const earlier = requests.slice(0, -1).map(submit).join('')
  return `// The SDK always sends JSON, with its own key, so this code does without it.
const { env } = process
const submit = (headers, body) =>
  fetch(\`\${env.LEAD_BASE_URL}/lead\`, {
    method: 'POST',
    headers: { apikey: env.LEAD_PUBLISHER_API_KEY, ...headers },
    body,
  })

${earlier}const response = ${requests.slice(-1).map(submit).join('')}console.log(response.status, await response.text())
`
}

/** The other parts of a vitest test. */
export interface TestSource {
  readonly publisher_id: string
  readonly tenant: TestTenant
  /** The body of the response. */
  readonly expected: unknown
  readonly requiresToken: boolean
}

/** Formats a submission as a vitest test with its own tenant, which decides at the same time and in the same way. */
export function vitestOf({ baseUrl, requests }: SubmissionSource, source: TestSource): string {
  const { tenant, expected, requiresToken } = source
  const sent = requests.map(each => submitCode(each, source))
  const earlier = sent.slice(0, -1).map(code => `await ${code}\n  `)
  return testCode({
    title: 'gets the response that the console showed',
    sandbox: { baseUrl, requiresToken },
    creation: { frozenAt: tenant.frozenAt, settings: tenant.settings },
    body: `const { ${['base_url', 'publisher', 'products', ...(tenant.change.advertisers ? ['advertisers'] : [])].join(', ')} } = tenant.account
  ${changeCode(tenant)}const submit = (headers: Record<string, string>, body: string) =>
    fetch(\`\${base_url}/lead\`, { method: 'POST', headers: { apikey: publisher.api_key, ...headers }, body })

  ${earlier.join('')}const response = await ${sent.at(-1)}
  expect(await response.json()).toMatchObject(${indentedJson(JSON.stringify(stableOf(expected)), '  ')})`,
  })
}

/** The sandbox that a test connects to. */
export interface TestSandbox {
  /** The base URL of a tenant's service. */
  readonly baseUrl: string
  /** True if only a token opens its control plane. */
  readonly requiresToken: boolean
}

/** The parts of a vitest test. */
interface TestCode {
  readonly title: string
  readonly sandbox: TestSandbox
  /** The options of the tenant. */
  readonly creation: { readonly frozenAt?: string; readonly settings?: Readonly<Record<string, unknown>> | undefined }
  /** The lines of the test, which has its `tenant`. */
  readonly body: string
}

/** Formats a vitest test with its own tenant. Imports only the names that it uses. */
function testCode({ title, sandbox, creation, body }: TestCode): string {
  const namesOf = (names: readonly string[]) => names.filter(name => body.includes(`${name}(`))
  const options = indentedJson(JSON.stringify(creation), '  ')
  const url = quoteForCode(sandbox.baseUrl)
  const connection = sandbox.requiresToken
    ? `{ baseUrl: ${url}, adminToken: process.env.LEAD_SANDBOX_ADMIN_TOKEN }`
    : url
  return `import { ${['connectSandbox', ...namesOf(['requestsOf'])].join(', ')} } from '@lead-distribution/control-client'
${namesOf(['createPublisher'])
  .map(name => `import { ${name} } from '@lead-distribution/publisher-sdk'\n`)
  .join('')}import { ${[...namesOf(['assert']), 'expect', 'it', 'onTestFinished'].join(', ')} } from 'vitest'

it('${title}', async () => {
  const sandbox = await connectSandbox(${connection})
  const tenant = await sandbox.createTenant(${options === '{}' ? '' : options})
  onTestFinished(async () => {
    await tenant.delete()
  })
  ${body}
})
`
}

/** Formats a vitest test that covers an item. Returns undefined for an unknown item. */
export function coverageTestOf({ kind, name }: ItemName, sandbox: TestSandbox): string | undefined {
  const steps = stepsTo({ kind, name })
  if (!steps) return undefined
  return testCode({
    title: `sees the ${kind} ${name}`,
    sandbox,
    creation: { settings: steps.settings },
    body: `${steps.body}

  const { items } = await tenant.coverage()
  expect(items).toContainEqual(expect.objectContaining({ kind: '${kind}', name: '${name}', count: 1 }))`,
  })
}

type Steps = Pick<TestCode, 'body'> & Pick<TestCode['creation'], 'settings'>

function stepsTo({ kind, name }: ItemName): Steps | undefined {
  if (kind === 'event') return { body: eventCode(name === convertedStatus ? `'${name}', via: 'body'` : `'${name}'`) }
  if (kind === 'callback') return callbackSteps[name]
  if (kind === 'error' && errorSteps[name]) return errorSteps[name]
  const entry = testLeadCatalog.find(({ reaches }) => isReachedBy(reaches, { kind, name }))
  if (!entry) return undefined
  const { reaches, settings } = entry
  const build = `tenant.testLeads.${entry.name}()`
  if ('error' in reaches) return { settings: { semantic_refusals: 'http_422' }, body: refusedCode(build, name) }
  const { http: _, status: outcome, ...more } = reaches
  const isPair = entry.name in rejectionLeads && 'after' in rejectionLeads[entry.name as RejectionName]
  const submit = isPair
    ? `const [first, second] = ${build}
  await publisher.submit(first)
  const result = await publisher.submit(second)`
    : `const result = await publisher.submit(${build})`
  return {
    settings,
    body: `${publisherCode}
  ${submit}
  expect(result).toMatchObject(${indentedJson(JSON.stringify({ outcome, ...more }), '  ')})`,
  }
}

const publisherCode = `const { base_url: baseUrl, publisher: account } = tenant.account
  const publisher = createPublisher({ baseUrl, apiKey: account.api_key })`

const distributedCode = `${publisherCode}
  const lead = await publisher.submit(tenant.testLeads.distributed())
  assert(lead.outcome === 'distributed')`

const eventCode = (event: string) => `${distributedCode}
  await tenant.leads.trigger(lead.lead_id, { event: ${event} })`

/** Formats requests that the service refuses, without the SDK, which throws an error for these. */
const refusedCode = (build: string, error: string, key = 'publisher.api_key') =>
  `const { advertisers, base_url, publisher } = tenant.account
  for (const { headers, body } of requestsOf(${build})) {
    const response = await fetch(\`\${base_url}/lead\`, {
      method: 'POST',
      headers: { apikey: ${key}, ...headers },
      body,
    })
    expect(await response.json()).toMatchObject({ error: '${error}' })
  }`

const advertiserKey = "advertisers[0]?.api_key ?? ''"

const statusCode = (method: string, leadId: string, error: string) => `const { advertisers, base_url } = tenant.account
  const response = await fetch(\`\${base_url}/lead/\${${leadId}}/status\`, {
    method: '${method}',
    headers: { apikey: ${advertiserKey}, 'content-type': 'application/json' },
    body: JSON.stringify({ status: 'approved' }),
  })
  expect(await response.json()).toMatchObject({ error: '${error}' })`

/** The errors that no test lead can reach in its own tenant, because an unknown key belongs to no tenant. */
const errorSteps: Readonly<Record<string, Steps>> = {
  unauthorized: { body: refusedCode('tenant.testLeads.distributed()', 'unauthorized', advertiserKey) },
  not_found: { body: statusCode('POST', 'crypto.randomUUID()', 'not_found') },
  method_not_allowed: {
    settings: { status_methods: ['POST'] },
    body: `${distributedCode}
  ${statusCode('PATCH', 'lead.lead_id', 'method_not_allowed')}`,
  },
}

const dropCode = `await tenant.faults.add({ match: { operation: 'callback' }, effect: { drop: true }, times: 1 })
  ${eventCode("'approved'")}`

const callbackSteps: Readonly<Record<string, Steps>> = {
  delivered: {
    body: `${eventCode("'approved'")}
  await tenant.callbacks.wait({ leadId: lead.lead_id })`,
  },
  failed: {
    settings: { callback_retries: [] },
    body: `${dropCode}
  await expect.poll(async () => (await tenant.callbacks.list({ state: 'failed' })).callbacks).toHaveLength(1)`,
  },
  retried: {
    body: `${dropCode}
  await expect.poll(async () => (await tenant.callbacks.list()).callbacks[0]?.attempts).toHaveLength(1)
  await tenant.clock.advance({ by: 'PT5S' })
  await tenant.callbacks.wait({ leadId: lead.lead_id })`,
  },
}

/** Formats the code that replaces the lists of a new account that differ. The products and advertisers keep their ids. */
function changeCode({ change }: TestTenant): string {
  const removed = [
    ...(change.products ? ['...products.map(({ product_id }) => product_id)'] : []),
    ...(change.advertisers ? ['...advertisers.map(({ advertiser_id }) => advertiser_id)'] : []),
  ]
  const lists = Object.entries(change).map(([name, list]) => `${name}: ${indentedJson(JSON.stringify(list), '    ')}`)
  const parts = [...(removed.length > 0 ? [`remove: [${removed.join(', ')}]`] : []), ...lists]
  return parts.length === 0 ? '' : `await tenant.update({\n${parts.map(part => `    ${part},\n`).join('')}  })\n  `
}

/** Formats the code that sends a request. Ids of a new account become those of the test's tenant; other ids stay. */
function submitCode(
  { headers, body }: TestRequest,
  { publisher_id: publisherId, tenant }: Pick<TestSource, 'publisher_id' | 'tenant'>,
): string {
  const lead = parsedJson(body)
  // A body that is deliberately broken or padded is sent unchanged.
  if (typeof lead !== 'object' || lead === null || body.endsWith(' '))
    return `submit(${JSON.stringify(headers)}, ${quoteForCode(body)})`
  const { publisher_id, product_id } = lead as { publisher_id?: unknown; product_id?: unknown }
  const product = tenant.change.products ? -1 : (tenant.product_ids as readonly unknown[]).indexOf(product_id)
  const own = [
    ...(publisher_id === publisherId ? ['publisher_id: publisher.publisher_id'] : []),
    ...(product >= 0 ? [`product_id: products[${product}]?.product_id`] : []),
  ]
  const parts = [`...${indentedJson(body, '    ')}`, ...own].map(part => `    ${part},\n`)
  return `submit(${JSON.stringify(headers)}, JSON.stringify({\n${parts.join('')}  }))`
}

/** Returns the part of a response that is the same in every run: the outcome, without ids, URLs and messages. */
function stableOf(body: unknown): Record<string, unknown> {
  const { status, rejection_reason, error } = readBody(body)
  return { status, rejection_reason, error }
}

function indentedJson(json: string, indent: string): string {
  const value = parsedJson(json)
  return value === undefined ? json : JSON.stringify(value, null, 2).replaceAll('\n', `\n${indent}`)
}
