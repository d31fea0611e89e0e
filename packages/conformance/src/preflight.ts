import { describeResponse } from './expectations/expect-response.ts'
import { redactor } from './redact.ts'
import type { Target, TargetResponse } from './target.ts'

/**
 * Submits one ordinary lead, to say in a sentence why no case can be run: nothing answers there,
 * the key is refused, the product is unknown. Undefined where the cases can be run.
 */
export async function preflight(target: Target): Promise<string | undefined> {
  const { baseUrl } = target.facts
  const response = await target
    .submit(target.submission())
    .catch(
      error => `No answer came from ${baseUrl}/lead (${reasonOf(error)}): check --base-url, and that the service runs.`,
    )
  if (typeof response === 'string') return response
  const reason = refusalOf(response)
  return reason && redactor(target.facts)(`${reason} It answered ${describeResponse(response)}`)
}

function refusalOf(response: TargetResponse): string | undefined {
  const { status, headers, json } = response
  const code = json?.error ?? json?.rejection_reason
  if (status >= 300 && status < 400)
    return `The service redirects to ${hostOf(headers.get('location'))}: redirects are not followed, for they would carry the key away. Give the address itself by --base-url.`
  if (status === 401 || status === 403)
    return "The publisher's key is refused: check --publisher-key, and that it is of this environment."
  if (code === 'invalid_product') return 'The product is unknown or takes no leads: check --product.'
  if (code === 'publisher_mismatch') return "The publisher_id is not the key's own: check --publisher-id."
  if (status === 404 || status === 405)
    return 'No service is at that address: give --base-url with its version, such as https://sandbox.example.com/api/v1.'
  if (status >= 500) return 'The service fails on an ordinary lead: fix that first.'
  if (status === 200 && json?.status === undefined)
    return 'What answers at that address is no lead distribution service: check --base-url.'
  return undefined
}

function hostOf(location: string | null): string {
  return location !== null && URL.canParse(location) ? new URL(location).host : 'another path'
}

function reasonOf(error: unknown): string {
  const { message, cause } = error as { message: string; cause?: { code?: string } }
  return cause?.code ?? message
}
