import type { ControlInput, ControlReply } from '@lead-distribution/simulator'
import { controlBounds } from '@lead-distribution/simulator/paths'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { follow, line, paint, paintStatus, shortTime } from './printing.ts'
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
const pageSize = controlBounds.limit.max

/** `lead-sandbox logs`. */
export function describeLogs(command: Command): void {
  const shown = command
    .command('tail')
    .description('Print the newest calls of the service, then follow new ones until Ctrl-C.')
    .addOption(new Option('--status <status>', 'only those with this status: 404, 4xx, cut').argParser(parseStatus))
    .addOption(new Option('--operation <name>', 'only calls of this').choices(operationNames))
    .option('--lead <id>', 'only calls about this lead')
    .addOption(
      new Option('--limit <count>', 'the number of earlier calls to print first')
        .argParser(wholeNumber('limit'))
        .default(20),
    )
    .option('--follow', 'also follow in a pipe, where the default is to print and exit')
    .option('--no-follow', 'print the calls so far, and exit')
  sandboxVerb(shown, ['logs tail', 'logs tail --status 4xx', 'logs tail --follow --json | jq .outcome'], tail)
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
    return tenant.requests.list({ status, operation, lead_id: lead, limit: size, before })
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
