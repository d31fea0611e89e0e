import { advertiserCriteria, defaultsOf, productCriteria } from '@lead-distribution/contract'
import type { Account } from '@lead-distribution/control-client'
import { type ReactNode, useState } from 'react'
import { Link } from 'react-router'
import { formatEuros, formatValue, formatWord } from '../data/format.ts'
import { useAccount, useTenant } from '../data/live.ts'
import { newUuid } from '../data/new-uuid.ts'
import { keepUnsaved } from '../data/unsaved.ts'
import { ActionButton, ConfirmButton, FormModal } from '../ui/actions.tsx'
import { Badge, Card, Fact, PageHeader, Time } from '../ui/elements.tsx'
import { TextField } from '../ui/forms.tsx'
import { Icon } from '../ui/icons.tsx'
import { AccountForm, type AccountPart, EditButton, unsavedKey } from './edit-button.tsx'
import { ReceiverState } from './receiver-state.tsx'
import { CopyEnvironment, CopyFact } from './tenant-keys.tsx'

/** An application's credentials and the rules that decide its leads, all editable. */
export function AccountPage() {
  const account = useAccount()
  return (
    <>
      <PageHeader title="Account" about="Your application's credentials, and the rules that decide its leads." />
      <div className="columns">
        <div className="stack">
          <Card title="Tenant">
            <dl className="facts">
              <CopyFact name="Name" value={account.tenant} />
              <CopyFact name="Base URL" value={account.base_url} />
              <Fact name="Expires">
                <Expiry at={account.expires_at} />
              </Fact>
            </dl>
          </Card>
          <Publisher account={account} />
          <Advertisers account={account} />
        </div>
        <div className="stack">
          <Products account={account} />
          <Blacklist account={account} />
        </div>
      </div>
      <Card title="Settings">
        <p className="muted">
          Each setting selects the interpretation of an open point of the specification. Settings that you don't change
          follow the profile.
        </p>
        <AccountForm account={account} name="Settings" part={{ at: 'settings', read: ({ settings }) => settings }} />
      </Card>
    </>
  )
}

interface AccountProps {
  readonly account: Account
}

function Publisher({ account }: AccountProps) {
  const { publisher_id, api_key, callback_secret } = account.publisher
  const part: AccountPart = {
    at: 'publisher',
    id: ['publisher_id', publisher_id],
    read: ({ publisher: { publisher_id, callback_url } }) => ({ publisher_id, callback_url }),
  }
  return (
    <Card
      title="Publisher"
      actions={
        <>
          <CopyEnvironment account={account} />
          <EditButton account={account} name="Publisher" part={part} />
        </>
      }
    >
      <dl className="facts">
        <CopyFact name="Publisher ID" value={publisher_id} />
        <CopyFact name="API key" value={api_key} hides />
        <CopyFact name="Callback secret" value={callback_secret} hides />
      </dl>
      <ReceiverState />
      <Link to="../callbacks?part=receiver">Change the callback URL</Link>
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

function Products({ account }: AccountProps) {
  const { products } = account
  const create = (product_id: string): AccountPart => ({
    ...productPart(product_id),
    initial: { product_id, name: '', active: true, criteria: defaultsOf(productCriteria) },
  })
  return (
    <Card title="Products" actions={<AddButton account={account} name="a product" create={create} />}>
      {products.map(({ product_id, name, active, criteria }) => (
        <Part
          key={product_id}
          account={account}
          name={name}
          part={productPart(product_id)}
          losses="Its leads stay. The service then refuses or rejects submissions for it."
          badge={<Badge tone={active ? 'good' : 'plain'}>{active ? 'Active' : 'Inactive'}</Badge>}
        >
          <CopyFact name="Product ID" value={product_id} />
          <CriteriaRows criteria={criteria} />
        </Part>
      ))}
      {products.length === 0 && <p className="muted">No products. The service accepts no lead.</p>}
    </Card>
  )
}

function Advertisers({ account }: AccountProps) {
  const advertisers = account.advertisers.toSorted((a, b) => a.priority - b.priority)
  const last = Math.max(0, ...advertisers.map(({ priority }) => priority))
  const create = (advertiser_id: string): AccountPart => ({
    ...advertiserPart(advertiser_id),
    initial: {
      advertiser_id,
      name: '',
      priority: last + 1,
      backend_url: null,
      criteria: defaultsOf(advertiserCriteria),
    },
  })
  return (
    <Card
      title="Advertisers, in order of priority"
      actions={<AddButton account={account} name="an advertiser" create={create} />}
    >
      {advertisers.map((each, index) => {
        const { advertiser_id, name, api_key, postback_secret, backend_url, criteria } = each
        return (
          <Part
            key={advertiser_id}
            account={account}
            place={index + 1}
            name={name}
            part={advertiserPart(advertiser_id)}
            losses="Its key and its postback URLs stop working. Its leads stay."
            action={
              <>
                <CopyEnvironment account={account} advertiser={each} />
                {index > 0 && <AskEarlier advertisers={advertisers} index={index} />}
              </>
            }
          >
            <CopyFact name="Advertiser ID" value={advertiser_id} />
            <CopyFact name="API key" value={api_key} hides />
            <CopyFact name="Postback secret" value={postback_secret} hides />
            {backend_url && <CopyFact isSecret name="Backend" value={backend_url} />}
            <CriteriaRows criteria={criteria} />
          </Part>
        )
      })}
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

/** A product or an advertiser, which can be edited and removed. */
function Part(props: {
  readonly account: Account
  /** Its place in the order, from 1. */
  readonly place?: number
  readonly name: string
  readonly part: AccountPart
  /** Says what happens without it. */
  readonly losses: string
  readonly badge?: ReactNode
  readonly action?: ReactNode
  readonly children: ReactNode
}) {
  const { account, place, name, part, losses, badge, action, children } = props
  const tenant = useTenant()
  return (
    <section className="stack">
      <div className="actions">
        <h3>
          {place !== undefined && `${place}. `}
          {name}
        </h3>
        {badge}
        <EditButton account={account} name={name} part={part} />
        <ConfirmButton
          small
          label="Remove"
          of={name}
          question={`Remove ${name}?`}
          about={`${losses} Resetting the tenant restores it if the tenant was created with it.`}
          act={async control => {
            await control.update({ remove: part.id ? [part.id[1]] : [] })
            keepUnsaved(unsavedKey(tenant, part), undefined)
          }}
          done="Removed."
        />
        {action}
      </div>
      <dl className="facts">{children}</dl>
    </section>
  )
}

/** Opens a dialog that adds a part under a new id. */
function AddButton(props: AccountProps & { readonly name: string; readonly create: (id: string) => AccountPart }) {
  const { create, ...others } = props
  const [id, setId] = useState(newUuid)
  return <EditButton {...others} label="Add" part={create(id)} onSaved={() => setId(newUuid())} />
}

/** Moves an advertiser before the one that is asked before it. */
function AskEarlier(props: { readonly advertisers: Account['advertisers']; readonly index: number }) {
  const { advertisers, index } = props
  const name = advertisers[index]?.name
  const order = advertisers.map(({ advertiser_id }) => advertiser_id)
  const [moved = ''] = order.splice(index, 1)
  const priorities = order
    .toSpliced(index - 1, 0, moved)
    .map((advertiser_id, place) => ({ advertiser_id, priority: place + 1 }))
  return (
    <ActionButton
      className="small"
      act={control => control.update({ advertisers: priorities })}
      done={`${name} is asked earlier.`}
    >
      <Icon name="up" /> Ask<span className="visually-hidden"> {name}</span> earlier
    </ActionButton>
  )
}

function CriteriaRows({ criteria }: { readonly criteria: Readonly<Record<string, unknown>> }) {
  return Object.entries(criteria).map(([name, value]) => (
    <Fact key={name} name={formatWord(name)}>
      {name === 'minimum_monthly_income' ? formatEuros(Number(value)) : formatValue(value)}
    </Fact>
  ))
}

function Blacklist({ account }: AccountProps) {
  const { blacklist } = account
  const part: AccountPart = { at: 'blacklist', read: ({ blacklist }) => blacklist }
  return (
    <Card title="Blacklist" actions={<EditButton account={account} name="Blacklist" part={part} />}>
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
function Expiry({ at }: { readonly at: string | undefined }) {
  const tenant = useTenant()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <span>{at === undefined ? 'Never' : <Time at={at} zoned />}</span>
      <button type="button" className="small" onClick={() => setOpen(true)}>
        Change <span className="visually-hidden">when the tenant is deleted</span>
      </button>
      {isOpen && (
        <FormModal
          title={`When is ${tenant} deleted?`}
          about="An expired tenant is deleted with everything in it. Expiry uses real time, not the tenant's clock."
          send="Save"
          act={(control, { after = null }) => control.update({ expires_in: after })}
          done="Saved."
          onClose={() => setOpen(false)}
        >
          <TextField
            label="Deleted after"
            hint="A duration from now, such as PT2H or P7D. If empty, never."
            name="after"
          />
        </FormModal>
      )}
    </>
  )
}
