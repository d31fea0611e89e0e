import { errorStatus, wireError } from '@lead-distribution/contract'
import { fieldIssues, statusUpdate } from '@lead-distribution/contract/shapes'
import { jsonResponse } from '@lead-distribution/http'
import { failed, notSeen, passed } from '../../check.ts'
import { type AdvertiserRound, objectIn, type ReportCall, until } from '../round.ts'
import type { AdvertiserCheck } from './advertiser-check.ts'

const howToSee =
  'No JSON call came, although the token was refused: where the application has one, give a --report-command that makes it.'

/** Makes the application report a new lead by a JSON call, by command or by refusing its token; waits for enough calls. */
async function jsonCalls(round: AdvertiserRound, isEnough: (call: ReportCall) => boolean): Promise<ReportCall[]> {
  const lead = await round.newLead()
  const json = () => round.callsOf(lead).filter(({ form }) => form === 'body')
  const { status, body } = wireError('unauthorized', 'The token is not valid.')
  const isPixel = (method: string) => ['GET', 'HEAD'].includes(method)
  await round.answering(
    lead,
    async ({ method }, answer) => (isPixel(method) ? jsonResponse(status, body) : answer()),
    async () => {
      const way = round.canReport ? 'report' : 'postback'
      await round.report(lead, 'registration', { way, done: calls => calls.length > 0 })
      await until(() => json().length > 0, round.quietMs)
      if (json().length > 0) await until(() => json().some(isEnough), round.quietMs)
    },
  )
  return json()
}

/** The specification says POST in one place and PATCH in another (4.2): which one production takes is an open point. */
export const methodChecks: readonly AdvertiserCheck[] = (['POST', 'PATCH'] as const).map(method => ({
  id: `json.${method.toLowerCase()}`,
  spec: '4.2, open point 4',
  expected: `A service that takes JSON calls only by ${method} gets them so.`,
  fix: `Send them by ${method} where the other method is answered ${errorStatus.method_not_allowed}: that proves that nothing was recorded.`,
  rounds: method === 'POST' ? 'each' : 'first',
  run: round =>
    round.under({ status_methods: [method] }, async () => {
      const isRight = ({ call }: ReportCall) => call.method === method
      const calls = await jsonCalls(round, isRight)
      if (calls.length === 0) return notSeen(howToSee)
      if (calls.some(isRight)) return passed(`A call by ${method} came.`)
      return failed(
        `The service took only ${method}, and calls came by ${[...new Set(calls.map(({ call }) => call.method))].join(', ')}.`,
      )
    }),
}))

/** The body of a JSON call (Spec 4.2). */
export const jsonBody: AdvertiserCheck = {
  id: 'json.body',
  spec: '4.2',
  expected:
    'A JSON call carries a known status, the amount as a number and the term as a whole number, all of it as JSON.',
  fix: 'Send numbers as numbers, and a status that the specification names, with content-type application/json.',
  async run(round) {
    const calls = await jsonCalls(round, () => true)
    const own = round.account().advertisers[0]?.advertiser_id
    if (calls.length === 0) return notSeen(howToSee)
    const wrong = new Set(calls.flatMap(call => mistakes(call, own)))
    return wrong.size > 0 ? failed([...wrong].join(' ')) : passed('The body was as it should be.')
  },
}

function mistakes({ call }: ReportCall, own: string | undefined): string[] {
  const body = objectIn(call.body)
  if (!body) return ['The body was no JSON object.']
  const issues = fieldIssues(statusUpdate('known').safeParse(body).error?.issues ?? [], body)
  const isJson = /^application\/json\b/i.test(call.headers['content-type'] ?? '')
  const isForeign = body.advertiser_id !== undefined && String(body.advertiser_id).toLowerCase() !== own?.toLowerCase()
  return [
    ...issues.map(({ field, issue }) => `${field} ${issue}.`),
    ...(isJson ? [] : ['The content-type was not application/json.']),
    ...(isForeign ? ['advertiser_id is not the one that the key belongs to.'] : []),
  ]
}
