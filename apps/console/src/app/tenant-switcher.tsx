import type { Account } from '@lead-distribution/control-client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { useNavigate } from 'react-router'
import { useTenantNews } from '../data/live.ts'
import { demoTenant, sandbox } from '../data/sandbox.ts'
import { filled } from '../data/typed.ts'
import { ConfirmButton, FormModal, Modal } from '../ui/dialogs.tsx'
import { Badge, ErrorNote, Field } from '../ui/elements.tsx'
import { saveFile } from '../ui/save-file.ts'
import { toast } from '../ui/toasts.tsx'
import { Losses } from '../views/losses.tsx'

/** The number of tenants listed at once. Others are found by name. */
const maxShown = 50

/** Finds, creates and deletes tenants. It loads when it's opened for the first time. */
export function TenantSwitcher(props: {
  readonly tenant: string
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
}) {
  const { tenant, open, onOpenChange: setOpen } = props
  const [creating, setCreating] = useState(false)
  const [created, setCreated] = useState<Account>()
  const client = useQueryClient()
  const navigate = useNavigate()
  const go = (name: string) => {
    setOpen(false)
    void navigate(`/${name}/leads`)
  }
  const remove = async () => {
    const { undo } = await sandbox.control(tenant).delete({ undo: true })
    go(demoTenant)
    await client.invalidateQueries({ queryKey: tenantsKey })
    toast(
      `The tenant ${tenant} is deleted.`,
      undo && {
        label: 'Undo',
        async act() {
          await sandbox.control(tenant).undelete()
          await client.invalidateQueries({ queryKey: tenantsKey })
          go(tenant)
          toast(`The tenant ${tenant} is back.`)
        },
      },
    )
  }
  return (
    <>
      <Modal title="Tenants" open={open} onOpenChange={setOpen}>
        <TenantList tenant={tenant} onChoose={go} />
        <div className="actions">
          {tenant !== demoTenant && (
            <ConfirmButton
              label={`Delete ${tenant}`}
              question={`Delete the tenant ${tenant}?`}
              about={
                <>
                  <Losses tenant={tenant} /> Its snapshots, keys and tokens are deleted with it.
                </>
              }
              act={remove}
            />
          )}
          <button
            type="button"
            className="primary"
            onClick={() => {
              setOpen(false)
              setCreating(true)
            }}
          >
            New tenant
          </button>
        </div>
      </Modal>
      <CreateTenant
        open={creating}
        onOpenChange={setCreating}
        onCreated={account => {
          setCreated(account)
          go(account.tenant)
        }}
      />
      <Modal
        title={`The tenant ${created?.tenant} is created`}
        about="Copy its keys now, or reveal them later on its account."
        kind="large"
        open={created !== undefined}
        onOpenChange={() => setCreated(undefined)}
      >
        <Suspense fallback={null}>
          {created && <TenantKeys account={created} onDone={() => setCreated(undefined)} />}
        </Suspense>
      </Modal>
    </>
  )
}

const TenantKeys = lazy(async () => ({ default: (await import('../views/tenant-keys.tsx')).TenantKeys }))

function TenantList(props: { readonly tenant: string; readonly onChoose: (tenant: string) => void }) {
  const [search, setSearch] = useState('')
  useTenantNews(tenantsKey)
  const { data, error } = useQuery({ queryKey: tenantsKey, queryFn: () => sandbox.listTenants() })
  const found = (data?.tenants ?? []).filter(({ tenant }) => tenant.includes(search.trim().toLowerCase()))
  return (
    <>
      <input
        aria-label="Find a tenant"
        placeholder="Find a tenant"
        value={search}
        onChange={event => setSearch(event.target.value)}
      />
      <ErrorNote error={error} />
      <ul className="choices">
        {found.slice(0, maxShown).map(({ tenant, settings }) => (
          <li key={tenant}>
            <button type="button" aria-current={tenant === props.tenant} onClick={() => props.onChoose(tenant)}>
              {tenant} {settings.profile === 'formal' && <Badge>formal</Badge>}
            </button>
          </li>
        ))}
      </ul>
      {data && found.length === 0 && <p className="muted">No tenant name contains this.</p>}
      {data?.broken?.map(each => (
        <BrokenTenant key={each.tenant} {...each} />
      ))}
      {found.length > maxShown && (
        <p className="muted">{found.length - maxShown} more. Type part of a name to find them.</p>
      )}
    </>
  )
}

const noMore = { seed: '', frozen_at: '', callback_url: '', expires_in: '' }

const moreFields = [
  { field: 'seed', label: 'Seed', hint: 'The same name and seed give the same ids and keys.' },
  { field: 'frozen_at', label: 'Frozen at', hint: 'A date-time with a time zone, such as 2026-03-01T10:00:00Z.' },
  { field: 'callback_url', label: 'Callback URL', hint: "If empty, callbacks go to the sandbox's inbox." },
  { field: 'expires_in', label: 'Deleted after', hint: 'A duration such as P7D. If empty, the tenant is kept.' },
] as const

function CreateTenant(props: {
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly onCreated: (account: Account) => void
}) {
  const client = useQueryClient()
  const [name, setName] = useState('')
  const [profile, setProfile] = useState('')
  const [more, setMore] = useState(noMore)
  const create = useMutation({
    mutationFn: () => sandbox.createTenant(filled({ name, profile, ...more })),
    async onSuccess({ account }) {
      await client.invalidateQueries({ queryKey: tenantsKey })
      props.onOpenChange(false)
      setName('')
      setMore(noMore)
      props.onCreated(account)
    },
  })
  return (
    <FormModal
      title="New tenant"
      about="A tenant has its own leads, keys, settings, clock and callbacks, isolated from all others."
      open={props.open}
      onOpenChange={props.onOpenChange}
      send="Create"
      action={create}
    >
      <Field label="Name" hint="Lowercase letters, digits and hyphens. If empty, a name is generated.">
        {ids => <input {...ids} value={name} onChange={event => setName(event.target.value)} />}
      </Field>
      <Field label="Profile" hint="How the specification's open points are interpreted.">
        {ids => (
          <select {...ids} value={profile} onChange={event => setProfile(event.target.value)}>
            <option value="">The sandbox's default</option>
            <option value="prose">prose: follows the specification's text and quick start</option>
            <option value="formal">formal: follows the specification's formal schema</option>
          </select>
        )}
      </Field>
      <details>
        <summary>Seed, clock, receiver and expiry</summary>
        <div className="stack">
          {moreFields.map(({ field, label, hint }) => (
            <Field key={field} label={label} hint={hint}>
              {ids => (
                <input
                  {...ids}
                  value={more[field]}
                  onChange={event => setMore({ ...more, [field]: event.target.value })}
                />
              )}
            </Field>
          ))}
        </div>
      </details>
    </FormModal>
  )
}

/** The query key of the list of tenants. */
const tenantsKey = ['tenants']

/** A tenant that can't be opened, with the reason and what to do about it. */
function BrokenTenant({ tenant, reason }: { readonly tenant: string; readonly reason: string }) {
  const client = useQueryClient()
  const control = sandbox.control(tenant)
  const download = useMutation({
    mutationFn: async () => saveFile(`${tenant}-raw.json`, JSON.stringify(await control.raw(), null, 2)),
  })
  const act = async (change: () => Promise<unknown>) => {
    await change()
    await client.invalidateQueries({ queryKey: tenantsKey })
  }
  return (
    <div className="stack">
      <p>
        <Badge tone="bad">Broken</Badge> {tenant}: {reason}
      </p>
      <ErrorNote error={download.error} />
      <div className="actions">
        <button type="button" className="small" disabled={download.isPending} onClick={() => download.mutate()}>
          Download the stored data of {tenant}
        </button>
        <ConfirmButton
          label="Reset"
          of={tenant}
          question={`Reset the tenant ${tenant}?`}
          about="It keeps its ids and keys. Its leads, callbacks, faults and journal will be lost. Download them first."
          act={() => act(() => control.reset())}
          small
        />
        {tenant !== demoTenant && (
          <ConfirmButton
            label="Delete"
            of={tenant}
            question={`Delete the tenant ${tenant}?`}
            about="Everything stored for it will be deleted, including its snapshots. Download it first."
            act={() => act(() => control.delete())}
            small
          />
        )}
      </div>
    </div>
  )
}
