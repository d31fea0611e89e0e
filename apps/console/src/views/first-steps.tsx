import type { Account } from '@lead-distribution/control-client'
import { useState } from 'react'
import { Link } from 'react-router'
import { choices, draftOf, parsedJson } from '../data/draft.ts'
import { useAccount, useClock } from '../data/live.ts'
import { isInPage, referenceUrl } from '../data/sandbox.ts'
import { curlOf } from '../data/snippets.ts'
import { CopyButton } from '../ui/dialogs.tsx'
import { Card, ErrorNote } from '../ui/elements.tsx'

/** The guides on the web, because a sandbox serves only the reference. */
const guides = 'https://github.com/lead-distribution/toolkit/blob/main/docs/README.md'

/** Shows how to begin with an empty tenant. */
export function FirstSteps({ tenant }: { readonly tenant: string }) {
  const { data: account } = useAccount(tenant)
  const { data: clock } = useClock(tenant)
  return (
    <Card title="Begin here" flush>
      <ol className="first-steps">
        <li>
          <h3>Submit a test lead</h3>
          <p className="muted">See how the service decides, and why. Nothing here can reach a real advertiser.</p>
          <Link className="button primary" to={`/${tenant}/submit`}>
            Submit a first lead
          </Link>
        </li>
        <li>
          <h3>Or send it as your application will</h3>
          {account && clock && <Command account={account} today={clock.now} />}
        </li>
        <li>
          <h3>Read on</h3>
          <div className="actions">
            <a className="button" href={guides}>
              Open the guides
            </a>
            <a className="button" href={referenceUrl} target={isInPage ? '_blank' : undefined} rel="noreferrer">
              Open the reference
            </a>
          </div>
        </li>
      </ol>
    </Card>
  )
}

/** A curl command that submits a test lead. The key is only in the copied one. */
function Command({ account, today }: { readonly account: Account; readonly today: string }) {
  // Written once, because a lead has a new customer each time that it is written.
  const [{ curl, error }] = useState(() => commandOf(account, today))
  if (!curl) return <ErrorNote error={error} />
  return (
    <>
      <pre>{curl('$LEAD_API_KEY').replace("'apikey: $LEAD_API_KEY'", '"apikey: $LEAD_API_KEY"')}</pre>
      <CopyButton label="Copy with the API key" text={() => curl(account.publisher.api_key)} />
    </>
  )
}

function commandOf(account: Account, today: string): { curl?: (apiKey: string) => string; error?: unknown } {
  const distributed = choices.find(({ label }) => label === 'distributed')
  if (!distributed) return {}
  try {
    const { headers, body } = draftOf(distributed, account, new Date(today))
    const request = { headers, body: JSON.stringify(parsedJson(body)) }
    return { curl: apiKey => curlOf({ baseUrl: account.base_url, apiKey, request }) }
  } catch (error) {
    // The account's criteria allow no such lead. The message says what to change.
    return { error }
  }
}
