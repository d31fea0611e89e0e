import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'
import { liveKey, useAction } from '../data/live.ts'
import { sandbox } from '../data/sandbox.ts'
import { ConfirmButton } from '../ui/dialogs.tsx'
import { Card, PageHeader, Time } from '../ui/elements.tsx'
import { saveFile } from '../ui/save-file.ts'
import { Losses } from './losses.tsx'
import { SaveSnapshot, UploadSnapshot } from './save-snapshot.tsx'

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
        <SaveSnapshot tenant={tenant} />
        <UploadSnapshot tenant={tenant} />
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
