import type { ConformanceReport } from '../report/report.ts'
import { reportJunit } from '../report/report-junit.ts'
import { writeText } from './files.ts'
import type { Flags } from './flags.ts'
import { reportText } from './report-text.ts'

/** Tells a report by every way that was asked for; on standard output for people, or as JSON. */
export async function tell(report: ConformanceReport, { json, junit, strict }: Flags): Promise<void> {
  const text = JSON.stringify(report, null, 2)
  if (junit !== undefined) await writeText(junit, reportJunit(report, strict))
  if (typeof json === 'string') await writeText(json, `${text}\n`)
  console.log(json === true ? text : reportText(report))
}
