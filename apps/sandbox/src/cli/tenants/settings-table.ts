import type { Reply } from '../connection/session.ts'
import { cuttable } from '../printing/fit-columns.ts'
import { table } from '../printing/table.ts'

/** The settings of an account. */
export type Settings = Reply<'showTenant'>['settings']

/** Settings as a table, their values as `settings set` takes them: all, or those of these names. */
export function settingsTable(settings: Settings, names: readonly string[] = Object.keys(settings)): string {
  const rows = Object.entries(settings)
    .filter(([name]) => names.includes(name))
    .map(([name, value]) => [name, cuttable(typeof value === 'string' ? value : JSON.stringify(value))])
  return table(['setting', 'value'], rows)
}
