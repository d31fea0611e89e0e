import express, { type Express } from 'express'
import { html, type Markup, page } from './html.ts'
import type { Intake } from './intake.ts'
import { isLoanEvent, type Loan, type LoanStore, loanSteps } from './loan-store.ts'
import { isFinal, type Log, type Outbox } from './outbox.ts'
import { errorPage, show } from './site.ts'

export interface ConsoleOptions {
  loans: LoanStore
  outbox: Outbox
  intake: Intake
  log: Log
}

/** Creates the console of your staff, on another port, which must not be public. */
export function createConsole({ loans, outbox, intake, log }: ConsoleOptions): Express {
  const pages = express().disable('x-powered-by')
  // The page does not wait for the service: a recorded step is reported now or later.
  const report = (refusedToo = false) => void outbox.flush(refusedToo).catch(() => log('the outbox stopped'))

  pages.get('/', (_, response) => show(response, 200, consolePage(loans.list())))

  pages.use((request, response, next) => {
    // A page of another site must not press a button here.
    if (!['same-origin', undefined].includes(request.get('sec-fetch-site'))) return response.status(403).end()
    next()
  })
  pages.post('/leads', express.urlencoded({ extended: false, limit: '16kb' }), ({ body }, response) => {
    const { wrong } = intake({ postback_url: String(body?.postback_url ?? '').trim() })
    if (wrong) return show(response, 422, consolePage(loans.list(), wrong))
    response.redirect(303, '/')
  })
  pages.post('/leads/:lead_id/:event', ({ params: { lead_id, event } }, response) => {
    const result = isLoanEvent(event) ? loans.take(lead_id, event) : 'refused'
    if (result === 'no such lead') return show(response, 404, consolePage(loans.list()))
    if (result === 'refused') return show(response, 409, consolePage(loans.list()))
    report()
    response.redirect(303, '/')
  })
  pages.post('/try-again', (_, response) => {
    report(true)
    response.redirect(303, '/')
  })
  return pages.use(errorPage(log))
}

function consolePage(loans: readonly Loan[], wrong?: string): string {
  const rows = loans.map(
    loan => html`<tr id="${loan.lead_id}"><td>${loan.ref}<br><span class="soft">${loan.lead_id}</span></td>
    <td>${loan.state}</td><td>${steps(loan)}</td><td>${reports(loan)}</td></tr>`,
  )
  return page(
    'Loans',
    html`<h1>Loans</h1>
<table><thead><tr><th>Loan</th><th>State</th><th>Next</th><th>Reported</th></tr></thead><tbody>${rows}</tbody></table>
<form method="post" action="/try-again"><button>Report now what waits or was refused</button></form>
<h2>Take over a lead</h2>
<form method="post" action="/leads">
  <label for="postback_url">Its postback URL, just as the service gave it</label>
  <input id="postback_url" name="postback_url" autocomplete="off" required>
  ${wrong && html`<p class="issue">${wrong}</p>`}
  <button>Take over</button>
</form>`,
  )
}

function steps({ lead_id, state }: Loan): Markup[] {
  return Object.entries(loanSteps)
    .filter(([, { after }]) => after.includes(state))
    .map(
      ([event, { button }]) =>
        html`<form method="post" action="/leads/${lead_id}/${event}"><button>${button}</button></form>`,
    )
}

function reports({ reports }: Loan): Markup[] {
  return reports.map(({ event, outcome, error }) => {
    const state = outcome ?? (isFinal(error) ? `refused: ${error}` : error ? `waiting, last try: ${error}` : 'waiting')
    return html`<div>${event}: ${state}</div>`
  })
}
