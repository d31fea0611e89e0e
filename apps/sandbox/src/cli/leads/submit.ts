import { keyHeader, type LeadResponse } from '@lead-distribution/contract'
import { scenarioHeader } from '@lead-distribution/simulator/surface'
import { type Command, Option } from 'commander'
import { sandboxVerb } from '../connection/sandbox-verb.ts'
import { send } from '../connection/send.ts'
import type { Reply, Session } from '../connection/session.ts'
import { paint, paintWord } from '../printing/paint.ts'
import { list } from '../printing/table.ts'
import { readInput, withOwner } from './lead-input.ts'

interface Flags {
  readonly scenario?: string
  readonly fill: boolean
}

/** How long the service may take for its reply, milliseconds: a scenario can withhold it. */
const replyTimeoutMs = 30_000

/** `lead-sandbox submit`: a lead to the real endpoint, with the publisher's key of the tenant. */
export function describeSubmit(command: Command): void {
  command
    .argument('[file]', 'a JSON file, or - for stdin; without it, a smallest lead that an advertiser takes')
    .addOption(scenarioFlag())
    .addOption(noFillFlag())
  sandboxVerb(
    command,
    ['submit', 'submit lead.json', 'submit --scenario age_restriction', 'submit --scenario http_500.distributed'],
    submit,
  )
}

/** `--scenario`: what becomes of a submission, whatever the lead says. */
export function scenarioFlag(): Option {
  return new Option('--scenario <words>', 'what is to become of it: distributed, age_restriction, http_503, …')
}

/** `--no-fill`: a submission goes as it is. Commander looks for its default before a verb is loaded, so it is named. */
export function noFillFlag(): Option {
  const text = "send the file as it is, not with the account's product_id and publisher_id where it has none"
  return new Option('--no-fill', text).default(true)
}

async function submit(session: Session, { scenario, fill }: Flags, file: string | undefined): Promise<void> {
  const account = await session.ask<'showTenant'>('GET', [])
  const body = await bodyOf(session, account, file, fill)
  const reply = await send(new URL(`${account.base_url}/lead`), {
    method: 'POST',
    headers: {
      [keyHeader]: account.publisher.api_key,
      'content-type': 'application/json',
      ...(scenario === undefined ? {} : { [scenarioHeader]: scenario }),
    },
    body,
    timeoutMs: replyTimeoutMs,
  })
  session.print(reply as LeadResponse, told)
}

async function bodyOf(session: Session, account: Reply<'showTenant'>, file: string | undefined, fill: boolean) {
  if (file === undefined) return smallestLead(session, account)
  const content = await readInput(file)
  return fill ? withOwner(content, account) : content
}

/** Its consents are given now, and now is what the tenant's clock says. */
async function smallestLead(session: Session, account: Reply<'showTenant'>): Promise<string> {
  const { now } = await session.ask<'showClock'>('GET', ['clock'])
  const { createTestLeads } = await import('@lead-distribution/test-leads')
  return JSON.stringify(createTestLeads(account, { today: new Date(now) }).distributed())
}

function told({ lead_id, status, rejection_reason, redirect_url }: LeadResponse): string {
  const outcome = [paintWord(status), rejection_reason].filter(word => word).join(': ')
  const rows = list([
    ['outcome', outcome],
    ['lead_id', lead_id ?? undefined],
    ['redirect_url', redirect_url ?? undefined],
  ])
  return lead_id ? `${rows}\n${paint('dim', `Why: lead-sandbox leads explain ${lead_id}`)}` : rows
}
