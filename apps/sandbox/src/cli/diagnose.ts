import type { ControlReply } from '@lead-distribution/simulator'
import type { Command } from 'commander'
import { CommandError } from './exit-codes.ts'
import { paintValue } from './printing/paint.ts'
import { table } from './printing/table.ts'
import { type Session, sandboxVerb } from './sandbox-verb.ts'

/** `lead-sandbox diagnose`. */
export function describeDiagnose(command: Command): void {
  command.argument('<url>', 'a postback URL as an advertiser would fire it; nothing is fired')
  sandboxVerb(command, [`diagnose 'http://127.0.0.1:4010/api/v1/lead/LEAD_ID/status?token=…&event=approved'`], diagnose)
}

async function diagnose({ tenant, print }: Session, _flags: unknown, url: string): Promise<void> {
  const reply = await tenant.diagnosePostback(url)
  print(reply, findingsTable)
  const wrong = reply.findings.filter(({ verdict }) => verdict === 'wrong').length
  if (wrong > 0) throw new CommandError(`This URL reports nothing: ${wrong} of its checks fail.`)
}

function findingsTable({ findings }: ControlReply<'diagnosePostback'>): string {
  return table(
    ['check', 'verdict', 'finding'],
    findings.map(({ check, verdict, message }) => [check, paintValue(verdict), message]),
  )
}
