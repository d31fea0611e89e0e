import type { Callback } from '@lead-distribution/control-client'
import { useRead } from './live.ts'

/** The number of newest callbacks that are searched for the last attempt: a retry may be of an older one. */
const newest = 20

/** The last attempt of a callback, and its id. */
export type LastAttempt = Callback['attempts'][number] & Pick<Callback, 'callback_id'>

/** Returns the last attempt of all callbacks: null if there is none, undefined until they are read. */
export function useLastAttempt(): LastAttempt | null | undefined {
  const { data } = useRead(['callbacks', 'newest'], control => control.callbacks.list({ limit: newest }))
  return data && lastOf(data.callbacks)
}

function lastOf(callbacks: readonly Callback[]): LastAttempt | null {
  const attempts = callbacks.flatMap(({ callback_id, attempts }) => attempts.map(each => ({ ...each, callback_id })))
  return attempts.sort((one, other) => Date.parse(other.at) - Date.parse(one.at))[0] ?? null
}
