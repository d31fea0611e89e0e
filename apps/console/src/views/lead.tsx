import { Link, useLocation, useParams } from 'react-router'
import { emailPath } from '../data/draft.ts'
import { type Lead, type PassingValue, pathOf } from '../data/entries.ts'
import { formatEuros, formatWord, operationLabels } from '../data/format.ts'
import { writeField } from '../data/json.ts'
import { useAccount, useAction, useLead, useRead, useReadOnly, useTenant } from '../data/live.ts'
import { newUuid } from '../data/new-uuid.ts'
import { pageOf, usePagedList } from '../data/paged-list.ts'
import { isMissing } from '../data/sandbox.ts'
import { requestOfLead } from '../data/submission.ts'
import { ActionButton } from '../ui/actions.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Card, ErrorNote, Fact, HttpStatus, PageHeader, StatusBadge, Time } from '../ui/elements.tsx'
import { PagedItems } from '../ui/paged-items.tsx'
import { saveFile } from '../ui/save-file.ts'
import { LeadChart } from './lead-chart.tsx'
import { LeadTimeline } from './lead-timeline.tsx'
import { LeadSteps, outcomeOf, submissionId } from './leads.tsx'
import { MissingEntry } from './list-detail.tsx'
import { ReportEvent } from './report-event.tsx'
import { RequestOutcome, requestId } from './request-details.tsx'
import { Resend, useEditRequest } from './resend.tsx'

/** The maximum number of requests for a lead in its timeline: the first one, and retries after lost responses. */
const maxSubmissions = 10

/** A lead: its decision, the reason, and everything that happened since. */
export function LeadPage() {
  const { id = '' } = useParams()
  return <LeadOf key={id} id={id} />
}

function LeadOf({ id }: { readonly id: string }) {
  const { search } = useLocation()
  const { data: lead, error } = useLead(id)
  const submissions = useRead(['requests', 'submissions', id], control =>
    control.requests.list({ leadId: id, operation: 'submitLead', limit: maxSubmissions }),
  )
  const tryWith = useTryWith(lead)
  const tenant = useTenant()
  if (isMissing(error))
    return (
      <>
        <PageHeader title="This lead isn't here" />
        <MissingEntry
          list="leads"
          title={`The tenant ${tenant} has no lead with this id`}
          about="The link may be for another tenant or another sandbox."
        />
      </>
    )
  if (!lead) return <ErrorNote error={error} />
  // Only an advertiser with the lead can report an event.
  const isTaken = lead.deliveries.some(({ decision }) => decision === 'accepted')
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
      <LeadChart lead={lead} submissions={submissions.data?.requests ?? []} />
      <div className="columns wide-first">
        <div className="stack">
          <Card title="What happened">
            <LeadTimeline lead={lead} onTry={passing => tryWith.mutate(passing)} />
          </Card>
          <LeadRequests lead_id={id} />
          <OtherSubmissions lead={lead} />
        </div>
        <div className="stack">
          {isTaken && <ReportEvent lead={lead} />}
          <LeadFacts lead={lead} />
          <Card title="Submission" actions={<CopyButton small label="Copy" text={() => json(lead.submission)} />}>
            <Resend read={(control, account) => requestOfLead(control, lead, account)} />
            <pre>{json(lead.submission)}</pre>
          </Card>
        </div>
      </div>
    </>
  )
}

/** Opens Submit with another customer's lead, whose value passes the check that rejected this one. */
function useTryWith(lead: Lead | undefined) {
  const account = useAccount()
  const edit = useEditRequest()
  return useAction(async (control, { field, value }: PassingValue) => {
    if (!lead) return
    const request = await requestOfLead(control, lead, account)
    const email = `try+${newUuid().slice(0, 8)}@example.com`
    const body = writeField(writeField(request.body ?? '', field, value), emailPath, email)
    edit(account, { ...request, body })
  })
}

const json = (value: unknown) => JSON.stringify(value, null, 2)

function LeadFacts({ lead }: { readonly lead: Lead }) {
  const product = useAccount().products.find(({ product_id }) => product_id === lead.product_id)
  const readOnly = useReadOnly()
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
                {name} <CopyButton small denied={readOnly} label="Copy" text={() => postback_url} />
              </>
            )}
          </Fact>
        ))}
      </dl>
    </Card>
  )
}

/** The requests about a lead, newest first: its submission and the advertisers' reports. */
function LeadRequests({ lead_id }: { readonly lead_id: string }) {
  const list = usePagedList({
    name: ['requests', { lead_id }],
    idOf: requestId,
    read: (control, page) => pageOf('requests', control.requests.list({ leadId: lead_id, ...page })),
  })
  return (
    <Card title="Requests" flush actions={<Link to={`../callbacks?lead_id=${lead_id}`}>Callbacks of this lead</Link>}>
      <ErrorNote error={list.error} />
      <PagedItems list={list} empty="The journal has no requests about this lead.">
        {entry => (
          <>
            <HttpStatus {...entry} />
            <Link to={`../requests/${entry.request_id}?lead_id=${lead_id}`}>{operationLabels[entry.operation]}</Link>
            <span>
              <RequestOutcome entry={entry} />
            </span>
            <span className="line end muted">
              <Time at={entry.at} precise />
            </span>
          </>
        )}
      </PagedItems>
    </Card>
  )
}

/** A customer's other submissions, newest first. Most of them create no lead. */
function OtherSubmissions({ lead: { lead_id, email } }: { readonly lead: Lead }) {
  const list = usePagedList({
    name: ['leads', 'of', email],
    idOf: submissionId,
    async read(control, page) {
      const { submissions, next } = await control.submissions.list({ email, ...page })
      return { entries: submissions.filter(each => each.lead_id !== lead_id), next }
    },
  })
  return (
    <Card title="Other submissions of this customer" flush>
      <ErrorNote error={list.error} />
      <PagedItems list={list} empty="This customer was submitted once.">
        {submission => (
          <>
            <StatusBadge word={submission.status} />
            <Link to={`../${pathOf(submission)}`}>{outcomeOf(submission)}</Link>
            {submission.lead_id === undefined && <span className="muted">No lead was created</span>}
            <span className="line end muted">
              <Time at={submission.received_at} precise />
            </span>
          </>
        )}
      </PagedItems>
    </Card>
  )
}
