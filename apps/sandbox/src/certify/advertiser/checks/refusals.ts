import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { keyHeader, wireError } from '@lead-distribution/contract'
import { type HttpResponse, jsonResponse } from '@lead-distribution/http'
import type { AdvertiserLead } from '@lead-distribution/simulator'
import { statusUrl } from '@lead-distribution/simulator/paths'
import { type Finding, failed, notSeen, passed } from '../../check.ts'
import { type AdvertiserRound, until } from '../round.ts'
import { type AdvertiserCheck, counted } from './advertiser-check.ts'
import { failedResponse } from './retries.ts'

/** The pixel and the JSON call, each tried twice: more is not tried where the answer cannot change. */
const mostTries = 4

const fix =
  'Do not send again by yourself what was answered 401 or 404: the answer stays the same. Set it aside, alert your staff, and go on with the other leads.'

/** The token or the key is refused, each time. */
export const refusedToken: AdvertiserCheck = {
  id: 'refused.token',
  spec: '4.3, 5',
  expected: 'A report that is answered 401 is not sent again and again, and holds up no other lead.',
  fix,
  rounds: 'first',
  async run(round) {
    const lead = await round.newLead()
    const { status, body } = wireError('unauthorized', 'The key or the token is not valid.')
    return round.answering(
      lead,
      async () => jsonResponse(status, body),
      async () => {
        const { calls, trouble } = await round.report(lead, 'registration', { done: each => each.length > 0 })
        return calls.length === 0 ? failed(`${trouble}Nothing arrived for the lead.`) : afterRefusal(round, lead)
      },
    )
  },
}

/** A lead that the service does not know: the pixel is answered 401, the JSON call 404. */
export const refusedLead: AdvertiserCheck = {
  id: 'refused.lead',
  spec: '4.2, 4.3',
  expected: 'A lead that the service does not know is not reported again and again, and holds up no other lead.',
  fix,
  rounds: 'first',
  async run(round) {
    const { base_url } = round.account()
    const lead_id = randomUUID()
    const status_url = statusUrl(base_url, lead_id)
    const postback_url = `${status_url}?token=${randomBytes(32).toString('hex')}`
    const lead = { lead_id, status_url, postback_url, amount: 5000, term_months: 24 }
    await round.report(lead, 'registration')
    return afterRefusal(round, lead)
  },
}

/** Makes the application report another lead meanwhile, and counts what still came for the refused one. */
async function afterRefusal(round: AdvertiserRound, refused: AdvertiserLead): Promise<Finding> {
  await round.quiet()
  const other = await round.report(await round.newLead(), 'registration')
  await round.quiet()
  const tries = round.callsOf(refused).length
  if (tries > mostTries) return failed(`It was sent ${counted(tries, 'time')}, and refused each time.`)
  if (!other.taken) return failed(`${other.trouble}The report of another lead behind it did not come through.`)
  if (tries === 0) return passed('The application took no such lead in, and reported the next one.')
  return passed(`It was sent ${counted(tries, 'time')}, and the report of another lead came through.`)
}

/** The key belongs to the service, and a redirect may lead anywhere (Spec 5). */
export const refusedRedirect: AdvertiserCheck = {
  id: 'refused.redirect',
  spec: '5',
  expected: 'A redirect to another host never gets the API key.',
  fix: 'Follow no redirect of the service: treat a 3xx as a failure, like a 500.',
  rounds: 'first',
  async run(round) {
    const lead = await round.newLead()
    const key = round.account().advertisers[0]?.api_key ?? ''
    await using elsewhere = await openElsewhere(key)
    let pixels = 0
    return await round.answering(
      lead,
      // The second pixel is refused: it is then that an application tries its key.
      async ({ method }) =>
        method === 'GET' && pixels++ > 0 ? { ...failedResponse(401), status: 401 } : redirect(elsewhere.url),
      async () => {
        const way = round.canReport ? 'report' : 'postback'
        const { calls, trouble } = await round.report(lead, 'registration', { way, done: each => each.length > 0 })
        if (calls.length === 0) return notSeen(`${trouble}Nothing arrived for the lead.`)
        await until(() => elsewhere.gotKey(), round.quietMs)
        if (elsewhere.gotKey())
          return failed('The application followed a redirect to another host, and sent its API key there.')
        return passed(elsewhere.count() > 0 ? 'It followed the redirect, without its key.' : 'It followed no redirect.')
      },
    )
  },
}

function redirect(location: string): HttpResponse {
  return { ...failedResponse(500), status: 307, headers: { location } }
}

/** Another host, which only remembers whether it got the key. */
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
