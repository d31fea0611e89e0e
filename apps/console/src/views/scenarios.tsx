import { type ScenarioWord, scenarioAddress, scenarioWords } from '@lead-distribution/test-leads'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { choices, draftOf } from '../data/draft.ts'
import { formatWord } from '../data/format.ts'
import { useAccount, useAction, useClock } from '../data/live.ts'
import { newUuid } from '../data/new-uuid.ts'
import { type ServiceResponse, submitToService } from '../data/sandbox.ts'
import { CopyButton } from '../ui/dialogs.tsx'
import { Card, HttpStatus, PageHeader } from '../ui/elements.tsx'

/** Every outcome that the sandbox forces on demand, each with a button that sends it. */
export function Scenarios() {
  const { tenant = '' } = useParams()
  return (
    <>
      <PageHeader
        title="Scenarios"
        about="An e-mail address, or the header x-sandbox-scenario, forces an outcome whatever the data. Join several by dots for one after the other."
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
  const [response, setResponse] = useState<ServiceResponse | 'broken'>()
  const send = useAction(tenant, async () => {
    const choice = choices.find(each => 'scenario' in each && each.scenario === scenario)
    if (!choice || !account || !clock) return
    const draft = draftOf(choice, account, new Date(clock.now))
    // A scenario may break the connection on purpose: then there is no response to show.
    setResponse(await submitToService(draft, account.publisher.api_key).catch(() => 'broken' as const))
  })
  return (
    <li>
      <strong className="name">{formatWord(scenario)}</strong>
      <code className="muted wide-only">{scenarioAddress(scenario, 'anything')}</code>
      <span className="end">
        {response && <Outcome tenant={tenant} response={response} />}
        <CopyButton
          bare
          label={`Copy an address of ${scenario}`}
          text={() => scenarioAddress(scenario, newUuid().slice(0, 8))}
        />
        <button type="button" className="small" disabled={send.isPending || !account} onClick={() => send.mutate()}>
          Send <span className="visually-hidden">{scenario}</span>
        </button>
      </span>
    </li>
  )
}

function Outcome({ tenant, response }: { readonly tenant: string; readonly response: ServiceResponse | 'broken' }) {
  if (response === 'broken') return <output className="muted">The connection broke</output>
  const { lead_id } = Object(response.body)
  return (
    <output>
      <HttpStatus status={response.status} />{' '}
      {typeof lead_id === 'string' && <Link to={`/${tenant}/leads/${lead_id}`}>Lead</Link>}
    </output>
  )
}
