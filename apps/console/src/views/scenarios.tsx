import { type ScenarioWord, scenarioAddress, scenarios, scenarioWords } from '@lead-distribution/contract/test-leads'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { choices, draftOf, newUuid } from '../data/draft.ts'
import { formatWord } from '../data/format.ts'
import { useAccount, useAction, useClock } from '../data/live.ts'
import { type Submission, submit } from '../data/submission.ts'
import { CopyButton } from '../ui/dialogs.tsx'
import { Card, HttpStatus, PageHeader } from '../ui/elements.tsx'

/** The outcomes that the sandbox forces on demand, each with a button to send it. */
export function Scenarios() {
  const { tenant = '' } = useParams()
  return (
    <>
      <PageHeader
        title="Scenarios"
        about="An e-mail address or the x-sandbox-scenario header forces an outcome, regardless of the data. To get several in a row, join them with dots."
      />
      <Card title="Forced outcomes" flush>
        <ul className="items">
          {scenarioWords.map(scenario => (
            <ScenarioRow key={scenario} tenant={tenant} scenario={scenario} />
          ))}
        </ul>
      </Card>
    </>
  )
}

function ScenarioRow({ tenant, scenario }: { readonly tenant: string; readonly scenario: ScenarioWord }) {
  const { data: account } = useAccount(tenant)
  const { data: clock } = useClock(tenant)
  const [submission, setSubmission] = useState<Submission>()
  const send = useAction(tenant, async () => {
    const choice = choices.find(each => 'scenario' in each && each.scenario === scenario)
    if (!choice || !account || !clock) return
    const draft = draftOf(choice, account, new Date(clock.now))
    // If a scenario cuts the connection on purpose, there is no response to show.
    setSubmission(await submit(tenant, draft, account.publisher.api_key).catch(() => ({})))
  })
  return (
    <li>
      <strong className="name" title={scenarios[scenario].description}>
        {formatWord(scenario)}
      </strong>
      <code className="muted wide-only">{scenarioAddress(scenario, 'anything')}</code>
      <span className="end">
        {submission && <Outcome tenant={tenant} {...submission} />}
        <CopyButton
          bare
          label={`Copy an address for ${scenario}`}
          text={() => scenarioAddress(scenario, newUuid().slice(0, 8))}
        />
        <button type="button" className="small" disabled={send.isPending || !account} onClick={() => send.mutate()}>
          Send <span className="visually-hidden">{scenario}</span>
        </button>
      </span>
    </li>
  )
}

function Outcome({ tenant, response, cut }: Submission & { readonly tenant: string }) {
  const { lead_id } = Object(response?.body)
  const shown = cut?.lead_id ?? lead_id
  return (
    <output>
      {(cut || !response) && <HttpStatus status={0} broken={cut && 'cut'} />}{' '}
      {response && <HttpStatus status={response.status} />}{' '}
      {typeof shown === 'string' && <Link to={`/${tenant}/leads/${shown}`}>Lead</Link>}
    </output>
  )
}
