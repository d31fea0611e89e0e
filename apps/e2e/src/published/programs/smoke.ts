// A user's first steps with both SDKs. Compiles and runs in Node, Bun, Deno and a page, so it uses nothing that only
// one of them has.
import { createAdvertiser, PostbackUrl } from '@lead-distribution/advertiser-sdk'
import {
  type ClientOptions,
  createPublisher,
  LeadSdkError,
  type LeadSubmission,
  redirectResponse,
  type SubmitResult,
  validateLead,
} from '@lead-distribution/publisher-sdk'
import { createCallbackReceiver, createCallbackUrl } from '@lead-distribution/publisher-sdk/callbacks'
import { createTestCallback } from '@lead-distribution/publisher-sdk/testing'

/** The service's address and ids. Without `apiKey`, the key is in the environment. */
export interface Settings {
  service: string
  leadId: string
  token: string
  email: string
  apiKey?: string
}

/** Returns the number of statements that hold; throws at the first that does not. */
export async function smoke(settings: Settings, shared: ClientOptions = {}): Promise<number> {
  let held = 0
  const holds = (what: string, condition: boolean) => {
    if (!condition) throw new Error(`This does not hold: ${what}.`)
    held += 1
  }
  const { service, leadId, token, email } = settings
  const baseUrl = `${service}/api/v1`
  const options = { baseUrl, ...(settings.apiKey ? { apiKey: settings.apiKey } : {}), ...shared }

  const publisher = createPublisher(options)
  const result = await publisher.submit(lead(email))
  holds('a submission returns its redirect', addressOf(result) === 'https://advertiser.example/apply?lead=1')

  const check = validateLead({ ...lead(email), product_data: {} })
  const fields = check.valid ? [] : check.issues.map(({ field }) => field)
  holds('an invalid lead has issues with their fields', fields.includes('product_data.loan_amount'))
  holds('a valid lead has none', validateLead(lead(email)).valid)

  const refused: unknown = await createPublisher({ ...options, apiKey: 'sandbox_another' })
    .submit(lead(email))
    .catch(error => error)
  holds(
    'a refused key throws an error that is recognized by its brand',
    LeadSdkError.is(refused) && !LeadSdkError.is(new Error('another')),
  )

  const answer = { lead_id: leadId, status: 'rejected', rejection_reason: 'age_restriction' }
  const stubbed = createPublisher({ ...options, fetch: async () => Response.json(answer) })
  const rejected = await stubbed.submit(lead(email))
  holds(
    'a stubbed fetch forces a rejection',
    rejected.outcome === 'rejected' && rejected.rejection_reason === 'age_restriction',
  )

  const { url, secret } = createCallbackUrl('https://publisher.example/callbacks')
  const handled: string[] = []
  const receive = createCallbackReceiver({
    verify: { urlSecrets: [secret] },
    handle: ({ lead_id, event }) => void handled.push(`${lead_id} ${event}`),
  })
  const callbackTo = (to: string) => createTestCallback({ url: to, lead_id: leadId, event: 'loan_issued' })
  const requests = [await callbackTo(url), await callbackTo(url), await callbackTo(url.slice(0, -1)), new Request(url)]
  const statuses: number[] = []
  for (const request of requests) statuses.push((await receive(request)).status)
  holds('callbacks are received', String(statuses) === '200,200,404,400' && String(handled) === `${leadId} approved`)

  const advertiser = createAdvertiser(options)
  const postback = PostbackUrl.parse(`${baseUrl}/lead/${leadId}/status?token=${token}`, { baseUrl })
  const fired = await advertiser.fire(postback, { event: 'approved' })
  holds('a postback arrives with its token unchanged', fired.outcome === 'received')
  holds(
    'a postback URL does not show its token as text',
    !`${postback}${JSON.stringify([postback, refused])}${refused}`.includes(token),
  )

  // The parent process searches the output for secrets.
  console.log(publisher, advertiser, postback, receive, { nested: [postback, refused, check, fired] }, result, refused)
  return held
}

function addressOf(result: SubmitResult): string | null {
  switch (result.outcome) {
    case 'distributed':
      return redirectResponse(result).headers.get('location')
    case 'new':
    case 'rejected':
    case 'unrecognized':
    case 'unknown':
      return null
    default:
      return result satisfies never
  }
}

/** Returns a lead with this email address. */
export function lead(address: string): LeadSubmission {
  const accepted = { accepted: true, accepted_at: '2026-01-01T09:30:00Z', version: '1' }
  return {
    product_id: '11111111-1111-4111-8111-111111111111',
    publisher_id: '22222222-2222-4222-8222-222222222222',
    customer: { personal_data: { first_name: 'Ana', last_name: 'García' }, contact: { email: { address } } },
    product_data: { loan_amount: 5000, loan_purpose: 'home_improvement', loan_term_months: 24 },
    consents: {
      entries: [
        { type: 'terms', ...accepted },
        { type: 'privacy_policy', ...accepted },
      ],
    },
  }
}
