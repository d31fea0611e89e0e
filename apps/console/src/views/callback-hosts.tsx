import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { liveKey, useAction } from '../data/live.ts'
import { sandbox } from '../data/sandbox.ts'
import { ConfirmButton } from '../ui/dialogs.tsx'
import { Badge, Card, ErrorNote, Field } from '../ui/elements.tsx'

/** The hosts that callbacks may go to besides the machine of the sandbox; only the operator changes them. */
export function CallbackHosts({ tenant, isOperator }: { readonly tenant: string; readonly isOperator: boolean }) {
  const control = sandbox.control(tenant)
  const { data, error } = useQuery({ queryKey: liveKey(tenant, 'hosts'), queryFn: () => control.hosts.list() })
  const remove = useAction(tenant, (host: string) => control.hosts.remove(host), 'The host is removed.')
  return (
    <Card title="Callback hosts" flush>
      <div className="body">
        <p className="muted">Callbacks may always go to the machine of the sandbox, and to these hosts besides.</p>
        {isOperator && <AllowHost tenant={tenant} />}
        <ErrorNote error={error} />
      </div>
      <ul className="items below">
        {data?.hosts.length === 0 && <li className="muted">No other host is allowed.</li>}
        {data?.hosts.map(({ host, allowed }) => (
          <li key={`${host} ${allowed}`}>
            <code className="grow">{host}</code>
            {allowed === 'at_start' ? (
              <Badge>Every tenant, from the start</Badge>
            ) : (
              <>
                <Badge tone="info">This tenant</Badge>
                {isOperator && (
                  <ConfirmButton
                    small
                    label="Remove"
                    of={host}
                    question={`Remove ${host}?`}
                    about="Callbacks of this tenant to it fail from now on."
                    act={() => remove.mutateAsync(host)}
                  />
                )}
              </>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}

function AllowHost({ tenant }: { readonly tenant: string }) {
  const [host, setHost] = useState('')
  const allow = useAction(tenant, async () => {
    await sandbox.control(tenant).hosts.allow(host.trim())
    setHost('')
  })
  return (
    <form
      className="stack"
      onSubmit={event => {
        event.preventDefault()
        allow.mutate()
      }}
    >
      <Field label="Host" hint="A host name or an address, without a scheme, port or path.">
        {ids => (
          <div className="actions">
            <input
              {...ids}
              className="grow"
              required
              placeholder="qa.example"
              value={host}
              onChange={event => setHost(event.target.value)}
            />
            <button type="submit" className="primary" disabled={allow.isPending}>
              Allow
            </button>
          </div>
        )}
      </Field>
      <ErrorNote error={allow.error} />
    </form>
  )
}
