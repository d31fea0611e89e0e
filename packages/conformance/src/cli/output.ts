import type { ConformanceReport } from '../report/report.ts'
import { reportJunit } from '../report/report-junit.ts'
import { writeText } from './baseline.ts'
import type { Flags } from './flags.ts'
import { reportText } from './report-text.ts'

/** Tells a report by every way that was asked for; on standard output for people, or as JSON. */
export async function tell(report: ConformanceReport, { json, junit, strict }: Flags): Promise<void> {
  const text = JSON.stringify(report, null, 2)
  if (junit !== undefined) await writeText(junit, reportJunit(report, strict))
  if (typeof json === 'string') await writeText(json, `${text}\n`)
  console.log(json === true ? text : reportText(report))
}

/** Shows on a terminal's stderr how many of so many are done, call by call; the line is gone with the last one. */
export function showProgress(total: number): () => void {
  let done = 0
  return () => {
    done++
    if (process.stderr.isTTY) process.stderr.write(done < total ? `\r${done} of ${total}` : '\r\u001b[K')
  }
}

/** What the command ends with: it conforms, it differs, wrong usage or nobody to ask. */
export const exitCodes = { conforms: 0, differs: 1, usage: 2 } as const

/** Why nothing could be found out: whole sentences that say what to do, for stderr. It ends with 2. */
export class CommandFault extends Error {}
