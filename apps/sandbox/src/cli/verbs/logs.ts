import { canonicalUuid } from '@lead-distribution/contract'
import type { SandboxEvent } from '@lead-distribution/control-client'
import type { ControlInput, ControlReply } from '@lead-distribution/simulator'
import { InvalidArgumentError } from 'commander'
import { argument, byDefault, flag, oneOf } from '../flags.ts'
import { contentText, line, list, paint, paintStatus, sections, shortTime } from '../printing.ts'
import { group, verb } from '../run-verb.ts'
import { followFlags, tail } from '../tail.ts'
import { operationNames, wholeNumber } from '../values.ts'

type Filter = ControlInput<'listRequests'>
type Request = ControlReply<'listRequests'>['requests'][number]

export const logs = group({
  tail: verb({
    does: 'Print the latest requests to the service, then follow new ones until Ctrl-C.',
    takes: {
      status: flag('<status>', 'only those with this status: 404, 4xx, cut', parseStatus),
      operation: oneOf(flag('<name>', 'only requests of this'), operationNames),
      lead: flag('<id>', 'only requests about this lead'),
      limit: byDefault(flag('<count>', 'the number of earlier requests to print first', wholeNumber('limit')), 20),
      ...followFlags,
    },
    examples: ['', '--status 4xx', '--follow --json | jq .outcome'],
    async call({ tenant, print }, { status, operation, lead, limit, follow }) {
      const filter = { status, operation, lead_id: lead }
      const entries = {
        list: async (limit: number) =>
          (await tenant.requests.list({ status, operation, leadId: lead, limit })).requests,
        entryOf: (event: SandboxEvent) =>
          event.type === 'request' && isWanted(event.request, filter) ? event.request : undefined,
        keyOf: ({ request_id, at }: Request) => `${request_id} ${at}`,
        print: (request: Request) => print(request, requestLine),
      }
      await tail(tenant, entries, { first: limit, follow })
    },
  }),
  show: verb({
    does: 'Show a request with its headers and, if the tenant stores them, its bodies: masked, unless journal_bodies is full.',
    takes: { requestId: argument('<id>', 'its request_id, such as r42, from logs tail') },
    examples: ['r42'],
    call: ({ tenant }, { requestId }) => tenant.requests.show(requestId),
    text: requestText,
  }),
})

/** Returns true if the control plane would list a request under this filter. */
function isWanted(request: Request, { status, operation = request.operation, lead_id = request.lead_id }: Filter) {
  const statuses = [request.status, String(request.status).replace(/..$/, 'xx'), request.broken]
  if (status !== undefined && !statuses.includes(status)) return false
  return request.operation === operation && request.lead_id === (lead_id && canonicalUuid(lead_id))
}

function requestText(request: ControlReply<'showRequest'>): string {
  const { request_headers = {}, response_headers = {}, request_body, response_body } = request
  const { method, path, query, status, outcome, reason, event, broken } = request
  const about = list([
    ['request_id', request.request_id],
    ['at (UTC)', shortTime(request.at)],
    ['request', `${method} ${path}${query === undefined ? '' : `?${query}`}`],
    ['status', broken ? `${paintStatus(status)} (${broken})` : paintStatus(status)],
    ['outcome', [outcome, reason, event].filter(part => part).join(' ')],
    ['lead_id', request.lead_id],
    ['took', `${request.ms.toFixed(1)} ms`],
    ['fault', request.fault_id],
  ])
  const issues = request.issues?.map(({ field, issue }) => `${field}: ${issue}`).join('\n')
  const content = sections(
    ['Issues', issues],
    ['Request', contentText(request_headers, bodyText(request_body))],
    ['Response', contentText(response_headers, bodyText(response_body))],
  )
  const hint =
    'No body was stored. To store the bodies of future requests: lead-sandbox settings set journal_bodies=masked'
  return [about, content, ...(request_body || response_body ? [] : [hint])].join('\n\n')
}

function bodyText(body: ControlReply<'showRequest'>['request_body']): string | undefined {
  if (body?.state === 'not_json') return 'The body is not JSON, so none of it was stored.'
  return body && `${body.text}${body.state === 'truncated' ? ' … (truncated)' : ''}`
}

function requestLine({ at, method, path, status, ms, outcome, reason, lead_id, broken, ...more }: Request): string {
  const what = [outcome, reason, more.event].filter(part => part).join(' ')
  const details = [
    what,
    `${ms.toFixed(1)} ms`,
    lead_id && !path.includes(lead_id) ? `lead ${lead_id}` : undefined,
    more.fault_id && paint('yellow', `fault ${more.fault_id}`),
    broken && paint('red', broken),
    ...(more.issues ?? []).map(({ field, issue }) => `${field}: ${issue}`),
    ...more.warnings.map(warning => paint('yellow', `${warning.switch}: ${warning.would}`)),
    // Points to `leads explain` for the decision.
    paint('dim', more.request_id),
  ]
  return line([shortTime(at), paintStatus(status), method.padEnd(4), path, ...details])
}

function parseStatus(text: string): string | number {
  if (/^(\d|\d{3})$/.test(text)) return Number(text)
  if (/^(\dxx|cut|withheld)$/.test(text)) return text
  throw new InvalidArgumentError(
    'Pass a status such as 404, a class such as 4xx, or cut or withheld for a response that never arrived.',
  )
}
