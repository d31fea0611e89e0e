import { useQueryClient } from '@tanstack/react-query'
import { tenantKey } from '../data/live.ts'
import { sandbox } from '../data/sandbox.ts'
import { toast } from '../ui/toasts.tsx'

/** Changes that take a tenant to an earlier state. Their messages offer *Undo*, for an hour at most. */
export function useUndoable(tenant: string) {
  const client = useQueryClient()
  const control = sandbox.control(tenant)
  const done = (text: string, undo: { readonly snapshot: string } | undefined) =>
    toast(
      text,
      undo && {
        label: 'Undo',
        async act() {
          await control.snapshots.restore(undo.snapshot)
          await client.invalidateQueries({ queryKey: tenantKey(tenant) })
          toast('Undone. The tenant is as it was before.')
        },
      },
    )
  return {
    async reset() {
      const { undo } = await control.reset({ undo: true })
      done('The tenant is reset.', undo)
    },
    async restore(name: string) {
      const { undo } = await control.snapshots.restore(name, { undo: true })
      done('Restored.', undo)
    },
  }
}
