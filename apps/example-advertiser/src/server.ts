// An advertiser's back end: receives leads, and reports each step of a loan until the service has it. It stores
// everything in memory: the Map below replaces a table of your database, and each queue an outbox.
import {
  AuthError,
  ConfigError,
  createAdvertiser,
  type PixelEvent,
  type PostbackUrl,
  pixelEvents,
} from '@lead-distribution/advertiser-sdk'
import express, { type ErrorRequestHandler } from 'express'

const { PORT = '4030' } = process.env
// LEAD_BASE_URL, LEAD_ADVERTISER_API_KEY. Many retries are safe: the service ignores a repeated report.
const advertiser = createAdvertiser({ maxRetries: 50, timeoutMs: 5_000 })

/** A lead as the service delivers it. */
interface Delivery {
  postback_url: string
  amount?: number | undefined
  term_months?: number | undefined
}

interface Loan extends Omit<Delivery, 'postback_url'> {
  /** Works like a key for its lead: encrypt it where you store it. */
  url: PostbackUrl
  /** The result of each reported event. */
  reports: Map<PixelEvent, string>
  /** Reports the events of a loan in order, one at a time. */
  queue: Promise<void>
}

/** The loans by `lead_id`. */
const loans = new Map<string, Loan>()

/** Stores a lead; a repeat changes nothing. @throws ConfigError its postback URL is not usable. */
function takeLead({ postback_url, amount, term_months }: Delivery): Loan {
  const url = advertiser.parsePostbackUrl(postback_url)
  const loan = loans.get(url.lead_id) ?? { url, amount, term_months, reports: new Map(), queue: Promise.resolve() }
  loans.set(url.lead_id, loan)
  return loan
}

/** Reports an event once; again only if the report failed. */
function report(loan: Loan, event: PixelEvent): void {
  if ((loan.reports.get(event) ?? 'failed') !== 'failed') return
  loan.reports.set(event, 'pending')
  loan.queue = loan.queue.then(async () => {
    const result = await send(loan, event).catch(error => {
      console.error(error) // alert your staff: more retries don't help
      return 'failed'
    })
    loan.reports.set(event, result)
    console.log(`Lead ${loan.url.lead_id}: ${event} ${result}`)
  })
}

/** Fires the postback URL. If the service refuses its token, reports with the key instead. */
async function send({ url, amount, term_months }: Loan, event: PixelEvent): Promise<string> {
  try {
    const { outcome } = await advertiser.fire(url, { event, ref: `loan-${url.lead_id.slice(0, 8)}` })
    return outcome // `received`, or `ignored` if an attempt whose reply was lost had recorded it
  } catch (error) {
    if (!AuthError.is(error)) throw error
    const { outcome } = await advertiser.reportStatus(url.lead_id, { status: event, metadata: { amount, term_months } })
    return outcome
  }
}

const backEnd = express().disable('x-powered-by').use(express.json())

// The service delivers a lead. Agree with its operator on the format (this is the sandbox's), and on a shared secret.
backEnd.post('/leads', ({ body }, response) => {
  const { lead_id } = takeLead(Object(body)).url
  console.log(`Lead ${lead_id}: received`)
  response.status(201).json({ lead_id })
})

// Your staff advances a loan: protect this with a login. `lead-sandbox certify` delivers the lead in the same request.
backEnd.post('/staff/report', ({ body }, response) => {
  const { lead_id, event } = Object(body)
  if (!pixelEvents.includes(event)) return response.status(422).json({ error: `One of ${pixelEvents.join(', ')}.` })
  report(loans.get(lead_id) ?? takeLead(body), event)
  response.sendStatus(202)
})

backEnd.get('/staff/leads/:lead_id', ({ params }, response) => {
  const loan = loans.get(params.lead_id)
  if (!loan) return response.sendStatus(404)
  const { amount, term_months, reports } = loan
  response.json({ amount, term_months, reports: Object.fromEntries(reports) })
})

const refuse: ErrorRequestHandler = (error, _request, response, next) => {
  if (!ConfigError.is(error)) return next(error)
  // Explains what is wrong with the postback URL without repeating it.
  response.status(422).json({ error: error.message })
}
backEnd.use(refuse)

backEnd.listen(Number(PORT), '127.0.0.1', error => {
  if (error) throw error // for example, because the port is in use
  console.log(`Send leads to http://127.0.0.1:${PORT}/leads`)
})
