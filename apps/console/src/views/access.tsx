import type { TenantControl } from '@lead-distribution/control-client'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useParams } from 'react-router'
import { liveKey, useAction } from '../data/live.ts'
import { hasAdminToken, isForbidden, sandbox } from '../data/sandbox.ts'
import { filled } from '../data/typed.ts'
import { ConfirmButton, CopyButton } from '../ui/dialogs.tsx'
import { Badge, Card, ErrorNote, Field, Note, PageHeader, Segments, Time } from '../ui/elements.tsx'
import { CallbackHosts } from './callback-hosts.tsx'

type NewToken = Parameters<TenantControl['tokens']['create']>[0]
type Token = Awaited<ReturnType<TenantControl['tokens']['list']>>['tokens'][number]

const roles = [
  { value: 'write', label: 'Can change' },
  { value: 'read', label: 'Can only read' },
] as const satisfies readonly { value: NewToken['role']; label: string }[]

const labelOf = (role: NewToken['role']) => roles.find(({ value }) => value === role)?.label

/** What the operator decides about a tenant: the tokens that open it, and the hosts that its callbacks may go to. */
export function Access() {
  const { tenant = '' } = useParams()
  const { data, error } = useQuery({
    queryKey: liveKey(tenant, 'tokens'),
    queryFn: () => sandbox.control(tenant).tokens.list(),
    retry: false,
  })
  return (
    <>
      <PageHeader title="Access" about="Which tokens open this tenant, and where its callbacks may go." />
      {isForbidden(error) && (
        <Note>
          <p>
            You have a token of this tenant. To change what is here takes the admin token: ask the operator of the
            sandbox.
          </p>
        </Note>
      )}
      <div className="columns">
        <Card title="Tokens" flush>
          {data ? (
            <Tokens tenant={tenant} tokens={data.tokens} />
          ) : (
            <div className="body">
              {isForbidden(error) ? (
                <p className="muted">Only the operator sees the tokens.</p>
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
            This sandbox asks for no token, so you may do everything. Tokens count once it is started with{' '}
            <code>--admin-token</code>.
          </p>
        )}
        <CreateToken tenant={tenant} />
      </div>
      <ul className="items below">
        {tokens.length === 0 && <li className="muted">No token yet.</li>}
        {tokens.map(({ token_id, role, name = 'Without a name', created_at }) => (
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
              about="Whoever uses it can no longer open this tenant."
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
      <Field label="Name of the token" hint="For you, such as the team or the pipeline that uses it.">
        {ids => <input {...ids} value={name} onChange={event => setName(event.target.value)} />}
      </Field>
      <div className="actions">
        <Segments label="What it allows" value={role} options={roles} onChange={setRole} />
        <button type="submit" className="primary" disabled={create.isPending}>
          Create a token
        </button>
      </div>
      <ErrorNote error={create.error} />
      {create.data && (
        <output className="note good">
          <p>Copy the token now: it is not shown again.</p>
          <div className="actions">
            <code>{create.data.token}</code>
            <CopyButton label="Copy the token" text={() => create.data.token} />
          </div>
        </output>
      )}
    </form>
  )
}
