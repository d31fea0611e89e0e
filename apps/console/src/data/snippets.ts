import type { TestRequest } from '@lead-distribution/test-leads'

/** What a submission is copied with. */
export interface SubmissionSource {
  /** The base URL of the service. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly request: TestRequest
}

const quoteForShell = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

const quoteForCode = (text: string) => JSON.stringify(text)

/** The submission as a command of curl that works as pasted. */
export function curlOf({ baseUrl, apiKey, request }: SubmissionSource): string {
  const headers = Object.entries({ apikey: apiKey, ...request.headers })
  return [
    `curl -sS ${quoteForShell(`${baseUrl}/lead`)}`,
    ...headers.map(([name, value]) => `-H ${quoteForShell(`${name}: ${value}`)}`),
    `-d ${quoteForShell(request.body)}`,
  ].join(' \\\n  ')
}

/** A GET request as a command of curl, with the headers that a callback had. */
export function curlOfCallback(url: string): string {
  return `curl -sS ${quoteForShell(url)}`
}

/** The submission as code of the publisher SDK. */
export function sdkCodeOf({ baseUrl, apiKey, request }: SubmissionSource): string {
  return `import { createPublisher } from '@lead-distribution/publisher-sdk'

const publisher = createPublisher({ baseUrl: ${quoteForCode(baseUrl)}, apiKey: ${quoteForCode(apiKey)} })
const result = await publisher.submit(${indentedJson(request.body, '')})
console.log(result)
`
}

/** The submission as a test of vitest, which expects what the service answers now. */
export function vitestOf({ baseUrl, request }: SubmissionSource, expected: unknown): string {
  return `import { connectSandbox } from '@lead-distribution/control-client'
import { expect, it, onTestFinished } from 'vitest'

it('is answered as in the console', async () => {
  const sandbox = await connectSandbox(${quoteForCode(baseUrl)})
  const tenant = await sandbox.createTenant()
  onTestFinished(() => void tenant.delete())
  const { base_url, publisher, products } = tenant.account

  const lead = ${indentedJson(request.body, '  ')}
  const response = await fetch(\`\${base_url}/lead\`, {
    method: 'POST',
    headers: { apikey: publisher.api_key, 'content-type': 'application/json' },
    body: JSON.stringify({ ...lead, publisher_id: publisher.publisher_id, product_id: products[0]?.product_id }),
  })
  expect(await response.json()).toMatchObject(${indentedJson(JSON.stringify(stableOf(expected)), '  ')})
})
`
}

/** The part of a response that is the same in every run: its outcome, without ids, addresses and sentences. */
function stableOf(body: unknown): Record<string, unknown> {
  const { status, rejection_reason, error } = Object(body)
  const parts = Object.entries({ status, rejection_reason, error })
  return Object.fromEntries(parts.filter(([, value]) => typeof value === 'string'))
}

function indentedJson(json: string, indent: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2).replaceAll('\n', `\n${indent}`)
  } catch {
    return json
  }
}
