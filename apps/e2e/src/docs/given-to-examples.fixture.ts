/** Declares the parts of a reader's application that the examples of the reference use. */
export const givenToExamples = `
import type { Advertiser } from '@lead-distribution/advertiser-sdk'
import type { Tenant } from '@lead-distribution/control-client'
import type { LeadSubmission, Publisher } from '@lead-distribution/publisher-sdk'
import type { CallbackReceiver } from '@lead-distribution/publisher-sdk/callbacks'

declare global {
  var publisher: Publisher
  var advertiser: Advertiser
  var tenant: Tenant
  /** The account of a tenant. */
  var account: Tenant['account']
  var lead: LeadSubmission
  var lead_id: string
  var advertiser_id: string
  /** The text that came with a lead. */
  var postbackUrl: string
  var publisherKey: string
  var callbackUrl: string
  var callbackSecret: string
  var receive: CallbackReceiver
  var request: Request
  /** The fields that a customer filled in: the checkboxes of the consents. */
  var form: { readonly terms: boolean; readonly privacy: boolean; readonly marketing: boolean }
  /** Data from outside. */
  var input: unknown
  var store: (what: unknown) => Promise<void>
  var report: (what: unknown) => void
  var respond: (response: Response) => void
  var pause: (milliseconds: number) => Promise<void>
  /** A way to a sandbox that is not HTTP. */
  var sendToSandbox: (method: string, target: string, body: unknown) => Promise<unknown>
}
`
