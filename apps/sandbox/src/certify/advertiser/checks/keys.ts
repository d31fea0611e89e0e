import { keyHeader } from '@lead-distribution/contract'
import { failed, passed } from '../../certify-check.ts'
import { halves } from '../report-call.ts'
import { counted, type LenderCheck } from './lender-check.ts'

/** Where the key stands (Spec 5). Looks at all that was sent in the round. */
export const keyHeaderOnly: LenderCheck = {
  id: 'key.header_only',
  spec: '5',
  expected: 'The API key stands in the apikey header of JSON calls, and in no URL.',
  mend: `Take the key out of every URL, where it is in logs already, have it rotated, and send it in the ${keyHeader} header. The pixel needs none.`,
  async run(round) {
    if (round.calls().length === 0) await round.ask(await round.newLead(), 'registration')
    const calls = round.calls()
    const key = round.account().advertisers[0]?.api_key ?? ''
    if (calls.length === 0) return failed('Nothing arrived to look at.')
    const inUrl = calls.filter(({ call: { target } }) => {
      const [path, query] = halves(target)
      return new URLSearchParams(query).has(keyHeader) || `${path}?${query}`.includes(key)
    })
    if (inUrl.length > 0) return failed(`The key stood in the URL of ${counted(inUrl.length, 'call')}.`)
    const pixels = calls.filter(({ form, call }) => form === 'pixel' && call.headers[keyHeader] !== undefined)
    if (pixels.length === 0) return passed('The key stood in no URL, and went with no pixel.')
    const warning = `The key went with ${counted(pixels.length, 'pixel')}, where it is not needed: leave it away there.`
    return passed('The key stood in no URL.', warning)
  },
}
