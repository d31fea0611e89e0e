import { automaticSnapshots } from '@lead-distribution/simulator/bounds'
import { useState } from 'react'
import { Link } from 'react-router'
import type { Values } from '../data/input-values.ts'
import { useAction, useRead, useTenant } from '../data/live.ts'
import { sandbox } from '../data/sandbox.ts'
import { ActionButton, ConfirmButton, ConfirmDialog } from '../ui/actions.tsx'
import { Card, ErrorNote, PageHeader, Time } from '../ui/elements.tsx'
import { Field, Form, TextField } from '../ui/forms.tsx'
import { saveFile } from '../ui/save-file.ts'
import { toast } from '../ui/toasts.tsx'
import { MarkedItems } from './marked-item.tsx'
import { ConfirmReset, Losses, savedAs } from './reset.tsx'

/** Saves, restores and resets the whole tenant. */
export function Snapshots() {
  const [asksReset, setAsksReset] = useState(false)
  const { data } = useRead(['snapshots'], control => control.snapshots.list())
  const snapshots = data?.snapshots ?? []
  return (
    <>
      <PageHeader
        title="Snapshots"
        about="Save the whole tenant under a name: leads, callbacks, faults, settings, clock and random numbers."
      >
        <button type="button" className="danger" onClick={() => setAsksReset(true)}>
          Reset the tenant
        </button>
        {asksReset && <ConfirmReset onClose={() => setAsksReset(false)} />}
      </PageHeader>
      <div className="columns">
        <SaveSnapshot />
        <UploadSnapshot />
      </div>
      <Card title="Saved" flush>
        {data && snapshots.length === 0 && <div className="body muted">No snapshots yet.</div>}
        {data && (
          <MarkedItems name="snapshot" entries={snapshots} idOf={({ name }) => name} missing="It was deleted.">
            {({ name, saved_at }) => (
              <>
                <strong>
                  <Link to={`?snapshot=${encodeURIComponent(name)}`} replace title="The address of this snapshot">
                    {name}
                  </Link>
                </strong>
                <span className="muted">
                  saved <Time at={saved_at} zoned />
                </span>
                <span className="line end">
                  <ConfirmButton
                    small
                    label="Restore"
                    of={name}
                    question={`Restore the snapshot “${name}”?`}
                    about={
                      <>
                        The tenant goes back to how it was at <Time at={saved_at} zoned />.{' '}
                        <Losses
                          fate="will be replaced with those in the snapshot"
                          recovery={
                            name === automaticSnapshots.restore
                              ? 'This cannot be undone.'
                              : savedAs(automaticSnapshots.restore)
                          }
                        />
                      </>
                    }
                    act={control => control.snapshots.restore(name)}
                    done="Restored."
                  />
                  <ActionButton
                    className="small"
                    act={async control => {
                      const snapshot = await control.snapshots.export(name)
                      saveFile(`${control.name}-${name}.ndjson`, snapshot)
                    }}
                  >
                    Download <span className="visually-hidden">{name}</span>
                  </ActionButton>
                  <ConfirmButton
                    small
                    label="Delete"
                    of={name}
                    question={`Delete the snapshot “${name}”?`}
                    about={
                      <>
                        <WillBeDeleted saved_at={saved_at} /> The tenant itself doesn't change.
                      </>
                    }
                    act={control => control.snapshots.delete(name)}
                    done="Deleted."
                  />
                </span>
              </>
            )}
          </MarkedItems>
        )}
      </Card>
    </>
  )
}

function WillBeDeleted({ saved_at }: { readonly saved_at: string }) {
  return (
    <>
      The snapshot of <Time at={saved_at} zoned /> will be deleted. This can't be undone.
    </>
  )
}

/** A snapshot to save under a name. */
interface Saving {
  readonly name: string
  readonly save: () => Promise<unknown>
}

/** Asks before a snapshot replaces one with the same name. Otherwise acts immediately. */
function useSaving(done: string) {
  const [asked, setAsked] = useState<Saving & { readonly saved_at: string }>()
  const saving = useAction(async (control, { name, save }: Saving) => {
    // Refetches the list, because no event reports a snapshot saved or deleted elsewhere.
    const { snapshots } = await control.snapshots.list()
    const existing = snapshots.find(each => each.name === name)
    if (existing) setAsked({ name, save, saved_at: existing.saved_at })
    else {
      await save()
      toast(done)
    }
  })
  const question = asked && (
    <ConfirmDialog
      label="Replace"
      question={`Replace the snapshot “${asked.name}”?`}
      about={<WillBeDeleted saved_at={asked.saved_at} />}
      act={asked.save}
      done={done}
      onClose={() => setAsked(undefined)}
    />
  )
  return { saving, question }
}

/** Saves a snapshot of the tenant. */
function SaveSnapshot() {
  const control = sandbox.control(useTenant())
  const [name, setName] = useState('')
  const { saving, question } = useSaving('Saved.')
  const save = async (as: string) => {
    await control.snapshots.save(as)
    setName('')
  }
  const mutate = ({ name = '' }: Values) => saving.mutate({ name, save: () => save(name) })
  return (
    <Card title="Save">
      <Form action={{ ...saving, mutate }} send="Save a snapshot">
        <TextField
          label="Name"
          hint="A snapshot with the same name is replaced."
          name="name"
          required
          value={name}
          onChange={event => setName(event.target.value)}
        />
      </Form>
      {question}
    </Card>
  )
}

/** Uploads a snapshot, named like the file without the prefix and extension of a download. */
function UploadSnapshot() {
  const control = sandbox.control(useTenant())
  const { saving, question } = useSaving('Uploaded. Restore it to use it.')
  const upload = async (name: string, file: File) => {
    await control.snapshots.import(name, await file.text())
  }
  return (
    <Card title="Upload">
      <Field
        label="A snapshot file"
        hint="From a tenant with the same name and seed. The file contains the tenant's keys: commit only those of test tenants."
      >
        {ids => (
          <input
            {...ids}
            {...saving.button}
            type="file"
            accept="application/x-ndjson,.ndjson"
            onChange={({ target }) => {
              const file = target.files?.[0]
              target.value = ''
              if (!file) return
              const name = file.name.replace(/\.ndjson$/, '').replace(new RegExp(`^${control.name}-`), '')
              saving.mutate({ name, save: () => upload(name, file) })
            }}
          />
        )}
      </Field>
      <ErrorNote error={saving.error} />
      {question}
    </Card>
  )
}
