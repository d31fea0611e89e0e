import { createTestLeads, requestsOf } from '@lead-distribution/contract/test-leads'
import { useState } from 'react'
import { Link } from 'react-router'
import { curlOf } from '../data/curl.ts'
import type { LeadContext } from '../data/entries.ts'
import { useLeadContext, useReadOnly } from '../data/live.ts'
import { isInPage, referenceUrl } from '../data/sandbox.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { Card, ErrorNote } from '../ui/elements.tsx'

/** The guides on the web, because a sandbox serves only the reference. */
const guides = 'https://github.com/lead-distribution/toolkit/blob/main/docs/README.md'

/** Shows how to begin with an empty tenant: a command that submits a first lead, ready to run. */
export function FirstSteps() {
  const context = useLeadContext()
  // Created once, because each new lead has a new customer.
  const [{ command: text, error }] = useState(() => commandOf(context))
  // A read-only token doesn't see the key.
  const command = useReadOnly() === undefined ? text : undefined
  return (
    <Card title="Begin here">
      <div className="stack">
        <ErrorNote error={error} />
        {command !== undefined && (
          <>
            <p>Run this in a terminal. It submits a test lead with this tenant's key and ids.</p>
            <pre className="framed sunken">{command}</pre>
          </>
        )}
        <div className="actions">
          {command !== undefined && <CopyButton label="Copy the command" text={() => command} />}
          <Link className="button primary" to="../submit">
            Submit a first lead
          </Link>
          <a className="button" href={guides}>
            Open the guides
          </a>
          <a className="button" href={referenceUrl} target={isInPage ? '_blank' : undefined} rel="noreferrer">
            Open the reference
          </a>
          <span className="muted">Nothing here reaches a real advertiser.</span>
        </div>
      </div>
    </Card>
  )
}

function commandOf({ account, today }: LeadContext): { command?: string; error?: unknown } {
  // No terminal reaches a sandbox inside the page.
  if (isInPage) return {}
  const { base_url: baseUrl, publisher } = account
  try {
    const leads = createTestLeads(account, { tag: Date.now().toString(36), today })
    return { command: curlOf({ baseUrl, apiKey: publisher.api_key, requests: requestsOf(leads.distributed()) }) }
  } catch (error) {
    // The account's criteria allow no such lead. The message says what to change.
    return { error }
  }
}
