import type { Account } from '@lead-distribution/control-client'
import { useState } from 'react'
import { choices, draftOf, parsedJson } from '../data/draft.ts'
import { useAccount, useClock } from '../data/live.ts'
import { curlOf } from '../data/snippets.ts'
import { CopyButton } from '../ui/dialogs.tsx'
import { ErrorNote } from '../ui/elements.tsx'

/** A curl command that submits a test lead. The key is only in the copied one. */
export function FirstCommand({ tenant }: { readonly tenant: string }) {
  const { data: account } = useAccount(tenant)
  const { data: clock } = useClock(tenant)
  return account && clock && <Command account={account} today={clock.now} />
}

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
