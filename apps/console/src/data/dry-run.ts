import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { parsedJson } from './draft.ts'
import { liveKey } from './live.ts'
import { sandbox } from './sandbox.ts'
import { useSettled } from './typed.ts'

/** What the service would answer to a body, and why; nothing is changed. Idle while the body is no JSON. */
export function useDryRun(tenant: string, body: string) {
  const settled = useSettled(body)
  const submission = parsedJson(settled)
  return useQuery({
    // Live: what was sent, a fault, or the clock changes what would happen.
    queryKey: liveKey(tenant, 'dry-run', settled),
    queryFn: () => sandbox.control(tenant).leads.explain(submission),
    enabled: submission !== undefined,
    placeholderData: keepPreviousData,
  })
}

/** The issues of a response of the service, each with its field. */
export function issuesOf(body: unknown): readonly { readonly field: string; readonly issue: string }[] {
  const { details } = Object(body)
  return Array.isArray(details) ? details : []
}
