import type { Account } from '@lead-distribution/control-client'
import { useQueryClient } from '@tanstack/react-query'
import { Suspense, useState } from 'react'
import { useNavigate } from 'react-router'
import type { Values } from '../data/input-values.ts'
import { tenantsKey, useSession, useTenant, useTenantNews, useTenants } from '../data/live.ts'
import { demoTenant, sandbox } from '../data/sandbox.ts'
import { ActionButton, ConfirmButton, FormModal } from '../ui/actions.tsx'
import { Badge, ErrorNote } from '../ui/elements.tsx'
import { SelectField, TextField } from '../ui/forms.tsx'
import { lazyView } from '../ui/lazy-view.ts'
import { Modal } from '../ui/modal.tsx'
import { saveFile } from '../ui/save-file.ts'
import { toast } from '../ui/toasts.tsx'
import { Losses } from '../views/reset.tsx'

/** The number of tenants listed at once. Others are found by name. */
const maxShown = 50

/** Finds, creates and deletes tenants. It loads when it's opened for the first time. */
export function TenantSwitcher({ onClose }: { readonly onClose: () => void }) {
  const tenant = useTenant()
  const [step, setStep] = useState<'list' | 'create' | Account>('list')
  const own = useSession().data?.tenant
  const client = useQueryClient()
  const navigate = useNavigate()
  const refetch = () => client.invalidateQueries({ queryKey: tenantsKey })
  const go = (name: string) => {
    onClose()
    void navigate(`/${name}/leads`)
  }
  const create = async (values: Values) => {
    const { account } = await sandbox.createTenant(values)
    await refetch()
    setStep(account)
    void navigate(`/${account.tenant}/leads`)
  }
  const remove = async () => {
    await sandbox.control(tenant).delete()
    go(demoTenant)
    await refetch()
    toast(`The tenant ${tenant} is deleted.`)
  }
  if (step === 'create') return <CreateTenant act={create} onClose={onClose} />
  if (step !== 'list')
    return (
      <Modal
        title={`The tenant ${step.tenant} is created`}
        about="Copy its keys now, or reveal them later on its account."
        kind="large"
        onClose={onClose}
      >
        <Suspense fallback={null}>
          <TenantKeys account={step} onDone={onClose} />
        </Suspense>
      </Modal>
    )
  return (
    <Modal title="Tenants" onClose={onClose}>
      <TenantList onChoose={go} />
      <div className="actions">
        {tenant !== demoTenant && (
          <ConfirmButton
            label={`Delete ${tenant}`}
            question={`Delete the tenant ${tenant}?`}
            about={
              <>
                <Losses recovery="This cannot be undone." /> Its snapshots, keys and tokens are deleted with it.
              </>
            }
            typed={tenant}
            act={remove}
          />
        )}
        <button
          type="button"
          className="primary"
          title={own && 'Your token is for one tenant.'}
          disabled={own !== undefined}
          onClick={() => setStep('create')}
        >
          New tenant
        </button>
      </div>
    </Modal>
  )
}

const TenantKeys = lazyView(async () => (await import('../views/tenant-keys.tsx')).TenantKeys)

/** The tenants that the token opens, live. */
export function TenantList({ onChoose }: { readonly onChoose: (tenant: string) => void }) {
  const current = useTenant()
  const [search, setSearch] = useState('')
  useTenantNews()
  const { data, error } = useTenants()
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
            <button type="button" aria-current={tenant === current} onClick={() => onChoose(tenant)}>
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

const profiles = [
  { value: '', label: "The sandbox's default" },
  { value: 'prose', label: "prose: follows the specification's text and quick start" },
  { value: 'formal', label: "formal: follows the specification's formal schema" },
]

function CreateTenant(props: { readonly act: (values: Values) => Promise<void>; readonly onClose: () => void }) {
  return (
    <FormModal
      title="New tenant"
      about="A tenant has its own leads, keys, settings, clock and callbacks, isolated from all others."
      send="Create"
      act={(_control, values) => props.act(values)}
      onClose={props.onClose}
    >
      <TextField
        label="Name"
        hint="Lowercase letters, digits and hyphens. If empty, a name is generated."
        name="name"
      />
      <SelectField
        label="Profile"
        hint="How the specification's open points are interpreted."
        name="profile"
        choices={profiles}
      />
      <details>
        <summary>Seed, clock, receiver and expiry</summary>
        <div className="stack">
          <TextField label="Seed" hint="The same name and seed give the same ids and keys." name="seed" />
          <TextField
            label="Frozen at"
            hint="A date-time with a time zone, such as 2026-03-01T10:00:00Z."
            name="frozenAt"
          />
          <TextField label="Callback URL" hint="If empty, callbacks go to the sandbox's inbox." name="callbackUrl" />
          <TextField
            label="Deleted after"
            hint="A duration such as P7D. If empty, the tenant is kept."
            name="expiresIn"
          />
        </div>
      </details>
    </FormModal>
  )
}

/** A tenant that can't be opened, with the reason and what to do about it. */
function BrokenTenant({ tenant, reason }: { readonly tenant: string; readonly reason: string }) {
  const client = useQueryClient()
  const control = sandbox.control(tenant)
  const refetch = () => client.invalidateQueries({ queryKey: tenantsKey })
  return (
    <div className="stack">
      <p>
        <Badge tone="bad">Broken</Badge> {tenant}: {reason}
      </p>
      <div className="actions">
        <ActionButton
          className="small"
          act={async () => saveFile(`${tenant}-raw.json`, JSON.stringify(await control.raw(), null, 2))}
        >
          Download the stored data of {tenant}
        </ActionButton>
        <ConfirmButton
          label="Reset"
          of={tenant}
          question={`Reset the tenant ${tenant}?`}
          about="It keeps its ids and keys. Its leads, callbacks, faults and journal will be lost. Download them first."
          act={() => control.reset().then(refetch)}
          small
        />
        {tenant !== demoTenant && (
          <ConfirmButton
            label="Delete"
            of={tenant}
            question={`Delete the tenant ${tenant}?`}
            about="Everything stored for it will be deleted, including its snapshots. Download it first."
            typed={tenant}
            act={() => control.delete().then(refetch)}
            small
          />
        )}
      </div>
    </div>
  )
}
