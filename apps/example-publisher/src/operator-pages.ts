import express, { type Express, type Response } from 'express'
import type { Applications } from './application-store.ts'
import { html, page, pageHeaders } from './pages/html.ts'
import type { Sender } from './send-application.ts'

export interface OperatorOptions {
  applications: Applications
  sender: Sender
}

/** Creates the pages of your staff, on another port, which must not be public. They show no personal data. */
export function createOperatorPages({ applications, sender }: OperatorOptions): Express {
  const pages = express().disable('x-powered-by')
  const form = express.urlencoded({ extended: false, limit: '4kb' })

  pages.get('/', (_, response) => {
    response.set(pageHeaders).set('cache-control', 'no-store').type('html').send(overview(applications))
  })

  // The events of one lead, one name per line, for scripts such as a certification.
  pages.get('/leads/:lead_id/events', ({ params }, response) => {
    response.type('text').send(applications.eventsOf(params.lead_id.toLowerCase()).join('\n'))
  })

  pages.use((request, response, next) => {
    // A page of another site must not press a button here.
    if (!['same-origin', undefined].includes(request.get('sec-fetch-site'))) return response.status(403).end()
    next()
  })
  pages.post('/send-again', form, async ({ body }, response) => {
    await sender.sendAgain(String(body?.id))
    back(response)
  })
  pages.post('/belongs', form, ({ body }, response) => {
    applications.adopt(String(body?.id), String(body?.lead_id))
    back(response)
  })
  return pages
}

function back(response: Response): void {
  response.redirect(303, '/')
}

function overview(applications: Applications): string {
  const all = applications.list()
  const unknown = all.filter(({ state }) => state === 'unknown')
  const rows = all.map(
    ({ id, at, state, lead_id, events }) => html`<tr><td>${at}<br><span class="soft">${id}</span></td>
    <td>${state}${(state === 'waiting' || state === 'unknown') && button('/send-again', { id }, 'Send again')}</td>
    <td>${lead_id ?? ''}</td><td>${events.join(', ')}</td></tr>`,
  )
  const parked = applications.parked().map(
    ({ lead_id, event }) => html`<tr><td>${lead_id}</td><td>${event}</td>
    <td>${unknown.map(({ id, at }) => button('/belongs', { id, lead_id }, `Belongs to the application of ${at}`))}</td></tr>`,
  )
  const body = html`<h1>Applications</h1>
<table><thead><tr><th>Application</th><th>State</th><th>Lead</th><th>Events</th></tr></thead><tbody>${rows}</tbody></table>
<h2>Callbacks of leads that no application has</h2>
<p class="soft">The reply that named the lead may have been lost. Ask the service whose lead it is.</p>
<table><thead><tr><th>Lead</th><th>Event</th><th></th></tr></thead><tbody>${parked}</tbody></table>`
  return page('Applications', body)
}

function button(action: string, values: Record<string, string>, text: string) {
  const inputs = Object.entries(values).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`,
  )
  return html`<form method="post" action="${action}">${inputs}<button>${text}</button></form>`
}
