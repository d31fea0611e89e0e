import type { ControlInput, ControlReply } from '@lead-distribution/simulator'
import { bounds } from '@lead-distribution/simulator/bounds'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { contentText, follow, line, list, paint, paintStatus, sections, shortTime } from './printing.ts'
import { type Session, sandboxVerb } from './sandbox-verb.ts'
import { operationNames, wholeNumber } from './values.ts'

type Filter = ControlInput<'listRequests'>
type Page = ControlReply<'listRequests'>
type Request = Page['requests'][number]

interface Flags {
  readonly status?: Filter['status']
  readonly operation?: Filter['operation']
  readonly lead?: string
  readonly limit: number
  readonly follow?: boolean
}

/** The maximum number of calls that one poll takes; more are read page by page. */
const pageSize = bounds.limit.max

export function describeLogs(command: Command): void {
  const shown = command
    .command('tail')
    .description('Print the newest calls of the service, then follow new ones until Ctrl-C.')
    .option('--status <status>', 'only those with this status: 404, 4xx, cut', parseStatus)
    .addOption(new Option('--operation <name>', 'only calls of this').choices(operationNames))
    .option('--lead <id>', 'only calls about this lead')
    .option('--limit <count>', 'the number of earlier calls to print first', wholeNumber('limit'), 20)
    .option('--follow', 'also follow in a pipe, where the default is to print and exit')
    .option('--no-follow', 'print the calls so far, and exit')
  sandboxVerb(shown, ['logs tail', 'logs tail --status 4xx', 'logs tail --follow --json | jq .outcome'], tail)
  sandboxVerb<unknown, [string]>(
    command
      .command('show')
      .description(
        'Show a call with its headers and, if the tenant keeps them, its bodies: masked, unless journal_bodies is full.',
      )
      .argument('<id>', 'its request_id, such as r42, from logs tail'),
    ['logs show r42'],
    async ({ tenant, print }, _flags, id) => print(await tenant.requests.show(id), callText),
  )
}

function callText(call: ControlReply<'showRequest'>): string {
  const { request_headers = {}, response_headers = {}, request_body, response_body } = call
  const { method, path, query, status, outcome, reason, event, broken } = call
  const about = list([
    ['request_id', call.request_id],
    ['at (UTC)', shortTime(call.at)],
    ['call', `${method} ${path}${query === undefined ? '' : `?${query}`}`],
    ['status', broken ? `${paintStatus(status)} (${broken})` : paintStatus(status)],
    ['outcome', [outcome, reason, event].filter(part => part).join(' ')],
    ['lead_id', call.lead_id],
    ['took', `${call.ms.toFixed(1)} ms`],
    ['fault', call.fault_id],
  ])
  const issues = call.issues?.map(({ field, issue }) => `${field}: ${issue}`).join('\n')
  const content = sections(
    ['Issues', issues],
    ['Request', contentText(request_headers, bodyText(request_body))],
    ['Response', contentText(response_headers, bodyText(response_body))],
  )
  const hint = 'No body is kept. To keep those of the next calls: lead-sandbox settings set journal_bodies=masked'
  return [about, content, ...(request_body || response_body ? [] : [hint])].join('\n\n')
}

function bodyText(body: ControlReply<'showRequest'>['request_body']): string | undefined {
  if (body?.state === 'not_json') return 'The body is not JSON, so none of it is kept.'
  return body && `${body.text}${body.state === 'truncated' ? ' … (truncated)' : ''}`
}

async function tail({ tenant, print }: Session, { status, operation, lead, limit, ...flags }: Flags): Promise<void> {
  let last: number | undefined
  await follow(
    async () => {
      const requests = await freshRequests()
      for (const request of requests.toReversed()) print(request, requestLine)
      last = requests[0] ? numberOf(requests[0]) : (last ?? 0)
    },
    flags.follow ?? process.stdout.isTTY === true,
  )

  /** At first the newest calls, then those after the last one that was printed; newest first. */
  async function freshRequests(): Promise<Request[]> {
    if (last === undefined) return (await page(limit)).requests
    const found: Request[] = []
    for (let before: string | undefined; ; ) {
      const { requests, next } = await page(pageSize, before)
      const newest = requests[0] ? numberOf(requests[0]) : last
      // The tenant was reset or restored, and its journal continues from an older call.
      if (before === undefined && newest < last) last = 0
      const known = last
      const fresh = requests.filter(request => numberOf(request) > known)
      found.push(...fresh)
      if (next === undefined || fresh.length < requests.length) return found
      before = next
    }
  }

  function page(size: number, before?: string): Promise<Page> {
    return tenant.requests.list({ status, operation, leadId: lead, limit: size, before })
  }
}

const numberOf = ({ request_id }: Request) => Number(request_id.slice(1))

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
    // Takes `leads explain` to what was decided.
    paint('dim', more.request_id),
  ]
  return line([shortTime(at), paintStatus(status), method, path, ...details])
}

function parseStatus(text: string): string | number {
  if (/^(\d|\d{3})$/.test(text)) return Number(text)
  if (/^(\dxx|cut|withheld)$/.test(text)) return text
  throw new InvalidArgumentError(
    'Pass a status such as 404, a class such as 4xx, or cut or withheld for a response that never arrived.',
  )
}
