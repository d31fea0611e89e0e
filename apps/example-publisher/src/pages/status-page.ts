import type { Application, ApplicationState } from '../application-store.ts'
import { html, page } from './html.ts'

const taken = 'We have your application. As soon as there is news we will write to you.'

/** The text for each state. A rejection shows no reason: it may be personal. */
const stateTexts: Record<ApplicationState, readonly [title: string, text: string]> = {
  sending: ['Your application is on its way', 'Reload this page in a moment.'],
  distributed: ['A lender has your application', 'Go on with your application at the lender.'],
  new: ['We have your application', taken],
  unrecognized: ['We have your application', taken],
  rejected: [
    'We cannot offer you a loan at the moment',
    'Thank you for your interest. You are welcome to ask again later, or for another amount.',
  ],
  waiting: ['We have your application', `${taken} There is no need to send it again.`],
  unknown: [
    'We have your application',
    'We are making sure that it has arrived. Please do not send it again: a second one would be refused.',
  ],
}

const eventTexts: Record<string, string> = {
  registration: 'You have registered with the lender.',
  approved: 'Your loan is approved.',
  rejected: 'The lender cannot offer you this loan.',
  completed: 'Your loan is paid back.',
  defaulted: 'The lender has a question about your loan: please get in touch with them.',
  converted: 'Your application has made progress.',
}

export function statusPage({ state, redirect_url, events }: Application): string {
  const [title, text] = stateTexts[state]
  const news = events.map(event => html`<li>${eventTexts[event] ?? 'There is news from the lender.'}</li>`)
  const body = html`<h1>${title}</h1>
<p>${text}</p>
${redirect_url !== null && html`<p><a class="button" href="${redirect_url}">To the lender</a></p>`}
${news.length > 0 && html`<h2>News</h2><ol>${news}</ol>`}`
  return page(title, body)
}

export function notePage(title: string, text: string): string {
  return page(title, html`<h1>${title}</h1><p>${text}</p>`)
}
