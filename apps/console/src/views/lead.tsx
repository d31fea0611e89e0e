import { Link, useParams } from 'react-router'
import { formatEuros, formatWord, operationLabels } from '../data/format.ts'
import type { Lead } from '../data/lead-history.ts'
import { useAccount, useAction, useLead } from '../data/live.ts'
import { usePagedList } from '../data/paged-list.ts'
import { isMissing, sandbox } from '../data/sandbox.ts'
import { CopyButton } from '../ui/dialogs.tsx'
import { Card, Empty, ErrorNote, HttpStatus, PageHeader, StatusBadge, Time } from '../ui/elements.tsx'
import { PagedItems } from '../ui/paged-items.tsx'
import { saveFile } from '../ui/save-file.ts'
import { callId, outcomeOf } from './call-details.tsx'
import { LeadTimeline } from './lead-timeline.tsx'
import { ReportEvent } from './report-event.tsx'

/** A lead: its decision, the reason, and everything that happened since. */
export function LeadPage() {
  const { tenant = '', lead_id = '' } = useParams()
  return <LeadOf key={lead_id} tenant={tenant} lead_id={lead_id} />
}

function LeadOf({ tenant, lead_id }: { readonly tenant: string; readonly lead_id: string }) {
  const { data: lead, error } = useLead(tenant, lead_id)
  const repro = useAction(tenant, async () =>
    saveFile(`repro-${lead_id}.json`, JSON.stringify(await sandbox.control(tenant).leads.repro(lead_id), null, 2)),
  )
  if (isMissing(error)) return <MissingLead tenant={tenant} />
  if (!lead) return <ErrorNote error={error} />
  // Distributed leads start with the most common action.
  const isDistributed = lead.status === 'distributed'
  return (
    <>
      <PageHeader
        title={lead.email}
        about={
          <>
            <Link to={`/${tenant}/leads`}>Leads</Link> / <span className="mono">{lead.lead_id}</span>
          </>
        }
      >
        <StatusBadge word={lead.status} />
        <CopyButton label="Copy the id" text={() => lead.lead_id} />
        <Link className="button" to={`/${tenant}/leads?compare=${lead.lead_id}`}>
          Compare with…
        </Link>
        <button
          type="button"
          title="A file that reproduces this decision anywhere, without personal data: lead-sandbox repro run"
          disabled={repro.isPending}
          onClick={() => repro.mutate()}
        >
          Download a repro file
        </button>
      </PageHeader>
      <div className="columns wide-first">
        <div className="stack">
          <Card title="What happened">
            <LeadTimeline lead={lead} />
          </Card>
          <LeadCalls tenant={tenant} lead_id={lead_id} />
        </div>
        <div className="stack">
          {isDistributed && <ReportEvent tenant={tenant} lead={lead} />}
          <LeadFacts tenant={tenant} lead={lead} />
          <Card title="Submission" actions={<CopyButton small label="Copy" text={() => json(lead.submission)} />}>
            <pre>{json(lead.submission)}</pre>
          </Card>
          {!isDistributed && <ReportEvent tenant={tenant} lead={lead} />}
        </div>
      </div>
    </>
  )
}

/** Says that the address is that of a lead which the tenant doesn't have. */
function MissingLead({ tenant }: { readonly tenant: string }) {
  return (
    <>
      <PageHeader title="This lead isn't here" />
      <Empty
        title={`The tenant ${tenant} has no lead with this id`}
        about="Resetting the tenant deletes its leads, and restoring a snapshot replaces them. The link may also be for another tenant or another sandbox."
      >
        <Link className="button primary" to={`/${tenant}/leads`}>
          Show leads
        </Link>
      </Empty>
    </>
  )
}

const json = (value: unknown) => JSON.stringify(value, null, 2)

function LeadFacts({ tenant, lead }: { readonly tenant: string; readonly lead: Lead }) {
  const { data: account } = useAccount(tenant)
  const product = account?.products.find(({ product_id }) => product_id === lead.product_id)
  const { loan_amount, loan_term_months, loan_purpose } = Object(lead.submission.product_data)
  const postbackUrls = lead.deliveries.flatMap(({ name, postback_url }) =>
    postback_url ? [{ name, postback_url }] : [],
  )
  return (
    <Card title="Lead">
      <dl className="facts">
        <dt>Loan</dt>
        <dd>
          {formatEuros(Number(loan_amount))} over {String(loan_term_months)} months
        </dd>
        <dt>Purpose</dt>
        <dd>{formatWord(String(loan_purpose))}</dd>
        <dt>Product</dt>
        <dd>{product?.name ?? lead.product_id}</dd>
        {lead.rejection_reason && (
          <>
            <dt>Reason</dt>
            <dd>{formatWord(lead.rejection_reason)}</dd>
          </>
        )}
        {postbackUrls.map(({ name, postback_url }) => (
          <PostbackRow key={postback_url} name={name} url={postback_url} />
        ))}
      </dl>
    </Card>
  )
}

function PostbackRow({ name, url }: { readonly name: string; readonly url: string }) {
  return (
    <>
      <dt>Postback URL</dt>
      <dd>
        {name} <CopyButton small label="Copy" text={() => url} />
      </dd>
    </>
  )
}

/** The calls about a lead, newest first: its submission and the advertisers' reports. */
function LeadCalls({ tenant, lead_id }: { readonly tenant: string; readonly lead_id: string }) {
  const list = usePagedList(tenant, ['calls', { lead_id }], callId, async page => {
    const { requests, next } = await sandbox.control(tenant).requests.list({ lead_id, ...page })
    return { entries: requests, next }
  })
  return (
    <Card
      title="Calls"
      flush
      actions={<Link to={`/${tenant}/callbacks?lead_id=${lead_id}`}>Callbacks of this lead</Link>}
    >
      <ErrorNote error={list.error} />
      <PagedItems list={list} empty="The journal has no calls about this lead.">
        {call => (
          <>
            <HttpStatus {...call} />
            <Link to={`/${tenant}/calls/${call.request_id}?lead_id=${lead_id}`}>
              {operationLabels[call.operation]}: {outcomeOf(call)}
            </Link>
            <span className="end muted">
              <Time at={call.at} />
            </span>
          </>
        )}
      </PagedItems>
    </Card>
  )
}
