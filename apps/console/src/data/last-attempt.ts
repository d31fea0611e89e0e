import type { Callback } from '@lead-distribution/control-client'
import { reachesReceiver } from './lead-history.ts'
import { useRead } from './live.ts'

/** The number of newest callbacks searched for the last attempt, because a retry may belong to an older one. */
const newest = 20

/** A callback's last attempt, with the callback's id. */
export type LastAttempt = Callback['attempts'][number] & Pick<Callback, 'callback_id'>

/**
 * Returns the last attempt that reached the receiver, null if there is none, and its name, which says if only the newest
 * callbacks were searched. Undefined until they are read.
 */
export function useLastAttempt(): { readonly attempt: LastAttempt | null; readonly name: string } | undefined {
  const { data } = useRead(['callbacks', 'newest'], control => control.callbacks.list({ limit: newest }))
  if (!data) return undefined
  const name = data.next === undefined ? 'Last response' : `Last response among the newest ${newest} callbacks`
  return { attempt: lastOf(data.callbacks), name }
}

/** Returns the last attempt that reached the receiver. At equal times, the newest callback's, which comes first. */
export function lastOf(callbacks: readonly Callback[]): LastAttempt | null {
  const attempts = callbacks.flatMap(({ callback_id, attempts }) => {
    const last = attempts.findLast(reachesReceiver)
    return last ? [{ ...last, callback_id }] : []
  })
  return attempts.sort((one, other) => Date.parse(other.at) - Date.parse(one.at))[0] ?? null
}
