import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { keyHeader, wireError } from '@lead-distribution/contract'
import { type HttpResponse, jsonResponse } from '@lead-distribution/http'
import type { AdvertiserLead } from '@lead-distribution/simulator'
import { statusUrl } from '@lead-distribution/simulator/urls'
import { count, type Finding, failed, judge, notSeen, passed, seconds, until } from '../check.ts'
import { type AdvertiserCheck, type AdvertiserRound, isTaken, reportOf } from './round.ts'

/** A fault to inject into a report. `answer` lets the service process the request first. */
interface Fault {
  readonly name: string
  readonly what: string
  /** The number of requests that it affects. */
  readonly times: number
  readonly respond: (answer: () => Promise<HttpResponse>) => HttpResponse | Promise<HttpResponse>
}

function failedResponse(status: number): HttpResponse {
  const { body } = wireError('internal_error', 'The service is temporarily down. Try again later.')
  return jsonResponse(status, body)
}

const faults: readonly Fault[] = [
  { name: '500', what: 'gets a 500', times: 2, respond: () => failedResponse(500) },
  { name: '503', what: 'gets a 503', times: 2, respond: () => failedResponse(503) },
  {
    name: 'reset',
    what: 'fails because the connection is cut',
    times: 1,
    respond: () => ({ ...failedResponse(500), broken: 'cut' }),
  },
  {
    name: 'lost_reply',
    what: 'is recorded but loses its response',
    times: 1,
    respond: async answer => ({ ...(await answer()), broken: 'cut' }),
  },
  {
    name: 'no_reply',
    what: 'gets no response',
    times: 1,
    respond: () => ({ ...failedResponse(500), broken: 'withheld' }),
  },
]

/**
 * One check for each fault: the application retries the report until it succeeds (Spec 4.3, rule 3: a repeat is
 * harmless).
 */
const retryChecks: readonly AdvertiserCheck[] = faults.map(({ name, what, times, respond }) => ({
  id: `retry.${name}`,
  spec: '4.3, 7',
  expected: `A report that ${what} is sent again until it succeeds.`,
  fix: 'Keep each report until the response is received or ignored, with a timeout for each attempt: a repeat is harmless.',
  async run(round) {
    const lead = await round.newLead()
    let left = times
    using _fault = round.answer(lead, async (_request, answer) => (left-- > 0 ? respond(answer) : answer()))
    const done = () => round.requestsOf(lead).some(isTaken)
    const { requests, trouble } = await round.report(lead, 'registration', { done })
    if (done()) return passed(`The report succeeded on attempt ${requests.findIndex(isTaken) + 1}.`)
    if (requests.length === 0) return noRequest(trouble)
    return failed(
      `The report did not succeed within ${seconds(round.patienceMs)}, in ${count(requests.length, 'attempt')}.`,
    )
  },
}))

/** The duration of the simulated outage, milliseconds. */
const downMs = 6_000
/**
 * The number of requests about one lead in that time that counts as a retry storm: far more than exponential backoff
 * sends.
 */
const stormRequests = 20

/** The minimum time that the first of two events keeps failing after the second is reported, milliseconds. */
const heldMs = 4_000

const pacingChecks: readonly AdvertiserCheck[] = [
  {
    id: 'retry.pauses',
    spec: '7',
    expected: `While the service is down, a report is sent fewer than ${stormRequests} times in ${seconds(downMs)}.`,
    fix: 'Wait before each retry, longer each time and with some jitter: half a second, then one, two and four.',
    async run(round) {
      const lead = await round.newLead()
      const sent = () => round.requestsOf(lead).length
      using _outage = round.answer(lead, async () => failedResponse(502))
      const { trouble } = await round.report(lead, 'registration', { done: requests => requests.length > 0 })
      if (sent() === 0) return noRequest(trouble)
      return (await until(() => sent() >= stormRequests, downMs))
        ? failed(
            `While the service was down, the report was sent ${stormRequests} times in less than ${seconds(downMs)}.`,
          )
        : passed(`While the service was down for ${seconds(downMs)}, the report was sent ${count(sent(), 'time')}.`)
    },
  },
  {
    id: 'retry.order',
    spec: '6.1',
    expected: 'If the report of an event fails, later events of the same lead wait for it.',
    fix: "Send a lead's events in the order in which they happened, with one queue for each lead.",
    async run(round) {
      const lead = await round.newLead()
      let isDown = true
      const taken = (name: string) => round.requestsOf(lead).find(request => request.event === name && isTaken(request))
      using _outage = round.answer(lead, async (request, answer) =>
        isDown && reportOf(request)?.event === 'registration' ? failedResponse(502) : answer(),
      )
      await round.report(lead, 'registration', { done: requests => requests.length > 0 })
      await round.report(lead, 'approved', { done: () => true })
      await until(() => taken('approved') !== undefined, Math.max(heldMs, round.quietMs))
      isDown = false
      if (taken('approved')) return failed('approved was recorded while registration was still failing.')
      await until(() => taken('approved') !== undefined && taken('registration') !== undefined, round.patienceMs)
      const [registration, approved] = [taken('registration'), taken('approved')]
      if (!registration || !approved)
        return failed(
          `At least one of the two events was not recorded within ${seconds(round.patienceMs)} after the service recovered.`,
        )
      return judge(
        'Both events were recorded in order.',
        approved.request.at < registration.request.at && 'approved was recorded before registration.',
      )
    },
  },
]

/** Two attempts each by pixel and by JSON request: more are useless if the response cannot change. */
const mostTries = 4

const fix =
  "Don't retry after a 401 or 404: the response stays the same. Set the report aside, alert your staff, and continue with the other leads."

const refusalChecks: readonly AdvertiserCheck[] = [
  {
    id: 'refused.token',
    spec: '4.3, 5',
    expected: 'A report that gets a 401 is not retried endlessly, and does not block other leads.',
    fix,
    async run(round) {
      const lead = await round.newLead()
      const { status, body } = wireError('unauthorized', 'The key or the token is not valid.')
      using _refused = round.answer(lead, async () => jsonResponse(status, body))
      const { requests, trouble } = await round.report(lead, 'registration', { done: each => each.length > 0 })
      return requests.length === 0 ? noRequest(trouble) : await afterRefusal(round, lead)
    },
  },
  {
    id: 'refused.lead',
    spec: '4.2, 4.3',
    expected: 'The report of an unknown lead is not retried endlessly, and does not block other leads.',
    fix,
    async run(round) {
      const { base_url } = round.account()
      const lead_id = randomUUID()
      const status_url = statusUrl(base_url, lead_id)
      const postback_url = `${status_url}?token=${randomBytes(32).toString('hex')}`
      const lead = { lead_id, status_url, postback_url, amount: 5000, term_months: 24 }
      await round.report(lead, 'registration')
      return afterRefusal(round, lead)
    },
  },
  {
    id: 'refused.redirect',
    spec: '5',
    expected: 'The API key is never sent to another host by following a redirect.',
    fix: "Don't follow redirects: treat a 3xx as a failure, like a 500.",
    async run(round) {
      const lead = await round.newLead()
      const key = round.account().advertisers[0]?.api_key ?? ''
      await using elsewhere = await openElsewhere(key)
      let pixels = 0
      // The second pixel gets a 401, which makes an application fall back to its key.
      using _moved = round.answer(lead, async ({ method }) =>
        method === 'GET' && pixels++ > 0 ? failedResponse(401) : redirect(elsewhere.url),
      )
      const { requests, trouble } = await round.report(lead, 'registration', {
        byJson: true,
        done: each => each.length > 0,
      })
      if (requests.length === 0) return notSeen(`${trouble}No request about the lead arrived.`)
      if (await until(elsewhere.gotKey, round.quietMs))
        return failed('The application followed a redirect to another host and sent its API key there.')
      return passed(
        elsewhere.count() > 0 ? 'The redirect was followed without the key.' : 'The redirect was not followed.',
      )
    },
  },
]

/** Makes the application report another lead, and counts the requests about the refused one. */
async function afterRefusal(round: AdvertiserRound, refused: AdvertiserLead): Promise<Finding> {
  await round.quiet()
  const other = await round.report(await round.newLead(), 'registration')
  await round.quiet()
  const tries = round.requestsOf(refused).length
  if (tries > mostTries) return failed(`The report was sent ${count(tries, 'time')} and refused each time.`)
  if (!other.taken) return failed(`${other.trouble}The next report, about another lead, did not succeed.`)
  if (tries === 0) return passed('The application did not report the unknown lead, but it reported the next one.')
  return passed(`The report was sent ${count(tries, 'time')}, and the report of another lead succeeded.`)
}

function redirect(location: string): HttpResponse {
  return { ...failedResponse(500), status: 307, headers: { location } }
}

const noRequest = (trouble: string): Finding => failed(`${trouble}No request about the lead arrived.`)

/** Opens another host, which only records whether it received the key. */
async function openElsewhere(key: string) {
  let count = 0
  let gotKey = false
  const server = createServer((request, response) => {
    count++
    gotKey ||= keyHeader in request.headers || JSON.stringify([request.url, request.headers]).includes(key)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/moved`,
    count: () => count,
    gotKey: () => gotKey,
    async [Symbol.asyncDispose](): Promise<void> {
      server.close()
      server.closeAllConnections()
      await once(server, 'close')
    },
  }
}

/** The checks of reports that fail, in order: the same under every profile. */
export const failureChecks: readonly AdvertiserCheck[] = [...retryChecks, ...pacingChecks, ...refusalChecks].map(
  check => ({ ...check, rounds: 'first' }),
)
