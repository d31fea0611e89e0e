import type { Loan } from '../loan-book.ts'
import { html, page } from './html.ts'

/** Where a customer arrives: what the lender's own application form would be. */
export function welcomePage({ lead_id, state, amount, term_months }: Loan): string {
  const figures = amount !== null && term_months !== null && html`<p>${amount} euros over ${term_months} months.</p>`
  return page(
    'Your application',
    html`<h1>Your application</h1>
${figures}
${
  state === 'received'
    ? html`<form method="post" action="/welcome/${lead_id}"><button>Create an account and go on</button></form>`
    : html`<p>You have an account with us. We will be in touch.</p>`
}`,
  )
}

/** A page of a title and a sentence. */
export function notePage(title: string, text: string): string {
  return page(title, html`<h1>${title}</h1><p>${text}</p>`)
}
