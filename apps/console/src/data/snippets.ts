import { checkLead, proseInterpretation } from '@lead-distribution/contract'
import type { TestRequest } from '@lead-distribution/contract/test-leads'
import type { Account } from '@lead-distribution/control-client'
import { isJsonRequest, parsedJson } from './draft.ts'

/** A submission to copy as code. */
export interface SubmissionSource {
  /** The base URL of the service. */
  readonly baseUrl: string
  readonly apiKey: string
  /** The customer's requests in the order in which they are sent. The last one has the outcome. */
  readonly requests: readonly TestRequest[]
}

const quoteForShell = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

const quoteForCode = (text: string) => JSON.stringify(text)

/** Formats a submission as a curl command for each of its requests. */
export function curlOf({ baseUrl, apiKey, requests }: SubmissionSource): string {
  const commands = requests.map(({ headers, body }) =>
    curlOfCall({ method: 'POST', url: `${baseUrl}/lead`, headers: { apikey: apiKey, ...headers }, body }),
  )
  return commands.join('\n\n')
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

/** The longest body that is an argument of a command: Linux allows 128 KiB, in bytes. */
const maxArgument = 30_000

/** Formats a call as a curl command. Its masked values stay masked. */
export function curlOfCall({ method, url, headers, body }: CallSource): string {
  // Curl counts the body itself.
  const { 'content-length': _length, ...sent } = headers
  const isPiped = body !== undefined && body.length > maxArgument
  const usual = body === undefined ? 'GET' : 'POST'
  const command = [
    `curl -sS ${method === usual ? '' : `-X ${method} `}${quoteForShell(url)}`,
    ...Object.entries(sent).map(([name, value]) => `-H ${quoteForShell(`${name}: ${value}`)}`),
    // Without it, curl declares a form.
    ...(body !== undefined && sent['content-type'] === undefined ? ["-H 'content-type:'"] : []),
    // With `-d`, a body that begins with @ would be the name of a file.
    ...(body === undefined ? [] : [isPiped ? '--data-binary @-' : `--data-raw ${quoteForShell(body)}`]),
  ].join(' \\\n  ')
  return isPiped ? `printf %s ${quoteForShell(body)} | ${command}` : command
}

/** Formats a callback as a curl command. */
export function curlOfCallback(url: string): string {
  return `curl -sS ${quoteForShell(url)}`
}

/** Formats a submission as code for the publisher SDK, whose first line runs it. */
export function sdkCodeOf(source: SubmissionSource): string {
  const { baseUrl, apiKey, requests } = source
  const run = `// LEAD_BASE_URL=${quoteForShell(baseUrl)} LEAD_PUBLISHER_API_KEY=${quoteForShell(apiKey)} node submit.mjs\n`
  return run + (requests.every(isJsonRequest) ? publisherCode(requests) : fetchCode(requests))
}

function publisherCode(requests: readonly TestRequest[]): string {
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

/** Formats requests that the SDK never sends as code that sends them without it. */
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
  readonly account: Pick<Account, 'publisher' | 'products'>
  /** The body of the response. */
  readonly expected: unknown
}

/** Formats a submission as a vitest test with its own tenant. */
export function vitestOf({ baseUrl, requests }: SubmissionSource, { account, expected }: TestSource): string {
  const sent = requests.map(each => submitCode(each, account))
  const earlier = sent.slice(0, -1).map(code => `await ${code}\n  `)
  return `import { connectSandbox } from '@lead-distribution/control-client'
import { expect, it, onTestFinished } from 'vitest'

it('gets the response that the console showed', async () => {
  const sandbox = await connectSandbox(${quoteForCode(baseUrl)})
  const tenant = await sandbox.createTenant()
  onTestFinished(() => void tenant.delete())
  const { base_url, publisher, products } = tenant.account
  const submit = (headers: Record<string, string>, body: string) =>
    fetch(\`\${base_url}/lead\`, { method: 'POST', headers: { apikey: publisher.api_key, ...headers }, body })

  ${earlier.join('')}const response = await ${sent.at(-1)}
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
