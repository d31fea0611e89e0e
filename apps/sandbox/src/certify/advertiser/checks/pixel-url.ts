import { failed, passed } from '../../certify-check.ts'
import type { LenderLead } from '../lender-lead.ts'
import { halves } from '../report-call.ts'
import { isFinding, type LenderCheck, pixelOf } from './lender-check.ts'

/** The postback URL is text that is used as it is (Spec 4.3, rule 2). */
export const pixelAsGiven: LenderCheck = {
  id: 'pixel.as_given',
  spec: '4.3',
  expected: 'The postback URL is fired to the letter as it was given, with nothing but event and ref behind it.',
  mend: 'Keep the URL as text, and append &event=… and &ref=… as text: URLSearchParams and its like rewrite the rest.',
  async run(round) {
    const lead = marked(await round.newLead())
    const pixel = pixelOf(await round.ask(lead, 'registration'))
    if (isFinding(pixel)) return pixel
    const { target, headers } = pixel.call
    const given = new URL(lead.postback_url)
    const wanted = `${given.pathname}${given.search}`
    if (headers.host !== given.host) return failed('The URL was fired with another host than it was given with.')
    if (!target.startsWith(wanted)) return failed(difference(target, wanted))
    if (!/^(&(event|ref)=[^&]*){1,2}$/.test(target.slice(wanted.length)))
      return failed('Something else than one event and one ref was appended to the URL.')
    return passed('The URL came in as it was given.')
  },
}

/** A URL with a parameter of its own, and with escapes that libraries write otherwise: the service reads the same. */
function marked(lead: LenderLead): LenderLead {
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
    return 'The URL was encoded anew: its escapes are others, or stand elsewhere.'
  if (given.every(each => came.includes(each))) return 'The parameters of the URL came in another order.'
  if (given.some(each => each.startsWith('src,')) && !came.some(each => each.startsWith('src,')))
    return 'A parameter of the URL is missing: it seems to have been built by hand.'
  return 'The token or another parameter of the URL was changed.'
}

/** A pixel is a GET: HEAD and POST record nothing (Spec 4.3). */
export const pixelGet: LenderCheck = {
  id: 'pixel.get',
  spec: '4.3',
  expected: 'The postback URL is fired by GET.',
  mend: 'Fire it by GET: a HEAD, as link checkers send it, and a POST are refused and record nothing.',
  async run(round) {
    const pixels = () => round.calls().filter(({ form }) => form === 'pixel')
    if (pixels().length === 0) {
      const pixel = pixelOf(await round.ask(await round.newLead(), 'registration'))
      if (isFinding(pixel)) return pixel
    }
    const others = pixels().filter(({ call }) => call.method !== 'GET')
    const methods = [...new Set(others.map(({ call }) => call.method))].join(', ')
    if (others.length > 0) return failed(`${others.length} of ${pixels().length} were fired by ${methods}.`)
    return passed(`All ${pixels().length} were fired by GET.`)
  },
}
