import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useParams } from 'react-router'
import { parsedJson } from '../data/draft.ts'
import { liveKey, useAction } from '../data/live.ts'
import { sandbox } from '../data/sandbox.ts'
import { ConfirmButton, ConfirmDialog } from '../ui/dialogs.tsx'
import { Card, ErrorNote, Field, PageHeader, Time } from '../ui/elements.tsx'
import { Losses } from './losses.tsx'

/** Saves and restores the whole tenant, and resets it. */
export function Snapshots() {
  const { tenant = '' } = useParams()
  const control = sandbox.control(tenant)
  const restore = useAction(tenant, (name: string) => control.snapshots.restore(name), 'Restored.')
  const remove = useAction(tenant, (name: string) => control.snapshots.delete(name), 'Deleted.')
  const download = useAction(tenant, async (name: string) =>
    saveFile(`${tenant}-${name}.json`, JSON.stringify(await control.snapshots.export(name), null, 2)),
  )
  const reset = useAction(tenant, () => control.reset(), 'The tenant is reset.')
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
        <SaveSnapshot tenant={tenant} snapshots={snapshots} />
        <UploadSnapshot tenant={tenant} snapshots={snapshots} />
      </div>
      <Card title="Saved" flush>
        {data && snapshots.length === 0 && <div className="body muted">No snapshots yet.</div>}
        <ul className="items">
          {snapshots.map(({ name, saved_at }) => (
            <li key={name}>
              <strong>{name}</strong>
              <span className="muted">
                saved <Time at={saved_at} /> UTC
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
                      What it saved at <Time at={saved_at} /> UTC will be deleted. This can't be undone. The tenant
                      itself stays as it is.
                    </>
                  }
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

interface SavedProps {
  readonly tenant: string
  readonly snapshots: readonly { readonly name: string; readonly saved_at: string }[]
}

/** Asks before a snapshot takes the place of one of the same name; without such a one, acts at once. */
function useReplacing<Input>({ snapshots }: SavedProps, act: (name: string, input: Input) => Promise<unknown>) {
  const [asked, setAsked] = useState<{ readonly name: string; readonly input: Input }>()
  const existing = snapshots.find(({ name }) => name === asked?.name)
  return {
    save(name: string, input: Input) {
      if (snapshots.some(each => each.name === name)) setAsked({ name, input })
      // The view shows what went wrong.
      else act(name, input).catch(() => undefined)
    },
    question: asked && existing && (
      <ConfirmDialog
        label="Replace"
        question={`Replace the snapshot “${asked.name}”?`}
        about={
          <>
            What it saved at <Time at={existing.saved_at} /> UTC will be deleted. This can't be undone.
          </>
        }
        act={() => act(asked.name, asked.input)}
        open
        onOpenChange={open => open || setAsked(undefined)}
      />
    ),
  }
}

function SaveSnapshot(props: SavedProps) {
  const { tenant } = props
  const [name, setName] = useState('')
  const saving = useAction(
    tenant,
    async (as: string) => {
      await sandbox.control(tenant).snapshots.save(as)
      setName('')
    },
    'Saved.',
  )
  const { save, question } = useReplacing(props, (as: string, _input: undefined) => saving.mutateAsync(as))
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

/** Hands a text to the browser as a file. */
function saveFile(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}

/** Takes a snapshot from a file: its name is that of the file, without what a download adds. */
function UploadSnapshot(props: SavedProps) {
  const { tenant } = props
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
  const { save, question } = useReplacing(props, (name: string, file: File) => uploading.mutateAsync({ name, file }))
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
