// The exports of a user's own library, with types from the SDKs. Every type must be nameable with the packages that the
// user installed.

import { createAdvertiser } from '@lead-distribution/advertiser-sdk'
import { createPublisher, type Rejected, validateLead } from '@lead-distribution/publisher-sdk'
import { createCallbackReceiver } from '@lead-distribution/publisher-sdk/callbacks'
import { nodeCallbacks } from '@lead-distribution/publisher-sdk/node'
import { entries } from './entries.ts'

const baseUrl = 'https://sandbox.example.com/api/v1'
export const publisher = createPublisher({ baseUrl })
export const advertiser = createAdvertiser({ baseUrl, vocabulary: 'usage' })
export const everyExport = entries.map(entry => ({ ...entry }))
export const submit = (lead: Parameters<typeof publisher.submit>[0]) => publisher.submit(lead)
export const fire = (raw: string) => advertiser.fire(advertiser.parsePostbackUrl(raw), { event: 'loan_issued' })
export const issuesOf = (form: unknown) => validateLead(form).issues
export const rowOf = ({ outcome, ...rest }: Rejected) => ({ ...rest, outcome })
export const receive = createCallbackReceiver({ verify: 'none', handle: ({ assurance }) => void assurance })
export const listener = nodeCallbacks(receive)
