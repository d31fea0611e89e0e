import { createHash, timingSafeEqual } from 'node:crypto'
import express, { type ErrorRequestHandler, type Express, type Response } from 'express'
import { html, page, pageHeaders } from './html.ts'
import type { Intake } from './intake.ts'
import type { Loan, LoanStore } from './loan-store.ts'
import type { Log, Outbox } from './outbox.ts'

export interface SiteOptions {
  loans: LoanStore
  outbox: Outbox
  intake: Intake
  /** The message of the service that delivers a lead; agreed with its operator. */
  deliveryToken: string
  log: Log
}

/** Creates the public site: the delivery of leads, and the page where customers arrive. */
export function createSite({ loans, outbox, intake, deliveryToken, log }: SiteOptions): Express {
  const site = express().disable('x-powered-by')

  site.post('/leads', (request, response, next) => {
    if (isSame(request.get('authorization') ?? '', `Bearer ${deliveryToken}`)) return next()
    response.status(401).json({ error: 'unauthorized' })
  })
  site.post('/leads', express.json({ limit: '16kb' }), ({ body }, response) => {
    const { postback_url, amount, term_months } = Object(body)
    const { lead_id, wrong } = intake({
      postback_url: String(postback_url),
      amount: numberOf(amount),
      term_months: numberOf(term_months),
    })
    log(wrong ? 'a lead was refused: its postback URL is not one of the service' : `lead ${lead_id}: received`)
    if (wrong) response.status(422).json({ error: 'postback_url', wrong })
    else response.status(201).json({ lead_id })
  })

  site.get('/welcome/:lead_id', ({ params }, response) => {
    const loan = loans.find(params.lead_id)
    if (!loan) return show(response, 404, notePage('No such application', 'Please come back in a minute.'))
    show(response, 200, welcomePage(loan))
  })
  site.post('/welcome/:lead_id', ({ params: { lead_id } }, response) => {
    loans.take(lead_id, 'registration')
    outbox.flush().catch(() => log('the outbox stopped'))
    response.redirect(303, `/welcome/${lead_id}`)
  })
  return site.use(errorPage(log))
}

/** Returns what an error may show: only its name, because its message may repeat what was sent. */
export function errorPage(log: Log): ErrorRequestHandler {
  return (error, _request, response, next) => {
    log(`an error of this site: ${error instanceof Error ? error.name : 'unknown'}`)
    if (response.headersSent) return next(error)
    const status = error.status >= 400 && error.status < 500 ? error.status : 500
    show(response, status, notePage('That did not work', 'Please go back and try again in a few minutes.'))
  }
}

export function show(response: Response, status: number, page: string): void {
  response.status(status).set(pageHeaders).type('html').send(page)
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}

/** Compares in constant time. */
function isSame(given: string, expected: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(given), hash(expected))
}

/** Renders the page where a customer arrives, in place of the advertiser's own application form. */
function welcomePage({ lead_id, state, amount, term_months }: Loan): string {
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

function notePage(title: string, text: string): string {
  return page(title, html`<h1>${title}</h1><p>${text}</p>`)
}
