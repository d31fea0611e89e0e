import { Link, useLocation, useParams } from 'react-router'
import type { Lead } from '../data/entries.ts'
import { formatEuros, formatWord, operationLabels } from '../data/format.ts'
import { useAccount, useLead, useTenant } from '../data/live.ts'
import { usePagedList } from '../data/paged-list.ts'
import { isMissing } from '../data/sandbox.ts'
import { ActionButton } from '../ui/actions.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Card, Empty, ErrorNote, Fact, HttpStatus, PageHeader, StatusBadge, Time } from '../ui/elements.tsx'
import { PagedItems } from '../ui/paged-items.tsx'
import { saveFile } from '../ui/save-file.ts'
import { callId, outcomeOf } from './call-details.tsx'
import { LeadTimeline } from './lead-timeline.tsx'
import { LeadSteps } from './leads.tsx'
import { ReportEvent } from './report-event.tsx'

/** A lead: its decision, the reason, and everything that happened since. */
export function LeadPage() {
  const { id = '' } = useParams()
  return <LeadOf key={id} id={id} />
}

function LeadOf({ id }: { readonly id: string }) {
  const { search } = useLocation()
  const { data: lead, error } = useLead(id)
  if (isMissing(error)) return <MissingLead />
  if (!lead) return <ErrorNote error={error} />
  // Distributed leads start with the most common action.
  const isDistributed = lead.status === 'distributed'
  return (
    <>
      <PageHeader
        title={lead.email}
        about={
          <>
            <Link to={{ pathname: '../leads', search }}>Leads</Link> / <span className="mono">{lead.lead_id}</span>
          </>
        }
      >
        <LeadSteps id={id} />
        <StatusBadge word={lead.status} />
        <CopyButton label="Copy the id" text={() => lead.lead_id} />
        <Link className="button" to={`../leads?compare=${lead.lead_id}`}>
          Compare with…
        </Link>
        <ActionButton
          title="A file that reproduces this decision anywhere, without personal data: lead-sandbox repro run"
          act={async control => saveFile(`repro-${id}.json`, json(await control.leads.repro(id)))}
        >
          Download a repro file
        </ActionButton>
      </PageHeader>
      <div className="columns wide-first">
        <div className="stack">
          <Card title="What happened">
            <LeadTimeline lead={lead} />
          </Card>
          <LeadCalls lead_id={id} />
        </div>
        <div className="stack">
          {isDistributed && <ReportEvent lead={lead} />}
          <LeadFacts lead={lead} />
          <Card title="Submission" actions={<CopyButton small label="Copy" text={() => json(lead.submission)} />}>
            <pre>{json(lead.submission)}</pre>
          </Card>
          {!isDistributed && <ReportEvent lead={lead} />}
        </div>
      </div>
    </>
  )
}

/** Says that the address is that of a lead which the tenant doesn't have. */
function MissingLead() {
  const tenant = useTenant()
  return (
    <>
      <PageHeader title="This lead isn't here" />
      <Empty
        title={`The tenant ${tenant} has no lead with this id`}
        about="Resetting the tenant deletes its leads, and restoring a snapshot replaces them. The link may also be for another tenant or another sandbox."
      >
        <Link className="button primary" to="../leads">
          Show leads
        </Link>
      </Empty>
    </>
  )
}

const json = (value: unknown) => JSON.stringify(value, null, 2)

function LeadFacts({ lead }: { readonly lead: Lead }) {
  const { data: account } = useAccount()
  const product = account?.products.find(({ product_id }) => product_id === lead.product_id)
  const { loan_amount, loan_term_months, loan_purpose } = Object(lead.submission.product_data)
  return (
    <Card title="Lead">
      <dl className="facts">
        <Fact name="Loan">
          {formatEuros(Number(loan_amount))} over {String(loan_term_months)} months
        </Fact>
        <Fact name="Purpose">{formatWord(String(loan_purpose))}</Fact>
        <Fact name="Product">{product?.name ?? lead.product_id}</Fact>
        <Fact name="Reason">{lead.rejection_reason && formatWord(lead.rejection_reason)}</Fact>
        {lead.deliveries.map(({ advertiser_id, name, postback_url }) => (
          <Fact key={advertiser_id} name="Postback URL">
            {postback_url && (
              <>
                {name} <CopyButton small label="Copy" text={() => postback_url} />
              </>
            )}
          </Fact>
        ))}
      </dl>
    </Card>
  )
}

/** The calls about a lead, newest first: its submission and the advertisers' reports. */
function LeadCalls({ lead_id }: { readonly lead_id: string }) {
  const list = usePagedList({
    name: ['calls', { lead_id }],
    idOf: callId,
    async read(control, page) {
      const { requests, next } = await control.requests.list({ leadId: lead_id, ...page })
      return { entries: requests, next }
    },
  })
  return (
    <Card title="Calls" flush actions={<Link to={`../callbacks?lead_id=${lead_id}`}>Callbacks of this lead</Link>}>
      <ErrorNote error={list.error} />
      <PagedItems list={list} empty="The journal has no calls about this lead.">
        {call => (
          <>
            <HttpStatus {...call} />
            <Link to={`../calls/${call.request_id}?lead_id=${lead_id}`}>
              {operationLabels[call.operation]}: {outcomeOf(call)}
            </Link>
            <span className="line end muted">
              <Time at={call.at} precise />
            </span>
          </>
        )}
      </PagedItems>
    </Card>
  )
}
