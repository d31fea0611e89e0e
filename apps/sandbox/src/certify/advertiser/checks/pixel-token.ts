import { leadToken, usualTokenFormat } from '@lead-distribution/contract'
import { failed, notSeen, passed } from '../../certify-check.ts'
import { isFinding, type LenderCheck, pixelOf } from './lender-check.ts'

/** A token of another making than the usual one: only who fires the URL as given has it right. */
const anotherFormat = { hash: 'SHA-512', joiner: '|', encoding: 'base64url' } as const

/** How a token is made is the service's affair (open point 11). */
export const pixelOtherToken: LenderCheck = {
  id: 'pixel.other_token',
  spec: '5, open point 11',
  expected: 'A token of another making (SHA-512, base64url) comes in as it was given.',
  mend: 'Do not build the URL or compute the token, and keep its letter case: use the postback URL as it was delivered.',
  run: round =>
    round.under({ token_format: anotherFormat }, async () => {
      const lead = await round.newLead()
      const given = new URL(lead.postback_url).searchParams.get('token') ?? ''
      const asked = await round.ask(lead, 'registration')
      const pixel = pixelOf(asked)
      if (isFinding(pixel)) return pixel
      const { token = '' } = pixel
      if (token === given) return passed('The token came in as it was given.')
      if (token === '') return failed('The pixel had no token.')
      if (token.toLowerCase() === given.toLowerCase()) return failed('The letter case of the token was changed.')
      const own = round.account().advertisers[0]
      if (own && token === (await leadToken({ ...own, lead_id: lead.lead_id }, usualTokenFormat)))
        return failed('The token was computed by the application, and not taken from the URL.')
      return failed('The token is not the one of the URL that was given.')
    }),
}

/** Each token is valid for its lead alone (Spec 4.3). */
export const pixelTokensApart: LenderCheck = {
  id: 'pixel.tokens_apart',
  spec: '4.3',
  expected: 'Of two leads that are reported at the same time, each is reported with its own token.',
  mend: 'Keep the postback URL with its lead, and look it up for each report: no variable that all requests share.',
  async run(round) {
    const leads = await Promise.all([round.newLead(), round.newLead()])
    for (const event of ['registration', 'approved'] as const)
      await Promise.all(leads.map(lead => round.ask(lead, event)))
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
