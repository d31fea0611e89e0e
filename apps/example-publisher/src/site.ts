import { type FieldIssue, ValidationError } from '@lead-distribution/publisher-sdk'
import { createCallbackReceiver } from '@lead-distribution/publisher-sdk/callbacks'
import { nodeCallbacks } from '@lead-distribution/publisher-sdk/node'
import express, { type ErrorRequestHandler, type Express, type Request, type Response } from 'express'
import type { Application, Applications } from './application-store.ts'
import { consentDocuments } from './form-fields.ts'
import { leadOfForm, type PublisherIds } from './lead-of-form.ts'
import { formIssues, formPage } from './pages/form-page.ts'
import { pageHeaders } from './pages/html.ts'
import { notePage, statusPage } from './pages/status-page.ts'
import type { Log, Sender } from './send-application.ts'

export interface SiteOptions {
  /** Scheme and host that customers see. Not taken from a request: its `Host` header is the client's to choose. */
  origin: string
  ids: PublisherIds
  applications: Applications
  sender: Sender
  /** The secrets in the path of the callback URL; several during a rotation. */
  callbackSecrets: readonly string[]
  /** The signing secret of callbacks, if the service signs them. */
  signingSecret?: string | undefined
  log: Log
}

/** Creates the publisher's site: the form, the redirect, and the endpoint of the service's callbacks. */
export function createSite(options: SiteOptions): Express {
  const { origin, ids, applications, sender, log } = options
  const site = express().disable('x-powered-by')

  site.get('/', (request, response) => {
    const landing = `${origin}${request.originalUrl}`
    const form = formPage({ id: crypto.randomUUID(), landing, values: {}, issues: {} })
    // Kept in the browser: a customer who comes back gets the same form and sends the same application.
    show(response, 200, form, 'private, no-cache')
  })

  site.post('/apply', express.urlencoded({ extended: false, limit: '16kb' }), async (request, response) => {
    const values = textsOf(request.body)
    const { application: id = '', landing = '' } = values
    if (!/^[0-9a-f-]{36}$/.test(id)) return response.redirect(303, '/')
    // A double click or a reload: it was sent or is in flight, and is not sent again.
    const issues = applications.find(id) ? await sender.settled(id) : await apply(id, values, request)
    const shown = formIssues(issues)
    if (Object.keys(shown).length > 0) {
      applications.forget(id)
      return show(response, 422, formPage({ id, landing, values, issues: shown }))
    }
    const application = applications.find(id)
    if (!application) {
      log(`application ${id}: not sent, look at ${issues.map(({ field }) => field).join(', ')}`)
      throw new Error('The lead is wrong in what no customer can correct.')
    }
    goOn(response, application)
  })

  async function apply(id: string, values: Record<string, string>, request: Request): Promise<readonly FieldIssue[]> {
    try {
      const sentFrom = { origin, ip: request.ip ?? '', userAgent: request.get('user-agent') }
      return await sender.send(id, leadOfForm(values, ids, sentFrom))
    } catch (error) {
      if (ValidationError.is(error)) return error.issues
      throw error
    }
  }

  site.get('/application/:id', (request, response) => {
    const application = applications.find(request.params.id)
    if (!application) return show(response, 404, notePage('No such application', 'Check the address of this page.'))
    show(response, 200, statusPage(application))
  })

  for (const { path, version } of Object.values(consentDocuments)) {
    const document = notePage(`Version ${version}`, 'The document is here, for as long as anyone has accepted it.')
    site.get(path, (_, response) => show(response, 200, document))
  }

  site.use('/callbacks', nodeCallbacks(createReceiver(options)))

  return site.use(errorPage(log))
}

function createReceiver({ applications, callbackSecrets, signingSecret, log }: SiteOptions) {
  return createCallbackReceiver({
    verify: { urlSecrets: callbackSecrets, ...(signingSecret && { signature: { secrets: [signingSecret] } }) },
    isKnownLead: lead_id => applications.hasLead(lead_id),
    handle: event => {
      applications.keepEvent(event)
      log(`callback for lead ${event.lead_id}: ${event.event}`)
    },
    handleUnknownLead: event => {
      applications.keepEvent(event)
      log(`callback for lead ${event.lead_id}, which no application has: ${event.event}, parked`)
    },
    onRefusal: ({ status, reason }) => log(`callback refused, ${status}: ${reason}`),
    onError: () => log('callback failed: the service sends it again'),
  })
}

function errorPage(log: Log): ErrorRequestHandler {
  return (error, _request, response, next) => {
    // Its message may repeat the customer's input.
    log(`an error of the site: ${error instanceof Error ? error.name : 'unknown'}`)
    if (response.headersSent) return next(error)
    const status = error.status >= 400 && error.status < 500 ? error.status : 500
    show(response, status, notePage('That did not work', 'Please go back and try again in a few minutes.'))
  }
}

/** Redirects the customer to the advertiser that has the lead, or to the status page of the application. */
function goOn(response: Response, { id, state, redirect_url }: Application): void {
  // Set unchanged: Express's own redirect rewrites some URLs.
  if (state === 'distributed' && redirect_url !== null) response.set('location', redirect_url)
  else response.set('location', `/application/${id}`)
  response.status(303).set('cache-control', 'no-store').end()
}

function show(response: Response, status: number, page: string, cache = 'no-store'): void {
  response.status(status).set(pageHeaders).set('cache-control', cache).type('html').send(page)
}

/** Returns the texts of a form, without repeated fields. */
function textsOf(body: unknown): Record<string, string> {
  return Object.fromEntries(Object.entries(Object(body)).filter(([, value]) => typeof value === 'string')) as never
}
