import { type Advertiser, ConfigError, type PostbackUrl } from '@lead-distribution/advertiser-sdk'
import type { LoanStore } from './loan-store.ts'

export interface IntakeOptions {
  advertiser: Advertiser
  loans: LoanStore
}

export interface Delivery {
  postback_url: string
  amount?: number | undefined
  term_months?: number | undefined
}

/** A stored lead, or what is wrong with its postback URL, without its token. */
export type IntakeResult = { lead_id: string; wrong?: never } | { lead_id?: never; wrong: string }

/** Takes in leads, and finds postback URLs that could not be fired later. */
export function createIntake({ advertiser, loans }: IntakeOptions) {
  return ({ postback_url, amount, term_months }: Delivery): IntakeResult => {
    let url: PostbackUrl
    try {
      url = advertiser.parsePostbackUrl(postback_url)
    } catch (error) {
      if (ConfigError.is(error)) return { wrong: error.message }
      throw error
    }
    const { lead_id } = url
    // Exposed only to store it: it is as good as a key.
    loans.keep({ lead_id, postback_url: url.expose(), amount: amount ?? null, term_months: term_months ?? null })
    return { lead_id }
  }
}

export type Intake = ReturnType<typeof createIntake>
