import { advertiserCriteria, defaultsOf, productCriteria } from '@lead-distribution/contract'
import type { Account } from '@lead-distribution/control-client'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { newUuid } from '../data/draft.ts'
import { formatEuros, formatValue, formatWord } from '../data/format.ts'
import { useAccount, useAction } from '../data/live.ts'
import { sandbox } from '../data/sandbox.ts'
import { keepUnsaved } from '../data/unsaved.ts'
import { ConfirmButton, FormModal } from '../ui/dialogs.tsx'
import { Badge, Card, Field, PageHeader, Time } from '../ui/elements.tsx'
import { Icon } from '../ui/icons.tsx'
import { AccountForm, type AccountPart, EditButton, unsavedKey } from './edit-button.tsx'
import { Fact, Secret } from './tenant-keys.tsx'

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
      <Card title="Settings">
        <p className="muted">
          Each setting selects the interpretation of an open point of the specification. Settings that you don't change
          follow the profile.
        </p>
        <AccountForm
          tenant={tenant}
          account={account}
          name="Settings"
          part={{ at: 'settings', read: ({ settings }) => settings }}
        />
      </Card>
    </>
  )
}

interface PartProps {
  readonly tenant: string
  readonly account: Account
}

function Publisher({ tenant, account }: PartProps) {
  const { publisher } = account
  return (
    <Card
      title="Publisher"
      actions={
        <EditButton
          tenant={tenant}
          account={account}
          name="Publisher"
          part={{
            at: 'publisher',
            id: ['publisher_id', publisher.publisher_id],
            read: ({ publisher: { publisher_id, callback_url } }) => ({ publisher_id, callback_url }),
          }}
        />
      }
    >
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

const productPart = (product_id: string): AccountPart => ({
  at: 'products.0',
  id: ['product_id', product_id],
  read: ({ products }) => products.find(each => each.product_id === product_id),
})

const advertiserPart = (advertiser_id: string): AccountPart => ({
  at: 'advertisers.0',
  id: ['advertiser_id', advertiser_id],
  read: ({ advertisers }) => editable(advertisers.find(each => each.advertiser_id === advertiser_id)),
})

function Products({ tenant, account }: PartProps) {
  const { products } = account
  return (
    <Card
      title="Products"
      actions={
        <AddButton
          tenant={tenant}
          account={account}
          name="a product"
          create={product_id => ({
            ...productPart(product_id),
            initial: { product_id, name: '', active: true, criteria: defaultsOf(productCriteria) },
          })}
        />
      }
    >
      {products.map(({ product_id, name, active, criteria }) => (
        <section key={product_id} className="stack">
          <div className="actions">
            <h3>{name}</h3>
            <Badge tone={active ? 'good' : 'plain'}>{active ? 'Active' : 'Inactive'}</Badge>
            <EditButton tenant={tenant} account={account} name={name} part={productPart(product_id)} />
            <RemoveButton
              tenant={tenant}
              part={productPart(product_id)}
              name={name}
              about="Its leads stay. The service then refuses or rejects submissions for it. Resetting the tenant restores it if the tenant was created with it."
            />
          </div>
          <dl className="facts">
            <Fact name="Product id" value={product_id} />
            <CriteriaRows criteria={criteria} />
          </dl>
        </section>
      ))}
      {products.length === 0 && <p className="muted">No products. The service accepts no lead.</p>}
    </Card>
  )
}

function Advertisers({ tenant, account }: PartProps) {
  const advertisers = account.advertisers.toSorted((a, b) => a.priority - b.priority)
  const last = Math.max(0, ...advertisers.map(({ priority }) => priority))
  return (
    <Card
      title="Advertisers, in order of priority"
      actions={
        <AddButton
          tenant={tenant}
          account={account}
          name="an advertiser"
          create={advertiser_id => ({
            ...advertiserPart(advertiser_id),
            initial: {
              advertiser_id,
              name: '',
              priority: last + 1,
              backend_url: null,
              criteria: defaultsOf(advertiserCriteria),
            },
          })}
        />
      }
    >
      {advertisers.map(({ advertiser_id, name, api_key, postback_secret, backend_url, criteria }, index) => (
        <section key={advertiser_id} className="stack">
          <div className="actions">
            <h3>
              {index + 1}. {name}
            </h3>
            <EditButton tenant={tenant} account={account} name={name} part={advertiserPart(advertiser_id)} />
            <RemoveButton
              tenant={tenant}
              part={advertiserPart(advertiser_id)}
              name={name}
              about="Its key and its postback URLs stop working. Its leads stay. Resetting the tenant restores it if the tenant was created with it."
            />
            {index > 0 && <AskEarlier tenant={tenant} advertisers={advertisers} index={index} />}
          </div>
          <dl className="facts">
            <Fact name="Advertiser id" value={advertiser_id} />
            <Secret name="API key" value={api_key} />
            <Secret name="Postback secret" value={postback_secret} />
            {backend_url && <Fact name="Backend" value={backend_url} />}
            <CriteriaRows criteria={criteria} />
          </dl>
        </section>
      ))}
      {advertisers.length === 0 && <p className="muted">No advertisers. Accepted leads stay new.</p>}
    </Card>
  )
}

/** The fields of an advertiser that a form edits. Its key and its secret can be replaced, and are shown on demand only. */
function editable(advertiser: Account['advertisers'][number] | undefined) {
  if (!advertiser) return undefined
  const { api_key: _key, postback_secret: _secret, backend_url = null, ...others } = advertiser
  return { ...others, backend_url }
}

/** Opens a dialog that adds a part under a new id. */
function AddButton(props: PartProps & { readonly name: string; readonly create: (id: string) => AccountPart }) {
  const { create, ...others } = props
  const [id, setId] = useState(newUuid)
  return <EditButton {...others} label="Add" part={create(id)} onSaved={() => setId(newUuid())} />
}

function RemoveButton(props: {
  readonly tenant: string
  readonly part: AccountPart
  readonly name: string
  readonly about: string
}) {
  const { tenant, part, name, about } = props
  const remove = useAction(
    tenant,
    async () => {
      await sandbox.control(tenant).update({ remove: part.id ? [part.id[1]] : [] })
      keepUnsaved(unsavedKey(tenant, part), undefined)
    },
    'Removed.',
  )
  return (
    <ConfirmButton
      small
      label="Remove"
      of={name}
      question={`Remove ${name}?`}
      about={about}
      act={() => remove.mutateAsync()}
    />
  )
}

/** Moves an advertiser before the one that is asked before it. */
function AskEarlier(props: {
  readonly tenant: string
  readonly advertisers: Account['advertisers']
  readonly index: number
}) {
  const { tenant, advertisers, index } = props
  const name = advertisers[index]?.name
  const move = useAction(
    tenant,
    () => {
      const order = advertisers.map(({ advertiser_id }) => advertiser_id)
      const [moved = ''] = order.splice(index, 1)
      const priorities = order.toSpliced(index - 1, 0, moved).map((advertiser_id, place) => ({
        advertiser_id,
        priority: place + 1,
      }))
      return sandbox.control(tenant).update({ advertisers: priorities })
    },
    `${name} is asked earlier.`,
  )
  return (
    <button type="button" className="small" disabled={move.isPending} onClick={() => move.mutate()}>
      <Icon name="up" /> Ask <span className="visually-hidden">{name}</span> earlier
    </button>
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

function Blacklist({ tenant, account }: PartProps) {
  const { blacklist } = account
  return (
    <Card
      title="Blacklist"
      actions={
        <EditButton
          tenant={tenant}
          account={account}
          name="Blacklist"
          part={{ at: 'blacklist', read: ({ blacklist }) => blacklist }}
        />
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
