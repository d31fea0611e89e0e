import express, { type Express } from 'express'
import type { Intake } from './intake.ts'
import { faultPage, show } from './lender-site.ts'
import type { LoanBook } from './loan-book.ts'
import { isLoanEvent } from './loan-steps.ts'
import type { Log, Outbox } from './outbox.ts'
import { consolePage } from './pages/console-page.ts'

/** What the console is made of. */
export interface ConsoleOptions {
  book: LoanBook
  outbox: Outbox
  intake: Intake
  log: Log
}

/** The console of the lender's staff, on a port of its own, which no proxy leads to. */
export function createOfficerConsole({ book, outbox, intake, log }: ConsoleOptions): Express {
  const pages = express().disable('x-powered-by')
  // The page does not wait for the service: what is recorded is reported, now or later.
  const report = (refusedToo = false) => void outbox.flush(refusedToo).catch(() => log('the outbox stopped'))

  pages.get('/', (_, response) => show(response, 200, consolePage(book.list())))

  pages.use((request, response, next) => {
    // A page of elsewhere must not press a button here.
    if (!['same-origin', undefined].includes(request.get('sec-fetch-site'))) return response.status(403).end()
    next()
  })
  pages.post('/leads', express.urlencoded({ extended: false, limit: '16kb' }), async ({ body }, response) => {
    const { wrong } = await intake({ postback_url: String(body?.postback_url ?? '').trim() })
    if (wrong) return show(response, 422, consolePage(book.list(), wrong))
    response.redirect(303, '/')
  })
  pages.post('/leads/:lead_id/:event', ({ params: { lead_id, event } }, response) => {
    const result = isLoanEvent(event) ? book.take(lead_id, event) : 'refused'
    if (result === 'no such lead') return show(response, 404, consolePage(book.list()))
    if (result === 'refused') return show(response, 409, consolePage(book.list()))
    report()
    response.redirect(303, '/')
  })
  pages.post('/try-again', (_, response) => {
    report(true)
    response.redirect(303, '/')
  })
  return pages.use(faultPage(log))
}
