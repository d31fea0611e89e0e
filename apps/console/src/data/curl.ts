import type { TestRequest } from '@lead-distribution/contract/test-leads'

/** A submission to copy as code. */
export interface SubmissionSource {
  /** The base URL of the service. */
  readonly baseUrl: string
  readonly apiKey: string
  /** The customer's requests in the order in which they are sent. The last one has the outcome. */
  readonly requests: readonly TestRequest[]
}

/** Quotes a text for a shell. */
export const quoteForShell = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

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
