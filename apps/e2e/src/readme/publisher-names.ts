import type { Lead, LeadSubmission, LoanProductData, Publisher, SubmitResult } from '@lead-distribution/publisher-sdk'
import type { CallbackEvent, CallbackReceiver } from '@lead-distribution/publisher-sdk/callbacks'

/** The names that the blocks of the publisher SDK's README take for granted: the client, and the application's own. */
export interface Names {
  publisher: Publisher
  lead: LeadSubmission
  receive: CallbackReceiver
  /** The customer's entries, and the hidden fields. */
  form: {
    product_id: string
    first_name: string
    last_name: string
    birthday: string
    email: string
    amount: number
    purpose: LoanProductData['loan_purpose']
    months: number
    terms: boolean
    privacy: boolean
    landingPage: string
  }
  /** The HTTP request that the form came by. */
  request: { ip: string }
  database: {
    saveResult(lead: Lead, result: SubmitResult): Promise<void>
    hasLead(lead_id: string): Promise<boolean>
    saveEvent(event: CallbackEvent): Promise<void>
    query(sql: string, values: unknown[]): Promise<{ rowCount: number | null }>
  }
  /** As node-redis has it. */
  redis: {
    get(key: string): Promise<string | null>
    set(key: string, text: string, options: { PX: number; NX?: true }): Promise<string | null>
    del(key: string): Promise<number>
  }
  queue: { add(item: object): Promise<void> }
  logger: Record<'info' | 'warn', (what: unknown) => void>
  /** Makes a page. */
  page(text: string): Response
}
