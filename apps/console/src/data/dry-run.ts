import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { parsedJson } from './draft.ts'
import { liveKey } from './live.ts'
import { sandbox } from './sandbox.ts'
import { useSettled } from './typed.ts'

/** The response that a body would get, and why; nothing is changed. `current` is that of this very body. Idle while it isn't JSON. */
export function useDryRun(tenant: string, body: string) {
  const settled = useSettled(body)
  const submission = parsedJson(settled)
  const { data, error, isPlaceholderData } = useQuery({
    // Live: what was sent, a fault, or the clock changes what would happen.
    queryKey: liveKey(tenant, 'dry-run', settled),
    queryFn: () => sandbox.control(tenant).leads.explain(submission),
    enabled: submission !== undefined,
    placeholderData: keepPreviousData,
  })
  return { data, error, current: settled === body && !isPlaceholderData ? data : undefined }
}

/** The issues of a response of the service, each with its field. */
export function issuesOf(body: unknown): readonly { readonly field: string; readonly issue: string }[] {
  const { details } = Object(body)
  return Array.isArray(details) ? details : []
}
