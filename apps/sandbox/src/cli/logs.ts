import { controlBounds } from '@lead-distribution/simulator/paths'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { sandboxVerb } from './connection/sandbox-verb.ts'
import type { Reply, Session } from './connection/session.ts'
import { follow } from './printing/follow.ts'
import { line } from './printing/line.ts'
import { paint, paintStatus } from './printing/paint.ts'
import { shortTime } from './printing/time.ts'
import { wholeNumber } from './values/numbers.ts'
import { operationNames } from './values/operation-names.ts'

type Request = Reply<'listRequests'>['requests'][number]

interface Flags {
  readonly status?: string
  readonly operation?: string
  readonly lead?: string
  readonly limit: number
  readonly follow?: boolean
}

/** How many calls one look takes at the most; what comes faster is caught up with page by page. */
const pageSize = controlBounds.limit.max

/** `lead-sandbox logs`. */
export function describeLogs(command: Command): void {
  const shown = command
    .helpCommand(false)
    .command('tail')
    .description('Print the newest calls of the service, and go on with those that come; ends by Ctrl-C.')
    .addOption(new Option('--status <status>', 'only those answered so: 404, 4xx').argParser(parseStatus))
    .addOption(new Option('--operation <name>', 'only calls of this').choices(operationNames))
    .option('--lead <id>', 'only calls about this lead')
    .addOption(new Option('--limit <count>', 'begin with so many').argParser(wholeNumber('limit')).default(20))
    .option('--follow', 'go on also where nobody watches: in a pipe the default is to print and end')
    .option('--no-follow', 'print what there is, and end')
  sandboxVerb(shown, ['logs tail', 'logs tail --status 4xx', 'logs tail --follow --json | jq .outcome'], tail)
}

async function tail(session: Session, { status, operation, lead, limit, ...flags }: Flags): Promise<void> {
  let last: number | undefined
  await follow(
    async () => {
      const requests = await freshRequests()
      for (const request of requests.toReversed()) session.print(request, told)
      last = requests[0] ? numberOf(requests[0]) : (last ?? 0)
    },
    flags.follow ?? process.stdout.isTTY === true,
  )

  /** The newest calls at first, then those behind the last one that was printed; newest first. */
  async function freshRequests(): Promise<Request[]> {
    if (last === undefined) return (await page(limit)).requests
    const found: Request[] = []
    for (let before: string | undefined; ; ) {
      const { requests, next } = await page(pageSize, before)
      const newest = requests[0] ? numberOf(requests[0]) : last
      // The tenant was reset or put back, and its journal goes on from an older call.
      if (before === undefined && newest < last) last = 0
      const known = last
      const fresh = requests.filter(request => numberOf(request) > known)
      found.push(...fresh)
      if (next === undefined || fresh.length < requests.length) return found
      before = next
    }
  }

  function page(size: number, before?: string): Promise<Reply<'listRequests'>> {
    const query = { status, operation, lead_id: lead, limit: size, before }
    return session.ask<'listRequests'>('GET', ['requests'], { query })
  }
}

const numberOf = ({ request_id }: Request) => Number(request_id.slice(1))

function told({ at, method, path, status, ms, outcome, reason, lead_id, broken, ...more }: Request): string {
  const what = [outcome, reason, more.event].filter(word => word).join(' ')
  const details = [
    what,
    `${ms.toFixed(1)} ms`,
    lead_id && !path.includes(lead_id) ? `lead ${lead_id}` : undefined,
    more.fault_id && paint('yellow', `fault ${more.fault_id}`),
    broken && paint('red', broken),
    ...(more.issues ?? []).map(({ field, issue }) => `${field}: ${issue}`),
    ...more.warnings.map(warning => paint('yellow', `${warning.switch}: ${warning.would}`)),
  ]
  return line([shortTime(at), paintStatus(status), method, path, ...details])
}

function parseStatus(text: string): string {
  if (/^(\d|\d{3}|\dxx)$/.test(text)) return text
  throw new InvalidArgumentError('Give a status or a class of them, such as 404 or 4xx.')
}
