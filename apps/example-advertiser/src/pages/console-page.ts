import type { Loan } from '../loan-book.ts'
import { loanSteps } from '../loan-steps.ts'
import { isFinal } from '../outbox.ts'
import { html, type Markup, page } from './html.ts'

/** The loans with the steps that each can take next, for the lender's staff. */
export function consolePage(loans: readonly Loan[], wrong: readonly string[] = []): string {
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
  ${wrong.map(sentence => html`<p class="issue">${sentence}</p>`)}
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
  return reports.map(({ event, outcome, fault }) => {
    const state = outcome ?? (isFinal(fault) ? `refused: ${fault}` : fault ? `waiting, last try: ${fault}` : 'waiting')
    return html`<div>${event}: ${state}</div>`
  })
}
