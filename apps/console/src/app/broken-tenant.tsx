import { useMutation, useQueryClient } from '@tanstack/react-query'
import { demoTenant, sandbox } from '../data/sandbox.ts'
import { ConfirmButton } from '../ui/dialogs.tsx'
import { Badge, ErrorNote } from '../ui/elements.tsx'
import { saveFile } from '../ui/save-file.ts'

/** The query of the list of tenants. */
export const tenantsKey = ['tenants']

/** A tenant that could not be opened: why, and what can be done. */
export function BrokenTenant({ tenant, reason }: { readonly tenant: string; readonly reason: string }) {
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
          Download what is stored of {tenant}
        </button>
        <ConfirmButton
          label="Reset"
          of={tenant}
          question={`Reset the tenant ${tenant}?`}
          about="It gets its ids and keys again. Its leads, callbacks, faults and journal are lost: download them first."
          act={() => act(() => control.reset())}
          small
        />
        {tenant !== demoTenant && (
          <ConfirmButton
            label="Delete"
            of={tenant}
            question={`Delete the tenant ${tenant}?`}
            about="All that is stored of it is deleted, its snapshots too: download it first."
            act={() => act(() => control.delete())}
            small
          />
        )}
      </div>
    </div>
  )
}
