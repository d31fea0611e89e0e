import type { TenantControl } from '@lead-distribution/control-client'
import { useState } from 'react'
import { useAction, useRead, useSession } from '../data/live.ts'
import { isForbidden } from '../data/sandbox.ts'
import { ConfirmButton } from '../ui/actions.tsx'
import { CopyButton } from '../ui/copy-button.tsx'
import { Badge, Card, ErrorNote, Note, PageHeader, Time } from '../ui/elements.tsx'
import { type Choice, Form, Segments, TextField } from '../ui/forms.tsx'

type Role = Parameters<TenantControl['tokens']['create']>[0]['role']
type Token = Awaited<ReturnType<TenantControl['tokens']['list']>>['tokens'][number]

const roles: readonly Choice<Role>[] = [
  { value: 'write', label: 'Read and write' },
  { value: 'read', label: 'Read only' },
]

/** The operator's decisions about a tenant: the tokens that open it, and the hosts that its callbacks can go to. */
export function Access() {
  const { data, error } = useRead(['tokens'], control => control.tokens.list(), { retry: false })
  return (
    <>
      <PageHeader
        title="Access"
        about="The tokens that open this tenant, and the hosts that its callbacks can go to."
      />
      {isForbidden(error) && (
        <Note>You're using a tenant token. Changes here require the admin token: ask the sandbox's operator.</Note>
      )}
      <div className="columns">
        <Card title="Tokens" flush>
          {data ? (
            <Tokens tokens={data.tokens} />
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
        <CallbackHosts isOperator={data !== undefined} />
      </div>
    </>
  )
}

function Tokens({ tokens }: { readonly tokens: readonly Token[] }) {
  const { data: session } = useSession()
  return (
    <>
      <div className="body">
        {session && !session.requires_token && (
          <p className="muted">
            This sandbox requires no token, so you can do everything. Tokens take effect when it's started with{' '}
            <code className="unbroken">--admin-token</code>.
          </p>
        )}
        <CreateToken />
      </div>
      <ul className="items below">
        {tokens.length === 0 && <li className="muted">No tokens yet.</li>}
        {tokens.map(({ token_id, role, name = 'Unnamed', created_at }) => (
          <li key={token_id}>
            <div className="grow">
              <strong>{name}</strong>
              <div className="actions muted">
                <Badge tone={role === 'write' ? 'info' : 'plain'}>
                  {roles.find(({ value }) => value === role)?.label}
                </Badge>
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
              act={control => control.tokens.revoke(token_id)}
              done="The token is revoked."
            />
          </li>
        ))}
      </ul>
    </>
  )
}

function CreateToken() {
  const [role, setRole] = useState<Role>('write')
  const create = useAction((control, values: object) => control.tokens.create({ role, ...values }))
  return (
    <>
      <Form
        action={create}
        before={<Segments label="Role" value={role} options={roles} onChange={setRole} />}
        send="Create a token"
        onDone={form => form.reset()}
      >
        <TextField
          label="Token name"
          hint="For your reference, such as the team or pipeline that uses it."
          name="name"
        />
      </Form>
      {create.data && (
        <output className="note good">
          <p>Copy the token now. It won't be shown again.</p>
          <div className="actions">
            <code>{create.data.token}</code>
            <CopyButton label="Copy the token" text={() => create.data.token} />
          </div>
        </output>
      )}
    </>
  )
}

/** The hosts that callbacks can go to besides the sandbox's own machine. Only the operator changes them. */
function CallbackHosts({ isOperator }: { readonly isOperator: boolean }) {
  const { data, error } = useRead(['hosts'], control => control.hosts.list())
  return (
    <Card title="Callback hosts" flush>
      <div className="body">
        <p className="muted">Hosts that callbacks can go to, besides the sandbox's own machine.</p>
        {isOperator && <AllowHost />}
        <ErrorNote error={error} />
      </div>
      <ul className="items below">
        {data?.hosts.length === 0 && <li className="muted">No other host is allowed.</li>}
        {data?.hosts.map(({ host, allowed }) => (
          <li key={`${host} ${allowed}`}>
            <code className="grow">{host}</code>
            {allowed === 'at_start' ? <Badge>All tenants, set at start</Badge> : <Badge tone="info">This tenant</Badge>}
            {allowed !== 'at_start' && isOperator && (
              <ConfirmButton
                small
                label="Remove"
                of={host}
                question={`Remove ${host}?`}
                about="This tenant's callbacks to it will fail. You can allow it again."
                act={control => control.hosts.remove(host)}
                done="The host is removed."
              />
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}

function AllowHost() {
  const allow = useAction((control, { host = '' }: { readonly host?: string }) => control.hosts.allow(host))
  return (
    <Form action={allow} onDone={form => form.reset()}>
      <TextField
        label="Host"
        hint="A host name or IP address, without scheme, port or path."
        name="host"
        required
        placeholder="qa.example"
      >
        <button type="submit" className="primary" disabled={allow.isPending}>
          Allow
        </button>
      </TextField>
    </Form>
  )
}
