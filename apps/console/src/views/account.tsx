import type { TenantControl } from '@lead-distribution/control-client'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { newUuid } from '../data/draft.ts'
import { formatEuros, formatValue, formatWord } from '../data/format.ts'
import { useAccount, useAction } from '../data/live.ts'
import { sandbox } from '../data/sandbox.ts'
import { CopyButton, FormModal } from '../ui/dialogs.tsx'
import { Badge, Card, Field, PageHeader, Time } from '../ui/elements.tsx'
import { EditButton } from './edit-button.tsx'
import { SettingsForm } from './settings.tsx'

type Account = Awaited<ReturnType<TenantControl['show']>>

/** An application's credentials and the rules that decide its leads, all editable. */
export function AccountPage() {
  const { tenant = '' } = useParams()
  const { data: account } = useAccount(tenant)
  if (!account) return null
  return (
    <>
      <PageHeader title="Account" about="Your application's credentials, and the rules that decide its leads." />
      <div className="columns">
        <div className="stack">
          <Card title="Tenant">
            <dl className="facts">
              <Fact name="Name" value={account.tenant} />
              <Fact name="Base URL" value={account.base_url} />
              <dt>Expires</dt>
              <dd>
                <Expiry tenant={tenant} at={account.expires_at} />
              </dd>
            </dl>
          </Card>
          <Publisher tenant={tenant} account={account} />
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

function Publisher({ tenant, account: { publisher } }: PartProps) {
  return (
    <Card title="Publisher">
      <dl className="facts">
        <Fact name="Publisher id" value={publisher.publisher_id} />
        <Secret name="API key" value={publisher.api_key} />
        <Fact name="Callback URL" value={publisher.callback_url} />
        <dt>Receiver</dt>
        <dd>
          <Link to={`/${tenant}/callbacks`}>Change the callback URL</Link>
        </dd>
        <Secret name="Callback secret" value={publisher.callback_secret} />
      </dl>
    </Card>
  )
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd className="one-line">
        <code>{value}</code> <CopyButton bare label={`Copy: ${name}`} text={() => value} />
      </dd>
    </>
  )
}

/** A key or secret, hidden until revealed. */
function Secret({ name, value }: { readonly name: string; readonly value: string }) {
  const [isShown, setShown] = useState(false)
  return (
    <>
      <dt>{name}</dt>
      <dd className="one-line">
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
    <Card
      title="Products"
      actions={
        <EditButton
          tenant={tenant}
          label="Add"
          name="a product"
          value={{ product_id: newUuid(), name: 'New product', active: true, criteria: {} }}
          change={value => ({ products: [value] })}
        />
      }
    >
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
    <Card
      title="Advertisers, in order of priority"
      actions={
        <EditButton
          tenant={tenant}
          label="Add"
          name="an advertiser"
          value={{ advertiser_id: newUuid(), name: 'New advertiser', priority: advertisers.length + 1 }}
          change={value => ({ advertisers: [value] })}
        />
      }
    >
      {advertisers.map(({ api_key, ...advertiser }) => (
        <section key={advertiser.advertiser_id} className="stack">
          <div className="actions">
            <h3>{advertiser.name}</h3>
            <EditButton
              tenant={tenant}
              name={advertiser.name}
              value={{ ...advertiser, backend_url: advertiser.backend_url ?? null }}
              change={value => ({ advertisers: [value] })}
            />
          </div>
          <dl className="facts">
            <Fact name="Advertiser id" value={advertiser.advertiser_id} />
            <Secret name="API key" value={api_key} />
            <Secret name="Postback secret" value={advertiser.postback_secret} />
            {advertiser.backend_url && <Fact name="Backend" value={advertiser.backend_url} />}
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
      {blacklist.length === 0 && <p className="muted">The blacklist is empty.</p>}
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

/** The tenant's expiry in real time, and a form to change it. */
function Expiry({ tenant, at }: { readonly tenant: string; readonly at: string | undefined }) {
  const [open, setOpen] = useState(false)
  const [after, setAfter] = useState('')
  const save = useAction(
    tenant,
    async () => {
      await sandbox.control(tenant).update({ expires_in: after.trim() || null })
      setOpen(false)
    },
    'Saved.',
  )
  return (
    <>
      {at === undefined ? (
        'Never'
      ) : (
        <span>
          <Time at={at} /> UTC
        </span>
      )}
      <button
        type="button"
        className="small"
        onClick={() => {
          save.reset()
          setOpen(true)
        }}
      >
        Change <span className="visually-hidden">when the tenant is deleted</span>
      </button>
      <FormModal
        title={`When is ${tenant} deleted?`}
        about="An expired tenant is deleted with everything in it. Expiry uses real time, not the tenant's clock."
        open={open}
        onOpenChange={setOpen}
        send="Save"
        action={save}
      >
        <Field label="Deleted after" hint="A duration from now, such as PT2H or P7D. If empty, never.">
          {ids => <input {...ids} value={after} onChange={event => setAfter(event.target.value)} />}
        </Field>
      </FormModal>
    </>
  )
}
