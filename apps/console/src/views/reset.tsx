import type { TenantControl } from '@lead-distribution/control-client'
import { automaticSnapshots } from '@lead-distribution/simulator/bounds'
import { useQuery } from '@tanstack/react-query'
import { formatCount } from '../data/format.ts'
import { tenantKey, useTenant } from '../data/live.ts'
import { sandbox } from '../data/sandbox.ts'
import { ConfirmDialog } from '../ui/actions.tsx'

/** Asks before the tenant is reset. */
export function ConfirmReset({ onClose }: { readonly onClose: () => void }) {
  const tenant = useTenant()
  return (
    <ConfirmDialog
      label="Reset the tenant"
      question={`Reset the tenant ${tenant}?`}
      about={
        <>
          <Losses recovery={savedAs(automaticSnapshots.reset)} /> The journal is emptied, and settings go back to what
          they were at creation. Ids, keys and snapshots stay.
        </>
      }
      act={control => control.reset()}
      done={`The tenant is reset. Its earlier state is saved as ${automaticSnapshots.reset}.`}
      onClose={onClose}
    />
  )
}

/** The snapshot with the earlier state. */
export const savedAs = (snapshot: string) => `They are saved as the snapshot ${snapshot} first.`

/** The maximum number of leads and callbacks to count, which is the maximum page size. */
const limit = 500

const listed = new Intl.ListFormat('en-GB')

/** Counts the leads, faults and callbacks that an action will delete, and says how to restore them. */
export function Losses({ fate = 'will be deleted', recovery }: { readonly fate?: string; readonly recovery: string }) {
  const tenant = useTenant()
  const { data: losses, isError } = useQuery({
    queryKey: [...tenantKey(tenant), 'losses'],
    queryFn: () => countLosses(sandbox.control(tenant)),
    gcTime: 0,
  })
  if (isError) return `Its leads, faults and callbacks ${fate}. ${recovery}`
  if (!losses) return 'Counting what will be lost…'
  if (losses.length === 0) return 'It has no leads, faults or callbacks to lose.'
  const counts = listed.format(losses)
  return `${counts.charAt(0).toUpperCase()}${counts.slice(1)} ${fate}. ${recovery}`
}

async function countLosses(control: TenantControl): Promise<string[]> {
  const [leadPage, faultList, callbackPage] = await Promise.all([
    control.leads.list({ limit }),
    control.faults.list(),
    control.callbacks.list({ limit }),
  ])
  return [
    countOf(leadPage.leads, 'lead', leadPage.next),
    countOf(faultList.faults, 'fault'),
    countOf(callbackPage.callbacks, 'callback', callbackPage.next),
  ].flat()
}

/** Formats a number with its noun, or nothing for zero. A next page means that there are more. */
function countOf({ length }: readonly unknown[], noun: string, next?: string): string[] {
  if (length === 0) return []
  return [`${next === undefined ? '' : 'more than '}${formatCount(length, noun)}`]
}
