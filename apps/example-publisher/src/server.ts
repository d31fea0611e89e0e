// A publisher's site: a form, a submission that survives a lost reply, and a receiver for the service's callbacks. It
// stores everything in memory: each Map below replaces a table of your database.
import { randomUUID } from 'node:crypto'
import {
  createConsents,
  createPublisher,
  createTracking,
  type Lead,
  LeadSdkError,
  leadBounds,
  leadChoices,
  type RedirectUrl,
  type SubmitResult,
  ValidationError,
} from '@lead-distribution/publisher-sdk'
import { createCallbackReceiver } from '@lead-distribution/publisher-sdk/callbacks'
import { nodeCallbacks } from '@lead-distribution/publisher-sdk/node'
import express, { type Request } from 'express'

const { PRODUCT_ID = '', CALLBACK_SECRETS = '', CALLBACK_SIGNING_SECRET, PORT = '4020' } = process.env
// The URL that customers see. Not read from the request, because anyone can set its `Host` header.
const { SITE_ORIGIN = `http://127.0.0.1:${PORT}` } = process.env
const publisher = createPublisher() // LEAD_BASE_URL, LEAD_PUBLISHER_API_KEY, PUBLISHER_ID

/** The response to the customer. */
interface Answer {
  text: string
  redirect_url?: RedirectUrl
}

/** A customer's application. Store it before you submit it. */
interface Application {
  lead: Lead
  /** `not_sent`: no lead was created. */
  state: SubmitResult['outcome'] | 'sending' | 'not_sent'
  /** True once a reply was lost: the service may have the lead. */
  mayExist: boolean
  /** The id in callbacks. */
  lead_id: string | null
  answer?: Promise<Answer>
}

/** The applications by their form's id. */
const applications = new Map<string, Application>()

/**
 * The events by lead, including leads that no application has: a callback may arrive before the reply, or after a lost
 * one.
 */
const events = new Map<string, string[]>()

const thanks = { text: 'Thank you. We will write to you.' }
const checking = { text: 'We are making sure that your application has arrived. There is no need to send it again.' }

/** Submits an application. @throws ValidationError the customer must correct something. */
async function send(application: Application): Promise<Answer> {
  const { lead, mayExist } = application
  application.state = 'sending'
  try {
    const result = await publisher.submit(lead, { resubmission: mayExist })
    application.state = result.outcome
    application.lead_id = result.lead_id ?? null
    switch (result.outcome) {
      case 'distributed': // an advertiser has the lead
        return { text: 'Your application was accepted.', redirect_url: result.redirect_url }
      case 'new': // no advertiser has it yet
      case 'unrecognized': // a status from a newer service
        return thanks
      case 'rejected':
        // The existing lead may be this one, whose reply was lost. Don't tell the customer that they were rejected.
        return result.possiblyOwnLead ? checking : { text: 'We have no offer for you at present.' }
      case 'unknown': // the reply was lost: the lead may exist
        application.mayExist = true
        return checking
    }
  } catch (error) {
    application.state = 'not_sent'
    if (ValidationError.is(error) || !LeadSdkError.is(error)) throw error
    console.error(`Not sent: ${error.message}`) // contains no key and no customer data
    return thanks
  }
}

/**
 * Creates the lead from a form. The SDK validates the fields.
 * @throws ValidationError a required consent is missing.
 */
function leadOf({ body, ip = '', originalUrl, headers }: Request): Lead {
  const consent = (type: string, version: string) => ({
    version,
    document_url: `${SITE_ORIGIN}/documents/${type}/${version}`,
    accepted: body[type] === 'on',
  })
  return {
    product_id: PRODUCT_ID,
    customer: {
      personal_data: { first_name: body.first_name, last_name: body.last_name, gender: body.gender },
      contact: { email: { address: body.email } },
      profile: { occupation: body.occupation, monthly_income: Number(body.monthly_income) },
    },
    product_data: {
      loan_amount: Number(body.loan_amount),
      loan_purpose: body.loan_purpose,
      loan_term_months: Number(body.loan_term_months),
    },
    consents: createConsents({
      ip_address: ip, // behind a proxy, set Express's `trust proxy`
      user_agent: headers['user-agent'],
      entries: {
        terms: consent('terms', '2026-01'),
        privacy_policy: consent('privacy_policy', '2026-01'),
        marketing: consent('marketing', '2025-09'),
      },
    }),
    // The form posts to its own URL, which still has the campaign's parameters.
    tracking: createTracking({ url: new URL(originalUrl, SITE_ORIGIN) }),
  }
}

const site = express().disable('x-powered-by')

site.get('/apply', (_, response) => void response.send(form()))

site.post('/apply', express.urlencoded(), async (request, response) => {
  const { application: id = randomUUID() } = request.body
  try {
    // A double click or a reload sends the same form again: it is still a single application.
    const known = applications.get(id)
    const application = known ?? { lead: leadOf(request), state: 'sending', mayExist: false, lead_id: null }
    applications.set(id, application)
    application.answer ??= send(application)
    const { text, redirect_url } = await application.answer
    if (redirect_url) return response.redirect(303, redirect_url)
    response.send(page(`<p>${text}</p>`))
  } catch (error) {
    applications.delete(id)
    if (!ValidationError.is(error)) throw error
    const issues = error.issues.map(({ field, issue }) => `<li>${field} ${issue}</li>`)
    response.status(422).send(page(`<p>Please go back and correct:</p><ul>${issues.join('')}</ul>`))
  }
})

site.get('/documents/:type/:version', (_, response) => {
  response.send(page('<p>The document is here, unchanged, for as long as anyone has accepted it.</p>'))
})

const receive = createCallbackReceiver({
  verify: {
    urlSecrets: CALLBACK_SECRETS.split(','), // several during a rotation
    ...(CALLBACK_SIGNING_SECRET && { signature: { secrets: [CALLBACK_SIGNING_SECRET] } }),
  },
  // Called once for each event of a lead.
  handle: ({ lead_id, event, rawEvent }) => {
    const name = event === 'unrecognized' ? rawEvent : event
    events.set(lead_id, [...(events.get(lead_id) ?? []), name])
    console.log(`Callback: ${name}, lead ${lead_id}`)
  },
  onRefusal: ({ status, reason }) => console.warn(`Callback refused (${status}): ${reason}`),
  onError: error => console.error('Callback failed:', error),
})
site.use('/callbacks', nodeCallbacks(receive))

// For your staff: protect it with a login.
site.get('/staff/leads/:lead_id/events', ({ params }, response) => {
  response.type('text').send((events.get(params.lead_id) ?? []).join('\n'))
})

// Resubmits leads that the service doesn't have, or may not have. Contact the customers whose lead is distributed now.
site.post('/staff/resubmit', async (_, response) => {
  const states: string[] = []
  for (const application of applications.values()) {
    if (application.state !== 'not_sent' && application.state !== 'unknown') continue
    application.answer = send(application)
    await application.answer.catch(() => {}) // stays `not_sent`
    states.push(application.state)
  }
  response.json(states)
})

function form(): string {
  const options = (values: readonly string[]) => values.map(value => `<option>${value}</option>`).join('')
  const bounds = ({ min, max }: { min: number; max: number }) => `type="number" min="${min}" max="${max}" required`
  return page(`<h1>Apply for a loan</h1>
<form method="post">
  <input type="hidden" name="application" value="${randomUUID()}">
  <label>Amount in euros <input name="loan_amount" ${bounds(leadBounds.loanAmount)}></label>
  <label>Term in months <input name="loan_term_months" ${bounds(leadBounds.loanTermMonths)}></label>
  <label>Purpose <select name="loan_purpose">${options(leadChoices.loanPurposes)}</select></label>
  <label>First name <input name="first_name" autocomplete="given-name" required></label>
  <label>Last name <input name="last_name" autocomplete="family-name" required></label>
  <label>Email <input name="email" type="email" autocomplete="email" required></label>
  <label>Gender <select name="gender">${options(leadChoices.genders)}</select></label>
  <label>Occupation <select name="occupation">${options(leadChoices.occupationTypes)}</select></label>
  <label>Net income a month in euros <input name="monthly_income" type="number" min="0" required></label>
  <label><input name="terms" type="checkbox"> I accept the <a href="/documents/terms/2026-01">terms of use</a></label>
  <label><input name="privacy_policy" type="checkbox"> I accept the
    <a href="/documents/privacy_policy/2026-01">privacy policy</a></label>
  <label><input name="marketing" type="checkbox"> Write to me about
    <a href="/documents/marketing/2025-09">other offers</a> (optional)</label>
  <button>Apply</button>
</form>`)
}

function page(body: string): string {
  return `<!doctype html>
<html lang="en">
<meta name="viewport" content="width=device-width">
<title>Loans</title>
<style>
  body { font: 1.1rem/1.5 system-ui; max-width: 30rem; margin: 2rem auto }
  label { display: block; margin: .5rem 0 }
</style>
${body}
</html>
`
}

site.listen(Number(PORT), '127.0.0.1', error => {
  if (error) throw error // for example, because the port is in use
  console.log(`Apply at ${SITE_ORIGIN}/apply`)
})
