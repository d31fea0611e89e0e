import type {
  CallAttempt,
  LeadSubmission,
  LoanProductData,
  Publisher,
  SubmitResult,
} from '@lead-distribution/publisher-sdk'
import type { CallbackEvent, CallbackReceiver } from '@lead-distribution/publisher-sdk/callbacks'

/** The names that the blocks of the publisher SDK's README take for granted: the client, and the application's own. */
export interface Names {
  publisher: Publisher
  lead: LeadSubmission
  receive: CallbackReceiver
  /** The customer's entries, and the hidden fields. */
  form: {
    product_id: string
    publisher_id: string
    first_name: string
    last_name: string
    birthday: string
    email: string
    amount: number
    purpose: LoanProductData['loan_purpose']
    months: number
    terms: boolean
    privacy: boolean
    marketing: boolean
    landingPage: string
  }
  /** Makes a lead of what a form was filled in with. */
  leadOf(fields: unknown): LeadSubmission
  /** The HTTP request that the form came by. */
  request: { ip: string; userAgent: string }
  database: {
    saveResult(lead: LeadSubmission, result: SubmitResult): Promise<void>
    saveForLater(lead: LeadSubmission): Promise<void>
    saveUnknown(lead: LeadSubmission, attempt: CallAttempt): Promise<void>
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
  logger: Record<'info' | 'warn', (what: object) => void>
  /** Makes a page. */
  page(text: string): Response
}
