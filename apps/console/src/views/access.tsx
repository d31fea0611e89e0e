import type { TenantControl } from '@lead-distribution/control-client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useParams } from 'react-router'
import { liveKey, useAction } from '../data/live.ts'
import { hasAdminToken, isForbidden, sandbox } from '../data/sandbox.ts'
import { filled } from '../data/typed.ts'
import { ConfirmButton, CopyButton } from '../ui/dialogs.tsx'
import { Badge, Card, ErrorNote, Field, Note, PageHeader, Segments, Time } from '../ui/elements.tsx'

type NewToken = Parameters<TenantControl['tokens']['create']>[0]
type Token = Awaited<ReturnType<TenantControl['tokens']['list']>>['tokens'][number]

const roles = [
  { value: 'write', label: 'Read and write' },
  { value: 'read', label: 'Read only' },
] as const satisfies readonly { value: NewToken['role']; label: string }[]

const labelOf = (role: NewToken['role']) => roles.find(({ value }) => value === role)?.label

/** The operator's decisions about a tenant: the tokens that open it, and the hosts that its callbacks can go to. */
export function Access() {
  const { tenant = '' } = useParams()
  const { data, error } = useQuery({
    queryKey: liveKey(tenant, 'tokens'),
    queryFn: () => sandbox.control(tenant).tokens.list(),
    retry: false,
  })
  return (
    <>
      <PageHeader
        title="Access"
        about="The tokens that open this tenant, and the hosts that its callbacks can go to."
      />
      {isForbidden(error) && (
        <Note>
          <p>You're using a tenant token. Changes here require the admin token: ask the sandbox's operator.</p>
        </Note>
      )}
      <div className="columns">
        <Card title="Tokens" flush>
          {data ? (
            <Tokens tenant={tenant} tokens={data.tokens} />
          ) : (
            <div className="body">
              {isForbidden(error) ? (
                <p className="muted">Only the operator can see the tokens.</p>
              ) : (
                <ErrorNote error={error} />
              )}
            </div>
          )}
        </Card>
        <CallbackHosts tenant={tenant} isOperator={data !== undefined} />
      </div>
    </>
  )
}

function Tokens({ tenant, tokens }: { readonly tenant: string; readonly tokens: readonly Token[] }) {
  const revoke = useAction(tenant, (id: string) => sandbox.control(tenant).tokens.revoke(id), 'The token is revoked.')
  return (
    <>
      <div className="body">
        {!hasAdminToken && (
          <p className="muted">
            This sandbox requires no token, so you can do everything. Tokens take effect when it's started with{' '}
            <code>--admin-token</code>.
          </p>
        )}
        <CreateToken tenant={tenant} />
      </div>
      <ul className="items below">
        {tokens.length === 0 && <li className="muted">No tokens yet.</li>}
        {tokens.map(({ token_id, role, name = 'Unnamed', created_at }) => (
          <li key={token_id}>
            <div className="grow">
              <strong>{name}</strong>
              <div className="actions muted">
                <Badge tone={role === 'write' ? 'info' : 'plain'}>{labelOf(role)}</Badge>
                <code>{token_id}</code>
                <span>
                  created <Time at={created_at} />
                </span>
              </div>
            </div>
            <ConfirmButton
              small
              label="Revoke"
              of={name}
              question={`Revoke the token ${name}?`}
              about="Anyone who uses it can no longer open this tenant. This can't be undone."
              act={() => revoke.mutateAsync(token_id)}
            />
          </li>
        ))}
      </ul>
    </>
  )
}

function CreateToken({ tenant }: { readonly tenant: string }) {
  const [name, setName] = useState('')
  const [role, setRole] = useState<NewToken['role']>('write')
  const create = useAction(tenant, async () => {
    const created = await sandbox.control(tenant).tokens.create({ role, ...filled({ name }) })
    setName('')
    return created
  })
  return (
    <form
      className="stack"
      onSubmit={event => {
        event.preventDefault()
        create.mutate()
      }}
    >
      <Field label="Token name" hint="For your reference, such as the team or pipeline that uses it.">
        {ids => <input {...ids} value={name} onChange={event => setName(event.target.value)} />}
      </Field>
      <div className="actions">
        <Segments label="Role" value={role} options={roles} onChange={setRole} />
        <button type="submit" className="primary" disabled={create.isPending}>
          Create a token
        </button>
      </div>
      <ErrorNote error={create.error} />
      {create.data && (
        <output className="note good">
          <p>Copy the token now. It won't be shown again.</p>
          <div className="actions">
            <code>{create.data.token}</code>
            <CopyButton label="Copy the token" text={() => create.data.token} />
          </div>
        </output>
      )}
    </form>
  )
}

/** The hosts that callbacks can go to besides the sandbox's own machine. Only the operator changes them. */
function CallbackHosts({ tenant, isOperator }: { readonly tenant: string; readonly isOperator: boolean }) {
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
