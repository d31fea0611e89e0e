import { type Advertiser, ConfigError, type PostbackUrl, type TokenCheck } from '@lead-distribution/advertiser-sdk'
import { explainPostbackUrl } from '@lead-distribution/advertiser-sdk/explain'
import type { LoanStore } from './loan-store.ts'

export interface IntakeOptions {
  advertiser: Advertiser
  /** Base address of the service. */
  baseUrl: string
  loans: LoanStore
  /** Checks tokens, if the service shares its secret with you. */
  checkToken: TokenCheck | undefined
}

export interface Delivery {
  postback_url: string
  amount?: number | undefined
  term_months?: number | undefined
}

/** A stored lead, or what is wrong with its postback URL. No sentence repeats the token. */
export type IntakeResult = { lead_id: string; wrong?: never } | { lead_id?: never; wrong: readonly string[] }

/** Takes in leads, and finds postback URLs that could not be fired later. */
export function createIntake({ advertiser, baseUrl, loans, checkToken }: IntakeOptions) {
  function parsed(raw: string): PostbackUrl | undefined {
    try {
      return advertiser.parsePostbackUrl(raw)
    } catch (error) {
      if (ConfigError.is(error)) return undefined
      throw error
    }
  }

  return async ({ postback_url, amount, term_months }: Delivery): Promise<IntakeResult> => {
    const url = parsed(postback_url)
    if (!url) {
      const findings = await explainPostbackUrl(postback_url, { baseUrl })
      return { wrong: findings.filter(({ verdict }) => verdict === 'wrong').map(({ message }) => message) }
    }
    if (checkToken && !(await checkToken(url))) return { wrong: ['The token is not one of the service for this lead.'] }
    const { lead_id } = url
    // Exposed only to store it: it is as good as a key.
    loans.keep({ lead_id, postback_url: url.expose(), amount: amount ?? null, term_months: term_months ?? null })
    return { lead_id }
  }
}

export type Intake = ReturnType<typeof createIntake>
