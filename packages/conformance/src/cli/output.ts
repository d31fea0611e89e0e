import { type ConformanceReport, reportJunit } from '../report.ts'
import { writeText } from './baseline.ts'
import type { Flags } from './flags.ts'
import { reportText } from './report-text.ts'

/** Writes a report in every form that was asked for: for people on standard output, or as JSON. */
export async function writeReport(report: ConformanceReport, { json, junit, strict }: Flags): Promise<void> {
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
