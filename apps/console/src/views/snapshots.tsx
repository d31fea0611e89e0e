import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useParams } from 'react-router'
import { parsedJson } from '../data/draft.ts'
import { liveKey, useAction } from '../data/live.ts'
import { sandbox } from '../data/sandbox.ts'
import { ConfirmButton } from '../ui/dialogs.tsx'
import { Card, ErrorNote, Field, PageHeader, Time } from '../ui/elements.tsx'
import { saveFile } from '../ui/save-file.ts'

/** Saves and restores the whole tenant, and resets it. */
export function Snapshots() {
  const { tenant = '' } = useParams()
  const control = sandbox.control(tenant)
  const restore = useAction(tenant, (name: string) => control.snapshots.restore(name), 'Restored.')
  const remove = useAction(tenant, (name: string) => control.snapshots.delete(name), 'Deleted.')
  const download = useAction(tenant, async (name: string) =>
    saveFile(`${tenant}-${name}.json`, JSON.stringify(await control.snapshots.export(name), null, 2)),
  )
  const reset = useAction(tenant, () => control.reset(), 'The tenant is as it was created.')
  const { data } = useQuery({ queryKey: liveKey(tenant, 'snapshots'), queryFn: () => control.snapshots.list() })
  const snapshots = data?.snapshots ?? []
  return (
    <>
      <PageHeader
        title="Snapshots"
        about="The whole tenant under a name: leads, callbacks, faults, settings, clock and random numbers."
      >
        <ConfirmButton
          label="Reset the tenant"
          question={`Reset the tenant ${tenant}?`}
          about="Its leads, callbacks, faults and journal are deleted. Ids, keys and snapshots stay; settings are as they were created."
          act={() => reset.mutateAsync()}
        />
      </PageHeader>
      <div className="columns">
        <SaveSnapshot tenant={tenant} />
        <UploadSnapshot tenant={tenant} />
      </div>
      <Card title="Saved" flush>
        {data && snapshots.length === 0 && <div className="body muted">No snapshot is saved yet.</div>}
        <ul className="items">
          {snapshots.map(({ name, saved_at }) => (
            <li key={name}>
              <strong>{name}</strong>
              <span className="muted">
                saved <Time at={saved_at} /> UTC
              </span>
              <span className="end">
                <button
                  type="button"
                  className="small"
                  disabled={restore.isPending}
                  onClick={() => restore.mutate(name)}
                >
                  Restore <span className="visually-hidden">{name}</span>
                </button>
                <button
                  type="button"
                  className="small"
                  disabled={download.isPending}
                  onClick={() => download.mutate(name)}
                >
                  Download <span className="visually-hidden">{name}</span>
                </button>
                <ConfirmButton
                  small
                  label="Delete"
                  of={name}
                  question={`Delete the snapshot ${name}?`}
                  about="The tenant itself stays as it is."
                  act={() => remove.mutateAsync(name)}
                />
              </span>
            </li>
          ))}
        </ul>
      </Card>
    </>
  )
}

function SaveSnapshot({ tenant }: { readonly tenant: string }) {
  const [name, setName] = useState('')
  const save = useAction(
    tenant,
    async () => {
      await sandbox.control(tenant).snapshots.save(name.trim())
      setName('')
    },
    'Saved.',
  )
  return (
    <Card title="Save">
      <form
        className="stack"
        onSubmit={event => {
          event.preventDefault()
          save.mutate()
        }}
      >
        <Field label="Name" hint="A snapshot of the same name is replaced.">
          {ids => <input {...ids} required value={name} onChange={event => setName(event.target.value)} />}
        </Field>
        <ErrorNote error={save.error} />
        <div className="actions">
          <button type="submit" className="primary" disabled={save.isPending}>
            Save a snapshot
          </button>
        </div>
      </form>
    </Card>
  )
}

/** Takes a snapshot from a file: its name is that of the file, without what a download adds. */
function UploadSnapshot({ tenant }: { readonly tenant: string }) {
  const upload = useAction(
    tenant,
    async (file: File) => {
      const name = file.name.replace(/\.json$/, '').replace(`${tenant}-`, '')
      const snapshot = parsedJson(await file.text())
      if (snapshot === undefined) throw new Error(`${file.name} is no JSON: choose a file that was downloaded here.`)
      return sandbox.control(tenant).snapshots.import(name, snapshot)
    },
    'Uploaded. Restore it to use it.',
  )
  return (
    <Card title="Upload">
      <Field
        label="A snapshot file"
        hint="From a tenant of the same name and seed. A file holds the keys of its tenant: commit those of test tenants only."
      >
        {ids => (
          <input
            {...ids}
            type="file"
            accept="application/json,.json"
            onChange={({ target }) => {
              const file = target.files?.[0]
              if (file) upload.mutate(file)
              target.value = ''
            }}
          />
        )}
      </Field>
      <ErrorNote error={upload.error} />
    </Card>
  )
}
