import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useParams } from 'react-router'
import { parsedJson } from '../data/draft.ts'
import { liveKey, useAction } from '../data/live.ts'
import { sandbox } from '../data/sandbox.ts'
import { ConfirmButton, ConfirmDialog } from '../ui/dialogs.tsx'
import { Badge, Card, ErrorNote, Field, PageHeader, Time } from '../ui/elements.tsx'
import { saveFile } from '../ui/save-file.ts'
import { toastError } from '../ui/toasts.tsx'
import { Losses } from './losses.tsx'
import { MarkedItem, MissingMark } from './marked-item.tsx'
import { useUndoable } from './undoable.ts'

/** Saves, restores and resets the whole tenant. */
export function Snapshots() {
  const { tenant = '' } = useParams()
  const control = sandbox.control(tenant)
  const undoable = useUndoable(tenant)
  const restore = useAction(tenant, undoable.restore)
  const remove = useAction(tenant, (name: string) => control.snapshots.delete(name), 'Deleted.')
  const download = useAction(tenant, async (name: string) =>
    saveFile(`${tenant}-${name}.json`, JSON.stringify(await control.snapshots.export(name), null, 2)),
  )
  const reset = useAction(tenant, undoable.reset)
  const { data } = useQuery({ queryKey: liveKey(tenant, 'snapshots'), queryFn: () => control.snapshots.list() })
  const snapshots = data?.snapshots ?? []
  return (
    <>
      <PageHeader
        title="Snapshots"
        about="Save the whole tenant under a name: leads, callbacks, faults, settings, clock and random numbers."
      >
        <ConfirmButton
          label="Reset the tenant"
          question={`Reset the tenant ${tenant}?`}
          about={
            <>
              <Losses tenant={tenant} /> The journal is emptied, and settings go back to what they were at creation.
              Ids, keys and snapshots stay.
            </>
          }
          act={() => reset.mutateAsync()}
        />
      </PageHeader>
      <div className="columns">
        <SaveSnapshot tenant={tenant} />
        <UploadSnapshot tenant={tenant} />
      </div>
      <Card title="Saved" flush>
        {data && snapshots.length === 0 && <div className="body muted">No snapshots yet.</div>}
        {data && (
          <MissingMark parameter="snapshot" ids={snapshots.map(({ name }) => name)} what="snapshot">
            It was deleted.
          </MissingMark>
        )}
        <ul className="items">
          {snapshots.map(({ name, saved_at, expires_at }) => (
            <MarkedItem key={name} parameter="snapshot" id={name}>
              <strong>
                <Link to={`?snapshot=${encodeURIComponent(name)}`} replace title="The address of this snapshot">
                  {name}
                </Link>
              </strong>
              <span className="muted">
                saved <Time at={saved_at} /> UTC
                {expires_at && (
                  <>
                    {' '}
                    <Badge>automatic</Badge> kept until <Time at={expires_at} /> UTC
                  </>
                )}
              </span>
              <span className="end">
                <ConfirmButton
                  small
                  label="Restore"
                  of={name}
                  question={`Restore the snapshot “${name}”?`}
                  about={
                    <>
                      The tenant goes back to how it was at <Time at={saved_at} /> UTC.{' '}
                      <Losses tenant={tenant} fate="will be replaced with those in the snapshot" />
                    </>
                  }
                  act={() => restore.mutateAsync(name)}
                />
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
                  question={`Delete the snapshot “${name}”?`}
                  about={
                    <>
                      The snapshot of <Time at={saved_at} /> UTC will be deleted. This can't be undone. The tenant
                      itself doesn't change.
                    </>
                  }
                  act={() => remove.mutateAsync(name)}
                />
              </span>
            </MarkedItem>
          ))}
        </ul>
      </Card>
    </>
  )
}

/** Asks before a snapshot replaces one with the same name. Otherwise acts immediately. */
function useReplacing<Input>(tenant: string, act: (name: string, input: Input) => Promise<unknown>) {
  const [asked, setAsked] = useState<{ readonly name: string; readonly saved_at: string; readonly input: Input }>()
  const save = async (name: string, input: Input) => {
    // Reads the list again, because no event reports a snapshot saved or deleted elsewhere.
    const { snapshots } = await sandbox.control(tenant).snapshots.list()
    const existing = snapshots.find(each => each.name === name)
    if (existing) setAsked({ ...existing, input })
    // The view shows errors from here on.
    else await act(name, input).catch(() => undefined)
  }
  return {
    save: (name: string, input: Input) => void save(name, input).catch(toastError),
    question: asked && (
      <ConfirmDialog
        label="Replace"
        question={`Replace the snapshot “${asked.name}”?`}
        about={
          <>
            The snapshot of <Time at={asked.saved_at} /> UTC will be deleted. This can't be undone.
          </>
        }
        act={() => act(asked.name, asked.input)}
        open
        onOpenChange={open => open || setAsked(undefined)}
      />
    ),
  }
}

/** Saves a snapshot of the tenant. */
function SaveSnapshot({ tenant }: { readonly tenant: string }) {
  const [name, setName] = useState('')
  const saving = useAction(
    tenant,
    async (as: string) => {
      await sandbox.control(tenant).snapshots.save(as)
      setName('')
    },
    'Saved.',
  )
  const { save, question } = useReplacing(tenant, (as: string, _input: undefined) => saving.mutateAsync(as))
  return (
    <Card title="Save">
      <form
        className="stack"
        onSubmit={event => {
          event.preventDefault()
          save(name.trim(), undefined)
        }}
      >
        <Field label="Name" hint="A snapshot with the same name is replaced.">
          {ids => <input {...ids} required value={name} onChange={event => setName(event.target.value)} />}
        </Field>
        <ErrorNote error={saving.error} />
        <div className="actions">
          <button type="submit" className="primary" disabled={saving.isPending}>
            Save a snapshot
          </button>
        </div>
      </form>
      {question}
    </Card>
  )
}

/** Uploads a snapshot. Its name is that of the file, without the prefix and extension of a download. */
function UploadSnapshot({ tenant }: { readonly tenant: string }) {
  const uploading = useAction(
    tenant,
    async ({ name, file }: { readonly name: string; readonly file: File }) => {
      const snapshot = parsedJson(await file.text())
      if (snapshot === undefined)
        throw new Error(`${file.name} isn't valid JSON. Choose a file that you downloaded here.`)
      return sandbox.control(tenant).snapshots.import(name, snapshot)
    },
    'Uploaded. Restore it to use it.',
  )
  const { save, question } = useReplacing(tenant, (name: string, file: File) => uploading.mutateAsync({ name, file }))
  return (
    <Card title="Upload">
      <Field
        label="A snapshot file"
        hint="From a tenant with the same name and seed. The file contains the tenant's keys: commit only those of test tenants."
      >
        {ids => (
          <input
            {...ids}
            type="file"
            accept="application/json,.json"
            onChange={({ target }) => {
              const file = target.files?.[0]
              if (file) save(file.name.replace(/\.json$/, '').replace(`${tenant}-`, ''), file)
              target.value = ''
            }}
          />
        )}
      </Field>
      <ErrorNote error={uploading.error} />
      {question}
    </Card>
  )
}
