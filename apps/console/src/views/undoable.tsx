import type { TenantControl } from '@lead-distribution/control-client'
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { formatCount } from '../data/format.ts'
import { tenantKey, useTenant } from '../data/live.ts'
import { sandbox } from '../data/sandbox.ts'
import { ConfirmDialog } from '../ui/actions.tsx'
import { toast } from '../ui/toasts.tsx'

/** Asks before the tenant is reset. */
export function ConfirmReset({ onClose }: { readonly onClose: () => void }) {
  const tenant = useTenant()
  const client = useQueryClient()
  return (
    <ConfirmDialog
      label="Reset the tenant"
      question={`Reset the tenant ${tenant}?`}
      about={
        <>
          <Losses /> The journal is emptied, and settings go back to what they were at creation. Ids, keys and snapshots
          stay.
        </>
      }
      act={async control => toastUndoable('The tenant is reset.', await control.reset({ undo: true }), control, client)}
      onClose={onClose}
    />
  )
}

/** Says that a tenant is at another state. The message offers *Undo*, for an hour at most. */
export function toastUndoable(
  text: string,
  { undo }: { readonly undo?: { readonly snapshot: string } | undefined },
  control: TenantControl,
  client: QueryClient,
): void {
  const act = async (snapshot: string) => {
    await control.snapshots.restore(snapshot)
    await client.invalidateQueries({ queryKey: tenantKey(control.name) })
    toast('Undone. The tenant is as it was before.')
  }
  toast(text, undo && { label: 'Undo', act: () => act(undo.snapshot) })
}

/** The number of leads and callbacks to count: the size of the largest page. */
const limit = 500

const listed = new Intl.ListFormat('en-GB')

const undoable = 'You can undo this for an hour.'

/** Counts the leads, faults and callbacks that an action will delete. The action must be undoable. */
export function Losses({ fate = 'will be deleted' }: { readonly fate?: string }) {
  const tenant = useTenant()
  const { data: losses, isError } = useQuery({
    queryKey: [...tenantKey(tenant), 'losses'],
    queryFn: () => countLosses(sandbox.control(tenant)),
    gcTime: 0,
  })
  if (isError) return `Its leads, faults and callbacks ${fate}. ${undoable}`
  if (!losses) return 'Counting what will be lost…'
  if (losses.length === 0) return 'It has no leads, faults or callbacks to lose.'
  return `${listed.format(losses)} ${fate}. ${undoable}`
}

async function countLosses({ leads, faults, callbacks }: TenantControl): Promise<string[]> {
  const [leadPage, faultList, callbackPage] = await Promise.all([
    leads.list({ limit }),
    faults.list(),
    callbacks.list({ limit }),
  ])
  return [
    countOf(leadPage.leads, 'lead', leadPage.next),
    countOf(faultList.faults, 'fault'),
    countOf(callbackPage.callbacks, 'callback', callbackPage.next),
  ].flat()
}

/** Formats a number with its noun, or nothing for zero. With a next page there are more. */
function countOf({ length }: readonly unknown[], noun: string, next?: string): string[] {
  if (length === 0) return []
  return [`${next === undefined ? '' : 'more than '}${formatCount(length, noun)}`]
}
