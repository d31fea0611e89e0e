import type { Account, TenantControl } from '@lead-distribution/control-client'
import { useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { draftOfRequest } from '../data/draft.ts'
import type { Values } from '../data/input-values.ts'
import { keepDraft } from '../data/kept-draft.ts'
import { useAccount, useAction } from '../data/live.ts'
import { readBody, type ServiceRequest, type ServiceResponse, sendToService } from '../data/submission.ts'
import { FormModal } from '../ui/actions.tsx'
import { ErrorNote, FieldIssues, HttpStatus } from '../ui/elements.tsx'
import { Field, TextField } from '../ui/forms.tsx'

/** Reads the request to send. */
type ReadRequest = (control: TenantControl, account: Account) => Promise<ServiceRequest>

/** Resends a request, unchanged or edited, and shows the response. */
export function Resend({ read }: { readonly read: ReadRequest }) {
  const account = useAccount()
  const edit = useEditRequest()
  const [edited, setEdited] = useState<ServiceRequest>()
  const [response, setResponse] = useState<ServiceResponse>()
  const send = useAction(async (control, request?: ServiceRequest) => {
    setResponse(undefined)
    setResponse(await sendToService(request ?? (await read(control, account))))
  })
  const open = useAction(async control => {
    const request = await read(control, account)
    if (request.path === '/lead') edit(account, request)
    else setEdited(request)
  })
  return (
    <div className="stack">
      <div className="actions">
        <button type="button" {...send.button} onClick={() => send.mutate(undefined)}>
          Send again
        </button>
        <button type="button" {...open.button} onClick={() => open.mutate()}>
          Edit and send
        </button>
      </div>
      <ErrorNote error={send.error ?? open.error} />
      {response && <ResponseNote response={response} />}
      {edited && (
        <EditedRequest
          request={edited}
          send={request => send.mutateAsync(request)}
          onClose={() => setEdited(undefined)}
        />
      )}
    </div>
  )
}

/** Returns a function that opens a submission in Submit, to edit it there. */
export function useEditRequest() {
  const navigate = useNavigate()
  return (account: Account, { headers, body = '' }: ServiceRequest) => {
    const { apikey, ...others } = headers
    // Submit adds the account's own key.
    const sent = apikey === undefined || apikey === account.publisher.api_key ? others : headers
    keepDraft(account, { chosen: '', draft: draftOfRequest({ headers: sent, body }) })
    void navigate(`/${account.tenant}/submit`)
  }
}

/** Edits a report of an advertiser, and sends it. */
function EditedRequest(props: {
  readonly request: ServiceRequest
  readonly send: (request: ServiceRequest) => Promise<void>
  readonly onClose: () => void
}) {
  const { method, path, headers, body } = props.request
  const act = (_control: TenantControl, { path: sentPath = '', apikey = '', body: sentBody = '' }: Values) => {
    const key = headers.apikey === undefined ? {} : { apikey }
    const sent = { method, path: sentPath, headers: { ...headers, ...key } }
    return props.send(body === undefined ? sent : { ...sent, body: sentBody })
  }
  return (
    <FormModal
      title="Edit and send"
      about="The request goes to the service as it stands here."
      send="Send"
      act={act}
      onClose={props.onClose}
    >
      <TextField label={`${method}, path and query`} name="path" required defaultValue={path} className="mono" />
      {headers.apikey !== undefined && (
        <TextField label="API key" name="apikey" required defaultValue={headers.apikey} className="mono" />
      )}
      {body !== undefined && (
        <Field label="Body">
          {ids => <textarea {...ids} name="body" rows={8} className="mono" defaultValue={body} />}
        </Field>
      )}
    </FormModal>
  )
}

function ResponseNote({ response }: { readonly response: ServiceResponse }) {
  const { status, body } = response
  const { lead_id, rejection_reason, message, issues } = readBody(body)
  return (
    <output className={`note ${status < 300 && rejection_reason === undefined ? 'good' : 'warn'}`}>
      <p>
        The service returned <HttpStatus status={status} /> {message ?? <code>{JSON.stringify(body)}</code>}
      </p>
      <FieldIssues issues={issues} />
      {lead_id && <Link to={`../leads/${lead_id}`}>Open the lead</Link>}
    </output>
  )
}
