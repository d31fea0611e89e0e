import { useState } from 'react'
import { parsedJson } from '../data/draft.ts'
import { useAction } from '../data/live.ts'
import { sandbox } from '../data/sandbox.ts'
import { ConfirmDialog } from '../ui/dialogs.tsx'
import { Card, ErrorNote, Field, Time } from '../ui/elements.tsx'
import { toastError } from '../ui/toasts.tsx'

/** Asks before a snapshot takes the place of one of the same name; without such a one, acts at once. */
function useReplacing<Input>(tenant: string, act: (name: string, input: Input) => Promise<unknown>) {
  const [asked, setAsked] = useState<{ readonly name: string; readonly saved_at: string; readonly input: Input }>()
  const save = async (name: string, input: Input) => {
    // Asked anew: no event reports a snapshot that was saved or deleted elsewhere.
    const { snapshots } = await sandbox.control(tenant).snapshots.list()
    const existing = snapshots.find(each => each.name === name)
    if (existing) setAsked({ ...existing, input })
    // What goes wrong from here on shows in the view.
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
            What it saved at <Time at={asked.saved_at} /> UTC will be deleted. This can't be undone.
          </>
        }
        act={() => act(asked.name, asked.input)}
        open
        onOpenChange={open => open || setAsked(undefined)}
      />
    ),
  }
}

/** Takes a snapshot of the tenant as it is. */
export function SaveSnapshot({ tenant }: { readonly tenant: string }) {
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

/** Takes a snapshot from a file: its name is that of the file, without what a download adds. */
export function UploadSnapshot({ tenant }: { readonly tenant: string }) {
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
