import { useState } from 'react'
import { choiceOf, draftOf, parsedJson } from '../data/draft.ts'
import type { LeadContext } from '../data/entries.ts'
import { useLeadContext } from '../data/live.ts'
import { curlOf } from '../data/snippets.ts'
import { CopyButton } from '../ui/copy-button.tsx'
import { ErrorNote } from '../ui/elements.tsx'

/** The variable of `.env` files and of the SDKs. */
const variable = '$LEAD_PUBLISHER_API_KEY'

/** A curl command that submits a test lead. The key is only in the copied one. */
export function FirstCommand() {
  const context = useLeadContext()
  return context && <Command context={context} />
}

function Command({ context }: { readonly context: LeadContext }) {
  // Written once, because a lead has a new customer each time that it is written.
  const [{ curl, error }] = useState(() => commandOf(context))
  if (!curl) return <ErrorNote error={error} />
  return (
    <>
      <pre className="framed sunken">{curl(variable).replace(`'apikey: ${variable}'`, `"apikey: ${variable}"`)}</pre>
      <CopyButton label="Copy with the API key" text={() => curl(context.account.publisher.api_key)} />
    </>
  )
}

function commandOf({ account, today }: LeadContext): { curl?: (apiKey: string) => string; error?: unknown } {
  try {
    const { headers, body } = draftOf(choiceOf('distributed'), account, today)
    const request = { headers, body: JSON.stringify(parsedJson(body)) }
    return { curl: apiKey => curlOf({ baseUrl: account.base_url, apiKey, requests: [request] }) }
  } catch (error) {
    // The account's criteria allow no such lead. The message says what to change.
    return { error }
  }
}
