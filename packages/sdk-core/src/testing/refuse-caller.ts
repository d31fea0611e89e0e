import { equalText, keyHeader, leadToken, wireError } from '@lead-distribution/contract'
import { fakeAccount, fakeTokenFormat } from './fake-account.ts'
import type { FakeRequestDraft } from './fake-request.ts'
import type { JsonReply } from './serve.ts'

const { publisher, advertisers } = fakeAccount
const [advertiser] = advertisers

const unauthorized: JsonReply = wireError(
  'unauthorized',
  'Send the key that `publisher` or `advertiser` of the fake service carries, or a token made with its secret.',
)

/** The refusal of a call without its operation's own key in the header, or with one in the URL (Spec 5). */
export function refuseKey(draft: FakeRequestDraft, headers: Headers, url: URL): JsonReply | undefined {
  if (draft.operation === 'reportEvent') return undefined
  const inUrl = url.searchParams.has(keyHeader)
  const expected = (draft.operation === 'submitLead' ? publisher : advertiser).api_key
  return judge(draft, headers.get(keyHeader), key => !inUrl && key === expected)
}

/** The refusal of a pixel without the token of its lead (Spec 4.3, 5). */
export async function refuseToken(draft: FakeRequestDraft, url: URL): Promise<JsonReply | undefined> {
  if (draft.operation !== 'reportEvent') return undefined
  const { advertiser_id, postback_secret } = advertiser
  const lead_id = (draft.lead_id ?? '').toLowerCase()
  const expected = await leadToken({ lead_id, advertiser_id, postback_secret }, fakeTokenFormat)
  return judge(draft, url.searchParams.get('token'), token => equalText(token, expected))
}

/** Notes in the draft what its credential is worth. */
function judge(
  draft: FakeRequestDraft,
  given: string | null,
  isRight: (given: string) => boolean,
): JsonReply | undefined {
  draft.credential = given ? (isRight(given) ? 'right' : 'wrong') : 'missing'
  return draft.credential === 'right' ? undefined : unauthorized
}
