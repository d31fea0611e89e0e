import { keyHeader, leadToken, usualTokenFormat } from '@lead-distribution/contract'
import type { AdvertiserLead } from '@lead-distribution/simulator'
import { failed, notSeen, passed } from '../../check.ts'
import { halves } from '../round.ts'
import { type AdvertiserCheck, counted, isFinding, pixelOf } from './advertiser-check.ts'

/** The postback URL is text that is used unchanged (Spec 4.3, rule 2). */
export const pixelAsGiven: AdvertiserCheck = {
  id: 'pixel.as_given',
  spec: '4.3',
  expected: 'The postback URL is fired exactly as delivered, with nothing but event and ref added to it.',
  fix: 'Keep the URL as text, and append &event=… and &ref=… as text: URLSearchParams and its like rewrite the rest.',
  async run(round) {
    const lead = marked(await round.newLead())
    const pixel = pixelOf(await round.report(lead, 'registration'))
    if (isFinding(pixel)) return pixel
    const { target, headers } = pixel.call
    const given = new URL(lead.postback_url)
    const wanted = `${given.pathname}${given.search}`
    if (headers.host !== given.host) return failed('The URL was fired with another host than it was given with.')
    if (!target.startsWith(wanted)) return failed(difference(target, wanted))
    if (!/^(&(event|ref)=[^&]*){1,2}$/.test(target.slice(wanted.length)))
      return failed('Something else than one event and one ref was appended to the URL.')
    return passed('The URL came in as delivered.')
  },
}

/** A URL with another parameter, and with escapes that libraries write otherwise: the service reads the same. */
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
  if (given.every((each, index) => came[index] === each))
    return 'The URL was encoded anew: its escapes differ, or are elsewhere.'
  if (given.every(each => came.includes(each))) return 'The parameters of the URL came in another order.'
  if (given.some(each => each.startsWith('src,')) && !came.some(each => each.startsWith('src,')))
    return 'A parameter of the URL is missing: it seems to have been built by hand.'
  return 'The token or another parameter of the URL was changed.'
}

/** A pixel is a GET: HEAD and POST record nothing (Spec 4.3). */
export const pixelGet: AdvertiserCheck = {
  id: 'pixel.get',
  spec: '4.3',
  expected: 'The postback URL is fired by GET.',
  fix: 'Fire it by GET: a HEAD, as link checkers send it, and a POST are refused and record nothing.',
  async run(round) {
    const pixels = () => round.calls().filter(({ form }) => form === 'pixel')
    if (pixels().length === 0) {
      const pixel = pixelOf(await round.report(await round.newLead(), 'registration'))
      if (isFinding(pixel)) return pixel
    }
    const others = pixels().filter(({ call }) => call.method !== 'GET')
    const methods = [...new Set(others.map(({ call }) => call.method))].join(', ')
    if (others.length > 0) return failed(`${others.length} of ${pixels().length} were fired by ${methods}.`)
    return passed(`All ${pixels().length} were fired by GET.`)
  },
}

/** A token of another format than the usual one: only an application that fires the URL as given has it right. */
const anotherFormat = { hash: 'SHA-512', joiner: '|', encoding: 'base64url' } as const

/** The format of a token is the service's business (open point 11). */
export const pixelOtherToken: AdvertiserCheck = {
  id: 'pixel.other_token',
  spec: '5, open point 11',
  expected: 'A token of another format (SHA-512, base64url) comes in as delivered.',
  fix: 'Do not build the URL or compute the token, and keep its letter case: use the postback URL as it was delivered.',
  run: round =>
    round.under({ token_format: anotherFormat }, async () => {
      const lead = await round.newLead()
      const given = new URL(lead.postback_url).searchParams.get('token') ?? ''
      const reported = await round.report(lead, 'registration')
      const pixel = pixelOf(reported)
      if (isFinding(pixel)) return pixel
      const { token = '' } = pixel
      if (token === given) return passed('The token came in as delivered.')
      if (token === '') return failed('The pixel had no token.')
      if (token.toLowerCase() === given.toLowerCase()) return failed('The letter case of the token was changed.')
      const own = round.account().advertisers[0]
      if (own && token === (await leadToken({ ...own, lead_id: lead.lead_id }, usualTokenFormat)))
        return failed('The token was computed by the application, and not taken from the URL.')
      return failed('The token is not the one of the URL that was given.')
    }),
}

/** Each token is valid only for its lead (Spec 4.3). */
export const pixelTokensApart: AdvertiserCheck = {
  id: 'pixel.tokens_apart',
  spec: '4.3',
  expected: 'Of two leads that are reported at the same time, each is reported with its own token.',
  fix: 'Keep the postback URL with its lead, and look it up for each report: no variable that all requests share.',
  async run(round) {
    const leads = await Promise.all([round.newLead(), round.newLead()])
    for (const event of ['registration', 'approved'] as const)
      await Promise.all(leads.map(lead => round.report(lead, event)))
    const tokens = leads.map(({ postback_url }) => new URL(postback_url).searchParams.get('token') ?? '')
    const pixels = leads.map(lead => round.callsOf(lead).filter(({ form }) => form === 'pixel'))
    if (pixels.every(each => each.length === 0)) return notSeen('No pixel came: the application reported otherwise.')
    const foreign = pixels.flatMap((each, index) => each.filter(({ token }) => token === tokens[1 - index]))
    if (foreign.length > 0) return failed('A pixel of one lead had the token of the other.')
    if (pixels.some(each => each.length === 0)) return failed('One of the two leads was never reported.')
    const fully = pixels.every(each => each.some(({ event }) => event === 'approved'))
    return fully ? passed('Each came with its own token.') : failed('Not every event of the two leads came.')
  },
}

/** Where the key is sent (Spec 5). Looks at everything that was sent in the round. */
export const keyHeaderOnly: AdvertiserCheck = {
  id: 'key.header_only',
  spec: '5',
  expected: 'The API key is in the apikey header of JSON calls, and in no URL.',
  fix: `Take the key out of every URL, where it is in logs already, have it rotated, and send it in the ${keyHeader} header. The pixel needs none.`,
  async run(round) {
    if (round.calls().length === 0) await round.report(await round.newLead(), 'registration')
    const calls = round.calls()
    const key = round.account().advertisers[0]?.api_key ?? ''
    if (calls.length === 0) return failed('Nothing arrived to look at.')
    const inUrl = calls.filter(({ call: { target } }) => {
      const [path, query] = halves(target)
      return new URLSearchParams(query).has(keyHeader) || `${path}?${query}`.includes(key)
    })
    if (inUrl.length > 0) return failed(`The key was in the URL of ${counted(inUrl.length, 'call')}.`)
    const pixels = calls.filter(({ form, call }) => form === 'pixel' && call.headers[keyHeader] !== undefined)
    if (pixels.length === 0) return passed('The key was in no URL, and went with no pixel.')
    const warning = `The key went with ${counted(pixels.length, 'pixel')}, where it is not needed: leave it away there.`
    return passed('The key was in no URL.', warning)
  },
}
