import { useState } from 'react'
import { operationLabels } from '../data/format.ts'
import { usePagedList } from '../data/paged-list.ts'
import { sandbox } from '../data/sandbox.ts'
import { Card, ErrorNote, HttpStatus, Time } from '../ui/elements.tsx'
import { PagedItems } from '../ui/paged-items.tsx'
import { type Call, CallDialog, callId, outcomeOf } from './call-dialog.tsx'

/** The calls of the service that were about a lead, newest first: its submission, and what advertisers reported. */
export function LeadCalls({ tenant, lead_id }: { readonly tenant: string; readonly lead_id: string }) {
  const [shown, setShown] = useState<Call>()
  const list = usePagedList(tenant, ['calls', { lead_id }], callId, async page => {
    const { requests, next } = await sandbox.control(tenant).requests.list({ lead_id, ...page })
    return { entries: requests, next }
  })
  return (
    <Card title="Calls" flush>
      <ErrorNote error={list.error} />
      <PagedItems list={list} empty="The journal has no call about this lead.">
        {call => (
          <>
            <HttpStatus {...call} />
            <button type="button" className="link" onClick={() => setShown(call)}>
              {operationLabels[call.operation]}: {outcomeOf(call)}
            </button>
            <span className="end muted">
              <Time at={call.at} />
            </span>
          </>
        )}
      </PagedItems>
      <CallDialog tenant={tenant} call={shown} onClose={() => setShown(undefined)} />
    </Card>
  )
}
