import type { TenantControl } from '@lead-distribution/control-client'
import { useState } from 'react'
import { useParams } from 'react-router'
import { formatEuros, formatValue, formatWord } from '../data/format.ts'
import { useAccount, useAction } from '../data/live.ts'
import { sandbox } from '../data/sandbox.ts'
import { CopyButton, Modal } from '../ui/dialogs.tsx'
import { Badge, Card, ErrorNote, PageHeader } from '../ui/elements.tsx'
import { JsonForm } from './json-form.tsx'
import { SettingsForm } from './settings.tsx'

type Account = Awaited<ReturnType<TenantControl['show']>>
type AccountChange = Parameters<TenantControl['update']>[0]

/** What an application is set up with, and what decides on its leads; everything that can be changed is changed here. */
export function AccountPage() {
  const { tenant = '' } = useParams()
  const { data: account } = useAccount(tenant)
  if (!account) return null
  return (
    <>
      <PageHeader title="Account" about="What your application is set up with, and what decides on its leads." />
      <div className="columns">
        <div className="stack">
          <Publisher account={account} />
          <Advertisers tenant={tenant} account={account} />
        </div>
        <div className="stack">
          <Products tenant={tenant} account={account} />
          <Blacklist tenant={tenant} account={account} />
        </div>
      </div>
      <SettingsForm tenant={tenant} account={account} />
    </>
  )
}

interface PartProps {
  readonly tenant: string
  readonly account: Account
}

function Publisher({ account: { base_url, publisher } }: Pick<PartProps, 'account'>) {
  return (
    <Card title="Publisher">
      <dl className="facts">
        <Fact name="Base URL" value={base_url} />
        <Fact name="Publisher id" value={publisher.publisher_id} />
        <Secret name="API key" value={publisher.api_key} />
        <Fact name="Callback URL" value={publisher.callback_url} />
        <Secret name="Callback secret" value={publisher.callback_secret} />
      </dl>
    </Card>
  )
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <code>{value}</code> <CopyButton bare label={`Copy: ${name}`} text={() => value} />
      </dd>
    </>
  )
}

/** A key or secret, shown only when it is asked for. */
function Secret({ name, value }: { readonly name: string; readonly value: string }) {
  const [isShown, setShown] = useState(false)
  return (
    <>
      <dt>{name}</dt>
      <dd>
        <code>{isShown ? value : '••••••••••••'}</code>
        <button type="button" className="small" aria-pressed={isShown} onClick={() => setShown(!isShown)}>
          {isShown ? 'Hide' : 'Reveal'} <span className="visually-hidden">{name}</span>
        </button>
        <CopyButton bare label={`Copy: ${name}`} text={() => value} />
      </dd>
    </>
  )
}

function Products({ tenant, account: { products } }: PartProps) {
  return (
    <Card title="Products">
      {products.map(product => (
        <section key={product.product_id} className="stack">
          <div className="actions">
            <h3>{product.name}</h3>
            <Badge tone={product.active ? 'good' : 'plain'}>{product.active ? 'Active' : 'Inactive'}</Badge>
            <EditButton tenant={tenant} name={product.name} value={product} change={value => ({ products: [value] })} />
          </div>
          <dl className="facts">
            <Fact name="Product id" value={product.product_id} />
            <CriteriaRows criteria={product.criteria} />
          </dl>
        </section>
      ))}
    </Card>
  )
}

function Advertisers({ tenant, account: { advertisers } }: PartProps) {
  return (
    <Card title="Advertisers, in the order in which they are asked">
      {advertisers.map(({ api_key, ...advertiser }) => (
        <section key={advertiser.advertiser_id} className="stack">
          <div className="actions">
            <h3>{advertiser.name}</h3>
            <EditButton
              tenant={tenant}
              name={advertiser.name}
              value={advertiser}
              change={value => ({ advertisers: [value] })}
            />
          </div>
          <dl className="facts">
            <Fact name="Advertiser id" value={advertiser.advertiser_id} />
            <Secret name="API key" value={api_key} />
            <Secret name="Postback secret" value={advertiser.postback_secret} />
            <CriteriaRows criteria={advertiser.criteria} />
          </dl>
        </section>
      ))}
    </Card>
  )
}

function CriteriaRows({ criteria }: { readonly criteria: Readonly<Record<string, unknown>> }) {
  return Object.entries(criteria).map(([name, value]) => (
    <div key={name} style={{ display: 'contents' }}>
      <dt>{formatWord(name)}</dt>
      <dd>{name === 'minimum_monthly_income' ? formatEuros(Number(value)) : formatValue(value)}</dd>
    </div>
  ))
}

function Blacklist({ tenant, account: { blacklist } }: PartProps) {
  return (
    <Card
      title="Blacklist"
      actions={
        <EditButton tenant={tenant} name="Blacklist" value={blacklist} change={value => ({ blacklist: value })} />
      }
    >
      {blacklist.length === 0 && <p className="muted">Nobody is on it.</p>}
      <ul className="stack">
        {blacklist.map(entry => (
          <li key={JSON.stringify(entry)}>
            <code>{formatValue(entry)}</code>
          </li>
        ))}
      </ul>
    </Card>
  )
}

/** Edits a part of the account as JSON, in the shape of the control plane. */
function EditButton<Value>(props: {
  readonly tenant: string
  readonly name: string
  readonly value: Value
  readonly change: (value: Value) => AccountChange
}) {
  const [open, setOpen] = useState(false)
  const save = useAction(
    props.tenant,
    async (value: Value) => {
      await sandbox.control(props.tenant).update(props.change(value))
      setOpen(false)
    },
    'Saved.',
  )
  return (
    <>
      <button type="button" className="small" onClick={() => setOpen(true)}>
        Edit <span className="visually-hidden">{props.name}</span>
      </button>
      <Modal title={`Edit: ${props.name}`} kind="large" open={open} onOpenChange={setOpen}>
        <JsonForm value={props.value} onSave={value => save.mutate(value as Value)} onCancel={() => setOpen(false)} />
        <ErrorNote error={save.error} />
      </Modal>
    </>
  )
}
