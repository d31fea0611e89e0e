import { keyHeader, type LeadResponse } from '@lead-distribution/contract'
import type { Account } from '@lead-distribution/control-client'
import { scenarioHeader } from '@lead-distribution/simulator/paths'
import type { Command } from 'commander'
import { type Session, sandboxVerb } from '../connection/sandbox-verb.ts'
import { send } from '../connection/send.ts'
import { paint, paintValue } from '../printing/paint.ts'
import { list } from '../printing/table.ts'
import { noFillFlag, readInput, scenarioFlag, withOwner } from './lead-input.ts'

interface Flags {
  readonly scenario?: string
  readonly fill: boolean
}

/** How long the reply of the service may take, milliseconds: a scenario can withhold it. */
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

async function submit(session: Session, { scenario, fill }: Flags, file: string | undefined): Promise<void> {
  const account = await session.tenant.show()
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
  session.print(reply as LeadResponse, outcomeText)
}

async function bodyOf(session: Session, account: Account, file: string | undefined, fill: boolean) {
  if (file === undefined) return smallestLead(session, account)
  const content = await readInput(file)
  return fill ? withOwner(content, account) : content
}

/** Its consents are dated by the tenant's clock. */
async function smallestLead(session: Session, account: Account): Promise<string> {
  const { now } = await session.tenant.clock.show()
  const { createTestLeads } = await import('@lead-distribution/test-leads')
  return JSON.stringify(createTestLeads(account, { today: new Date(now) }).distributed())
}

function outcomeText({ lead_id, status, rejection_reason, redirect_url }: LeadResponse): string {
  const outcome = [paintValue(status), rejection_reason].filter(part => part).join(': ')
  const rows = list([
    ['outcome', outcome],
    ['lead_id', lead_id ?? undefined],
    ['redirect_url', redirect_url ?? undefined],
  ])
  return lead_id ? `${rows}\n${paint('dim', `Why: lead-sandbox leads explain ${lead_id}`)}` : rows
}
