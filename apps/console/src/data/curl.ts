import type { TestRequest } from '@lead-distribution/contract/test-leads'

/** A submission to copy as code. */
export interface SubmissionSource {
  /** The base URL of the service. */
  readonly baseUrl: string
  readonly apiKey: string
  /** The customer's requests in the order to send them. The last one has the outcome. */
  readonly requests: readonly TestRequest[]
}

/** Quotes a text for a shell. */
export const quoteForShell = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** Formats a submission as a curl command for each of its requests. */
export function curlOf({ baseUrl, apiKey, requests }: SubmissionSource): string {
  const commands = requests.map(({ headers, body }) =>
    curlOfRequest({ method: 'POST', url: `${baseUrl}/lead`, headers: { apikey: apiKey, ...headers }, body }),
  )
  return commands.join('\n\n')
}

/** A request from the journal to copy as code. */
export interface RequestSource {
  readonly method: string
  /** The whole URL. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Undefined if the request has none, or it isn't kept whole. */
  readonly body?: string | undefined
}

/** The maximum size of a body as a command's argument, in bytes. Linux allows 128 KiB. */
const maxArgument = 30_000

/** Formats a request as a curl command. Its masked values stay masked. */
export function curlOfRequest({ method, url, headers, body }: RequestSource): string {
  // curl computes the length itself.
  const { 'content-length': _length, ...sent } = headers
  const isPiped = body !== undefined && (body.length > maxArgument || body.includes('\0'))
  const usual = body === undefined ? 'GET' : 'POST'
  const command = [
    `curl -sS ${method === usual ? '' : `-X ${method} `}${quoteForShell(url)}`,
    ...Object.entries(sent).map(([name, value]) => `-H ${quoteForShell(`${name}: ${value}`)}`),
    // Without this header, curl declares a form.
    ...(body !== undefined && sent['content-type'] === undefined ? ["-H 'content-type:'"] : []),
    // With `-d`, a body that starts with @ would be a file name.
    ...(body === undefined ? [] : [isPiped ? '--data-binary @-' : `--data-raw ${quoteForShell(body)}`]),
  ].join(' \\\n  ')
  if (!isPiped) return command
  // No argument of a command can contain a NUL.
  const escaped = body.replaceAll('\\', '\\\\').replaceAll('\0', '\\0000')
  return `printf %b ${quoteForShell(escaped)} | ${command}`
}

/** Formats a callback as a curl command. */
export function curlOfCallback(url: string): string {
  return `curl -sS ${quoteForShell(url)}`
}
