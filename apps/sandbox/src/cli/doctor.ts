import type { Command } from 'commander'
import { sandboxVerb } from './connection/sandbox-verb.ts'
import type { Reply, Session } from './connection/session.ts'
import { CommandFault } from './exit-codes.ts'
import { paintWord } from './printing/paint.ts'
import { table } from './printing/table.ts'

/** `lead-sandbox doctor`. */
export function describeDoctor(command: Command): void {
  command.argument('<url>', 'a postback URL as an advertiser would fire it; nothing is fired')
  sandboxVerb(command, [`doctor 'http://127.0.0.1:4010/api/v1/lead/LEAD_ID/status?token=…&event=approved'`], examine)
}

async function examine(session: Session, _flags: unknown, url: string): Promise<void> {
  const reply = await session.ask<'diagnosePostback'>('POST', ['doctor'], { body: { url } })
  session.print(reply, told)
  const wrong = reply.findings.filter(({ verdict }) => verdict === 'wrong').length
  if (wrong > 0) throw new CommandFault(`This URL reports nothing: ${wrong} of its checks fail.`)
}

function told({ findings }: Reply<'diagnosePostback'>): string {
  return table(
    ['check', 'verdict', 'finding'],
    findings.map(({ check, verdict, message }) => [check, paintWord(verdict), message]),
  )
}
