import { type ScenarioWord, scenarioAddress, scenarios, scenarioWords } from '@lead-distribution/contract/test-leads'
import { Link } from 'react-router'
import { draftOf, scenarioChoice } from '../data/draft.ts'
import { formatWord } from '../data/format.ts'
import { useAction, useLeadContext } from '../data/live.ts'
import { newUuid } from '../data/new-uuid.ts'
import { readBody, type Submission, submit } from '../data/submission.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { Card, HttpStatus, PageHeader, StatusBadge } from '../ui/elements.tsx'

/** The outcomes that the sandbox forces on demand, each with a button to send it. */
export function Scenarios() {
  return (
    <>
      <PageHeader
        title="Scenarios"
        about="An e-mail address or the x-sandbox-scenario header forces an outcome, regardless of the data. To get several in a row, join them with dots."
      />
      <Card title="Forced outcomes" flush>
        <ul className="items">
          {scenarioWords.map(scenario => (
            <ScenarioRow key={scenario} scenario={scenario} />
          ))}
        </ul>
      </Card>
    </>
  )
}

function ScenarioRow({ scenario }: { readonly scenario: ScenarioWord }) {
  const context = useLeadContext()
  // If a scenario cuts the connection on purpose, there is no response to show.
  const send = useAction(
    async (control): Promise<Submission> =>
      submit(control, draftOf(scenarioChoice(scenario), context.account, context.today), context.account).catch(
        () => ({}),
      ),
  )
  return (
    <li>
      <strong className="name" title={scenarios[scenario].description}>
        {formatWord(scenario)}
      </strong>
      <code className="muted wide-only">{scenarioAddress(scenario, 'anything')}</code>
      <span className="line end">
        {send.data && <Outcome {...send.data} />}
        <CopyButton
          bare
          label={`Copy an address for ${scenario}`}
          text={() => scenarioAddress(scenario, newUuid().slice(0, 8))}
        />
        <button type="button" className="small" {...send.button} onClick={() => send.mutate()}>
          Send <span className="visually-hidden">{scenario}</span>
        </button>
      </span>
    </li>
  )
}

function Outcome({ response, cut }: Submission) {
  const { lead_id, status } = readBody(response?.body)
  const shown = cut?.lead_id ?? lead_id
  return (
    <output className="line">
      {(cut || !response) && <HttpStatus status={0} broken={cut && 'cut'} />}
      {response && <HttpStatus status={response.status} />}
      {status && <StatusBadge word={status} />}
      {shown && <Link to={`../leads/${shown}`}>Lead</Link>}
    </output>
  )
}
