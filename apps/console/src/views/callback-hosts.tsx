import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { liveKey, useAction } from '../data/live.ts'
import { sandbox } from '../data/sandbox.ts'
import { ConfirmButton } from '../ui/dialogs.tsx'
import { Badge, Card, ErrorNote, Field } from '../ui/elements.tsx'

/** The hosts that callbacks can go to besides the sandbox's own machine; only the operator changes them. */
export function CallbackHosts({ tenant, isOperator }: { readonly tenant: string; readonly isOperator: boolean }) {
  const control = sandbox.control(tenant)
  const { data, error } = useQuery({ queryKey: liveKey(tenant, 'hosts'), queryFn: () => control.hosts.list() })
  const remove = useAction(tenant, (host: string) => control.hosts.remove(host), 'The host is removed.')
  return (
    <Card title="Callback hosts" flush>
      <div className="body">
        <p className="muted">Hosts that callbacks can go to, besides the sandbox's own machine.</p>
        {isOperator && <AllowHost tenant={tenant} />}
        <ErrorNote error={error} />
      </div>
      <ul className="items below">
        {data?.hosts.length === 0 && <li className="muted">No other host is allowed.</li>}
        {data?.hosts.map(({ host, allowed }) => (
          <li key={`${host} ${allowed}`}>
            <code className="grow">{host}</code>
            {allowed === 'at_start' ? (
              <Badge>All tenants, set at start</Badge>
            ) : (
              <>
                <Badge tone="info">This tenant</Badge>
                {isOperator && (
                  <ConfirmButton
                    small
                    label="Remove"
                    of={host}
                    question={`Remove ${host}?`}
                    about="This tenant's callbacks to it will fail. You can allow it again."
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
      <Field label="Host" hint="A host name or IP address, without scheme, port or path.">
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
