import type { TestRequest } from '@lead-distribution/contract/test-leads'
import type { Account } from '@lead-distribution/control-client'
import { parsedJson } from './draft.ts'

/** A submission to copy as code. */
export interface SubmissionSource {
  /** The base URL of the service. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly request: TestRequest
}

const quoteForShell = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

const quoteForCode = (text: string) => JSON.stringify(text)

/** Formats a submission as a curl command. */
export function curlOf({ baseUrl, apiKey, request }: SubmissionSource): string {
  const headers = { apikey: apiKey, ...request.headers }
  return curlCommand(`curl -sS ${quoteForShell(`${baseUrl}/lead`)}`, headers, request.body)
}

function curlCommand(start: string, headers: Readonly<Record<string, string>>, body: string | undefined): string {
  return [
    start,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoteForShell(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`-d ${quoteForShell(body)}`]),
  ].join(' \\\n  ')
}

/** A call from the journal to copy as code. */
export interface CallSource {
  readonly method: string
  /** The whole URL. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Undefined if the call has none, or it isn't kept whole. */
  readonly body?: string | undefined
}

/** Formats a call from the journal as a curl command. Its masked values stay masked. */
export function curlOfCall({ method, url, headers, body }: CallSource): string {
  // Curl counts the body itself.
  const { 'content-length': _length, ...sent } = headers
  return curlCommand(`curl -sS -X ${method} ${quoteForShell(url)}`, sent, body)
}

/** Formats a callback as a curl command. */
export function curlOfCallback(url: string): string {
  return `curl -sS ${quoteForShell(url)}`
}

/** Formats a submission as code for the publisher SDK, whose first line runs it. */
export function sdkCodeOf({ baseUrl, apiKey, request }: SubmissionSource): string {
  return `// LEAD_BASE_URL=${quoteForShell(baseUrl)} LEAD_PUBLISHER_API_KEY=${quoteForShell(apiKey)} node submit.mjs
import { createPublisher } from '@lead-distribution/publisher-sdk'

const publisher = createPublisher()
const result = await publisher.submit(${indentedJson(request.body, '')})

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

/** The other parts of a vitest test. */
export interface TestSource {
  readonly account: Pick<Account, 'publisher' | 'products'>
  /** The requests to send first. */
  readonly before: readonly TestRequest[]
  /** The body of the response. */
  readonly expected: unknown
}

/** Formats a submission as a vitest test with its own tenant. */
export function vitestOf({ baseUrl, request }: SubmissionSource, { account, before, expected }: TestSource): string {
  const earlier = before.map(each => `await ${submitCode(each, account)}\n  `)
  return `import { connectSandbox } from '@lead-distribution/control-client'
import { expect, it, onTestFinished } from 'vitest'

it('gets the response that the console showed', async () => {
  const sandbox = await connectSandbox(${quoteForCode(baseUrl)})
  const tenant = await sandbox.createTenant()
  onTestFinished(() => void tenant.delete())
  const { base_url, publisher, products } = tenant.account
  const submit = (headers: Record<string, string>, body: string) =>
    fetch(\`\${base_url}/lead\`, { method: 'POST', headers: { apikey: publisher.api_key, ...headers }, body })

  ${earlier.join('')}const response = await ${submitCode(request, account)}
  expect(await response.json()).toMatchObject(${indentedJson(JSON.stringify(stableOf(expected)), '  ')})
})
`
}

/** Formats the code that sends a request. Ids of this account become those of the test's tenant; other ids stay. */
function submitCode({ headers, body }: TestRequest, { publisher, products }: TestSource['account']): string {
  const lead = parsedJson(body)
  // A body that is deliberately broken or padded is sent unchanged.
  if (typeof lead !== 'object' || lead === null || body.endsWith(' '))
    return `submit(${JSON.stringify(headers)}, ${quoteForCode(body)})`
  const { publisher_id, product_id } = lead as { publisher_id?: unknown; product_id?: unknown }
  const product = products.findIndex(each => each.product_id === product_id)
  const own = [
    ...(publisher_id === publisher.publisher_id ? ['publisher_id: publisher.publisher_id'] : []),
    ...(product >= 0 ? [`product_id: products[${product}]?.product_id`] : []),
  ]
  const parts = [`...${indentedJson(body, '    ')}`, ...own].map(part => `    ${part},\n`)
  return `submit(${JSON.stringify(headers)}, JSON.stringify({\n${parts.join('')}  }))`
}

/** Returns the part of a response that is the same in every run: the outcome, without ids, URLs and messages. */
function stableOf(body: unknown): Record<string, unknown> {
  const { status, rejection_reason, error } = Object(body)
  const parts = Object.entries({ status, rejection_reason, error })
  return Object.fromEntries(parts.filter(([, value]) => typeof value === 'string'))
}

function indentedJson(json: string, indent: string): string {
  const value = parsedJson(json)
  return value === undefined ? json : JSON.stringify(value, null, 2).replaceAll('\n', `\n${indent}`)
}
