import type { LoanProductData, Profile } from '@lead-distribution/contract'
import { poorestProfile } from './customers.ts'
import type { LeadChanges } from './lead-changes.ts'
import { admittedLoans, gapCandidates, type LoanBands, nearestLoan, purposes } from './loans.ts'
import type { PublishedAdvertiser, PublishedProduct } from './published-account.ts'

/** A lead that passes the rules and that no advertiser accepts: by its amount if possible, else its term, purpose or income. */
export function untakenLead(product: PublishedProduct, advertisers: readonly PublishedAdvertiser[]): LeadChanges {
  const admitted = admittedLoans(product)
  const usual = nearestLoan(admitted)
  const candidates = (name: keyof LoanBands) => {
    const taken = advertisers.map(({ criteria }) => criteria[name])
    return [usual[name], ...gapCandidates(admitted[name], taken)]
  }
  const [amounts, terms] = [candidates('loan_amount'), candidates('loan_term_months')]
  for (const profile of [undefined, poorestProfile(product)])
    for (const loan_purpose of purposes)
      for (const loan_term_months of terms)
        for (const loan_amount of amounts) {
          const loan = { loan_amount, loan_purpose, loan_term_months }
          if (advertisers.some(advertiser => takes(advertiser, loan, profile))) continue
          return { product_data: loan, ...(profile && { customer: { profile } }) }
        }
  throw new Error(
    'Some advertiser accepts every lead that passes the rules: let the loan_amount of every advertiser end below that of the product.',
  )
}

/** Whether an advertiser accepts a lead by its published criteria; a lead without an income passes that of income. */
function takes({ criteria }: PublishedAdvertiser, loan: LoanProductData, profile: Profile | undefined): boolean {
  const { loan_amount, loan_term_months, loan_purposes_excluded, minimum_monthly_income } = criteria
  return (
    loan.loan_amount >= loan_amount.min &&
    loan.loan_amount <= loan_amount.max &&
    loan.loan_term_months >= loan_term_months.min &&
    loan.loan_term_months <= loan_term_months.max &&
    !loan_purposes_excluded.includes(loan.loan_purpose) &&
    (profile === undefined || profile.monthly_income >= minimum_monthly_income)
  )
}
