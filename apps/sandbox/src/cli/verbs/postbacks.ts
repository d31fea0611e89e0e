import { argument, flag, oneOf, required } from '../flags.ts'
import { cuttable, painted, paintStatus, table } from '../printing.ts'
import { leadIdOf, verb } from '../run-verb.ts'
import { wholeNumber } from '../values.ts'

/** `lead-sandbox trigger`: the simulated advertiser reports an event through the real endpoint. */
export const trigger = verb({
  takes: {
    event: argument('<event>', 'registration, approved, rejected, completed, defaulted; by body also converted'),
    lead: required(flag('<id>', "its lead_id, or its customer's address")),
    via: oneOf(flag('<way>', 'how it is reported (default: pixel)'), ['pixel', 'body']),
    repeat: flag('<times>', 'how many times to report it', wholeNumber('repeat')),
    advertiser: flag('<id>', 'the advertiser_id that reports it (default: the one that has the lead)'),
  },
  examples: [
    'approved --lead LEAD_ID',
    'approved --lead ana@example.com',
    'converted --lead LEAD_ID --via body --repeat 2',
  ],
  call: async ({ tenant }, { lead, advertiser: advertiserId, ...report }) =>
    tenant.leads.trigger(await leadIdOf(tenant, lead), { ...report, advertiserId }),
  text: ({ replies }) =>
    table(replies, {
      status: ({ status }) => paintStatus(status),
      response: ({ body, broken }) => broken ?? cuttable(JSON.stringify(body)),
    }),
  failure({ replies }, { event }) {
    const refused = replies.filter(({ status }) => status < 200 || status > 299).length
    return refused > 0 ? `The service refused ${refused} of ${replies.length} reports of ${event}.` : undefined
  },
})

export const diagnose = verb({
  takes: { url: argument('<url>', 'a postback URL as an advertiser would fire it; it is not fired') },
  examples: ["'http://127.0.0.1:4010/api/v1/lead/LEAD_ID/status?token=…&event=approved'"],
  call: ({ tenant }, { url }) => tenant.diagnosePostback(url),
  text: ({ findings }) => table(findings, { check: 'check', verdict: painted('verdict'), finding: 'message' }),
  failure({ findings }) {
    const wrong = findings.filter(({ verdict }) => verdict === 'wrong').length
    return wrong > 0 ? `This URL would report nothing. Checks failed: ${wrong}.` : undefined
  },
})
