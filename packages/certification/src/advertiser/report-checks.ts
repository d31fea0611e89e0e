import {
  acceptedPixelEvents,
  canonicalUuid,
  errorStatus,
  keyHeader,
  leadToken,
  type PixelEvent,
  pixelEvents,
  usageNameOf,
  usualTokenFormat,
  wireError,
} from '@lead-distribution/contract'
import { diagnoseEvent } from '@lead-distribution/contract/diagnostics'
import { fieldIssues, statusUpdate } from '@lead-distribution/contract/shapes'
import { jsonResponse } from '@lead-distribution/http'
import type { AdvertiserLead } from '@lead-distribution/simulator'
import { count, type Finding, failed, jsonObject, notSeen, passed, until } from '../check.ts'
import {
  type AdvertiserCheck,
  type AdvertiserRound,
  halves,
  isFinding,
  isTaken,
  pixelOf,
  type Reported,
  type ReportRequest,
} from './round.ts'

const before: Readonly<Record<PixelEvent, readonly PixelEvent[]>> = {
  registration: [],
  approved: ['registration'],
  rejected: ['registration'],
  completed: ['registration', 'approved'],
  defaulted: ['registration', 'approved'],
}

/** One check for each event, which has two names (Spec 6.1). */
const eventChecks: readonly AdvertiserCheck[] = pixelEvents.map(event => ({
  id: `event.${event}`,
  spec: '6.1',
  expected: `The event is reported as ${event}${usageNameOf[event] === event ? '' : `, or by its other name ${usageNameOf[event]}`}.`,
  fix: `Send only these names: ${acceptedPixelEvents.join(', ')}.`,
  async run(round) {
    const lead = await round.newLead()
    for (const earlier of before[event]) {
      const { taken } = await round.report(lead, earlier)
      if (!taken) return notSeen(`The earlier event ${earlier} was not recorded: fix event.${earlier} first.`)
    }
    const from = round.requestsOf(lead).length
    const reported = await round.report(lead, event)
    return reported.taken ? passed(`The event was reported as ${reported.taken.name}.`) : missing(reported, from)
  },
}))

function missing({ requests, trouble }: Reported, from: number): Finding {
  const last = requests.slice(from).at(-1)
  if (!last) return failed(`${trouble}No report of the event arrived.`)
  if (last.name === undefined) return failed('A report arrived without an event.')
  if (!acceptedPixelEvents.some(name => name === last.name))
    return failed(diagnoseEvent(new URLSearchParams({ event: last.name })).message)
  return failed(`A report arrived but failed: the response was ${last.request.response?.status ?? 'empty'}.`)
}

/** An unusual token format: only an application that fires the URL as delivered gets it right (open point 11). */
const anotherFormat = { hash: 'SHA-512', joiner: '|', encoding: 'base64url' } as const

const pixelChecks: readonly AdvertiserCheck[] = [
  {
    id: 'pixel.as_given',
    spec: '4.3',
    expected: 'The postback URL is fired exactly as delivered, with only event and ref appended.',
    fix: 'Keep the URL as text, and append &event=… and &ref=… as text: URLSearchParams and similar APIs rewrite the rest.',
    async run(round) {
      const lead = marked(await round.newLead())
      const pixel = pixelOf(await round.report(lead, 'registration'))
      if (isFinding(pixel)) return pixel
      const { target, headers } = pixel.request
      const given = new URL(lead.postback_url)
      const wanted = `${given.pathname}${given.search}`
      if (headers.host !== given.host) return failed('The host of the URL was changed.')
      if (!target.startsWith(wanted)) return failed(difference(target, wanted))
      if (!/^(&(event|ref)=[^&]*){1,2}$/.test(target.slice(wanted.length)))
        return failed('Something other than one event and one ref was appended to the URL.')
      return passed('The URL arrived as delivered.')
    },
  },
  {
    id: 'pixel.other_token',
    spec: '5, open point 11',
    expected: 'A token in another format (SHA-512, base64url) arrives as delivered.',
    fix: "Don't build the URL, compute the token or change its letter case: use the postback URL as delivered.",
    async run(round) {
      await using _format = await round.change({ token_format: anotherFormat })
      const lead = await round.newLead()
      const given = new URL(lead.postback_url).searchParams.get('token') ?? ''
      const pixel = pixelOf(await round.report(lead, 'registration'))
      if (isFinding(pixel)) return pixel
      const { token = '' } = pixel
      const [own] = round.account().advertisers
      const computed = own && (await leadToken({ ...own, lead_id: lead.lead_id }, usualTokenFormat))
      if (token === given) return passed('The token arrived as delivered.')
      if (token === '') return failed('The pixel had no token.')
      if (token.toLowerCase() === given.toLowerCase()) return failed('The letter case of the token was changed.')
      if (token === computed) return failed('The application computed the token instead of taking it from the URL.')
      return failed('The token differs from the one in the URL.')
    },
  },
  {
    id: 'pixel.tokens_apart',
    spec: '4.3',
    expected: 'When two leads are reported at the same time, each is reported with its own token.',
    fix: "Store the postback URL with its lead, and look it up for each report: don't keep it in a shared variable.",
    async run(round) {
      const leads = await Promise.all([round.newLead(), round.newLead()])
      for (const event of ['registration', 'approved'] as const)
        await Promise.all(leads.map(lead => round.report(lead, event)))
      const tokens = leads.map(({ postback_url }) => new URL(postback_url).searchParams.get('token') ?? '')
      const pixels = leads.map(lead => round.requestsOf(lead).filter(({ form }) => form === 'pixel'))
      if (pixels.every(each => each.length === 0))
        return notSeen('No pixel arrived: the application reported some other way.')
      const foreign = pixels.flatMap((each, index) => each.filter(({ token }) => token === tokens[1 - index]))
      if (foreign.length > 0) return failed('A pixel of one lead had the token of the other.')
      if (pixels.some(each => each.length === 0)) return failed('One of the two leads was never reported.')
      const fully = pixels.every(each => each.some(({ event }) => event === 'approved'))
      return fully
        ? passed('Each lead was reported with its own token.')
        : failed('Some events of the two leads did not arrive.')
    },
  },
  {
    id: 'pixel.get',
    spec: '4.3',
    expected: 'The postback URL is fired by GET.',
    fix: 'Use GET. HEAD (which link checkers send) and POST are refused and record nothing.',
    async run(round) {
      const pixels = () => round.requests().filter(({ form }) => form === 'pixel')
      if (pixels().length === 0) {
        const pixel = pixelOf(await round.report(await round.newLead(), 'registration'))
        if (isFinding(pixel)) return pixel
      }
      const others = pixels().filter(({ request }) => request.method !== 'GET')
      const methods = [...new Set(others.map(({ request }) => request.method))].join(', ')
      if (others.length > 0) return failed(`${others.length} of ${count(pixels().length, 'pixel')} used ${methods}.`)
      return passed(`Every pixel used GET (${pixels().length}).`)
    },
  },
]

/** Adds a parameter and escapes that libraries rewrite; the service reads the URL as the same. */
function marked(lead: AdvertiserLead): AdvertiserLead {
  const postback_url = lead.postback_url.replace(
    /\?token=(.)/,
    (_, letter: string) => `?src=a~b%2fc&token=%${letter.charCodeAt(0).toString(16)}`,
  )
  return { ...lead, postback_url }
}

function difference(target: string, wanted: string): string {
  const [path, query] = halves(target)
  const [givenPath, givenQuery] = halves(wanted)
  if (path !== givenPath) return 'The path of the URL was changed.'
  const came = [...new URLSearchParams(query)].filter(([name]) => !['event', 'ref'].includes(name)).map(String)
  const given = [...new URLSearchParams(givenQuery)].map(String)
  if (given.every((each, index) => came[index] === each)) return 'The URL was re-encoded: its escapes differ.'
  if (given.every(each => came.includes(each))) return 'The parameters of the URL were reordered.'
  if (given.some(each => each.startsWith('src,')) && !came.some(each => each.startsWith('src,')))
    return 'A parameter of the URL is missing: it seems to have been built by hand.'
  return 'The token or another parameter of the URL was changed.'
}

const repeatChecks: readonly AdvertiserCheck[] = [
  {
    id: 'repeat.harmless',
    spec: '4.3',
    expected: 'If an event is reported twice, it is sent at most once more.',
    fix: 'Store which events of a lead were reported. The service ignores a repeat: treat that as success.',
    async run(round) {
      const lead = await round.newLead()
      const first = await round.report(lead, 'registration')
      if (!first.taken) return failed(`${first.trouble}The first report did not succeed.`)
      const from = first.requests.length
      await round.report(lead, 'registration')
      await round.quiet()
      const more = round.requestsOf(lead).length - from
      if (more > 1) return failed(`The second report caused ${count(more, 'request')}.`)
      return passed(
        more === 0 ? 'The application did not send the event again.' : 'The service ignored the second report.',
      )
    },
  },
  {
    id: 'repeat.ignored',
    spec: '4.3',
    expected: 'The status ignored is treated as success: the event is not sent again, and the next event is sent.',
    fix: 'Treat ignored like received: the service already recorded the event.',
    async run(round) {
      const lead = await round.newLead()
      await round.tenant.leads.trigger(lead.lead_id, { event: 'registration', via: 'pixel' })
      const { taken, trouble } = await round.report(lead, 'registration')
      if (!taken) return failed(`${trouble}No report arrived for the service to ignore.`)
      const next = await round.report(lead, 'approved')
      await round.quiet()
      const sent = round.requestsOf(lead).filter(({ event }) => event === 'registration')
      const again = sent.length - 1 - sent.findIndex(isTaken)
      if (again > 0) return failed(`The ignored event was sent again ${count(again, 'time')}.`)
      if (!next.taken) return failed('The event after the ignored one was not recorded.')
      return passed('The event was sent once, followed by the next one.')
    },
  },
]

const howToSee =
  'No JSON request arrived, even though the token was refused. If the application can send JSON requests, pass a --report-command that sends one.'

/**
 * Makes the application report a new lead in a JSON request, by command or by refusing its token, and waits for enough
 * requests.
 */
async function jsonRequests(
  round: AdvertiserRound,
  isEnough: (request: ReportRequest) => boolean,
): Promise<ReportRequest[]> {
  const lead = await round.newLead()
  const json = () => round.requestsOf(lead).filter(({ form }) => form === 'body')
  const { status, body } = wireError('unauthorized', 'The token is not valid.')
  const isPixel = (method: string) => ['GET', 'HEAD'].includes(method)
  using _refused = round.answer(lead, async (request, answer) =>
    isPixel(request.method) ? jsonResponse(status, body) : answer(),
  )
  await round.report(lead, 'registration', { byJson: true, done: requests => requests.length > 0 })
  await until(() => json().length > 0, round.quietMs)
  if (json().length > 0) await until(() => json().some(isEnough), round.quietMs)
  return json()
}

/** The specification says POST in one place and PATCH in another (4.2), so production's method is an open point. */
const methodChecks: readonly AdvertiserCheck[] = (['POST', 'PATCH'] as const).map(method => ({
  id: `json.${method.toLowerCase()}`,
  spec: '4.2, open point 4',
  expected: `If the service accepts JSON requests only by ${method}, the application uses ${method}.`,
  fix: `Use ${method} when the other method gets a ${errorStatus.method_not_allowed}, which proves that nothing was recorded.`,
  rounds: method === 'POST' ? 'each' : 'first',
  async run(round) {
    await using _method = await round.change({ status_methods: [method] })
    const isRight = ({ request }: ReportRequest) => request.method === method
    const requests = await jsonRequests(round, isRight)
    if (requests.length === 0) return notSeen(howToSee)
    if (requests.some(isRight)) return passed(`A ${method} request arrived.`)
    const used = [...new Set(requests.map(({ request }) => request.method))].join(', ')
    return failed(`The service accepted only ${method}, but the requests used ${used}.`)
  },
}))

const jsonBody: AdvertiserCheck = {
  id: 'json.body',
  spec: '4.2',
  expected:
    'A JSON request has content-type application/json, a known status, a numeric amount and a whole-number term.',
  fix: 'Send numbers as JSON numbers, a status from the specification, and content-type application/json.',
  async run(round) {
    const requests = await jsonRequests(round, () => true)
    const own = round.account().advertisers[0]?.advertiser_id
    if (requests.length === 0) return notSeen(howToSee)
    const wrong = new Set(requests.flatMap(request => mistakes(request, own)))
    return wrong.size > 0 ? failed([...wrong].join(' ')) : passed('The body was correct.')
  },
}

function mistakes({ request }: ReportRequest, own: string | undefined): string[] {
  const body = jsonObject(request.body)
  if (!body) return ['The body was not a JSON object.']
  const issues = fieldIssues(statusUpdate('known').safeParse(body).error?.issues ?? [], body)
  const isJson = /^application\/json\b/i.test(request.headers['content-type'] ?? '')
  const isForeign = body.advertiser_id !== undefined && canonicalUuid(String(body.advertiser_id)) !== own
  return [
    ...issues.map(({ field, issue }) => `${field} ${issue}.`),
    ...(isJson ? [] : ['The content-type was not application/json.']),
    ...(isForeign ? ['advertiser_id does not belong to the key.'] : []),
  ]
}

/** The checks of successful reports, in order. */
export const reportChecks: readonly AdvertiserCheck[] = [
  ...eventChecks,
  ...pixelChecks,
  ...repeatChecks,
  ...methodChecks,
  jsonBody,
]

/** Checks everything that was sent during the round (Spec 5). */
export const keyHeaderOnly: AdvertiserCheck = {
  id: 'key.header_only',
  spec: '5',
  expected: 'The API key is in the apikey header of JSON requests, and in no URL.',
  fix: `Remove the key from every URL, and send it in the ${keyHeader} header. Then have it rotated, because logs already contain it. The pixel needs no key.`,
  async run(round) {
    if (round.requests().length === 0) await round.report(await round.newLead(), 'registration')
    const requests = round.requests()
    const key = round.account().advertisers[0]?.api_key ?? ''
    if (requests.length === 0) return failed('No request arrived.')
    const inUrl = requests.filter(({ request: { target } }) => {
      const [path, query] = halves(target)
      return new URLSearchParams(query).has(keyHeader) || `${path}?${query}`.includes(key)
    })
    if (inUrl.length > 0) return failed(`The key was in the URL of ${count(inUrl.length, 'request')}.`)
    const pixels = requests.filter(({ form, request }) => form === 'pixel' && request.headers[keyHeader] !== undefined)
    if (pixels.length === 0) return passed('No URL contained the key, and no pixel carried it.')
    const warning = `The key was sent with ${count(pixels.length, 'pixel')}. Pixels don't need it: omit it there.`
    return { ...passed('No URL contained the key.'), warning }
  },
}
