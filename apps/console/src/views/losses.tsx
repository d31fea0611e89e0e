import { useQuery } from '@tanstack/react-query'
import { tenantKey } from '../data/live.ts'
import { sandbox } from '../data/sandbox.ts'

/** The number of leads and callbacks to count: the size of the largest page. */
const limit = 500

const listed = new Intl.ListFormat('en-GB')

const undoable = 'You can undo this for an hour.'

/** Counts the leads, faults and callbacks that an action will delete. The action must be undoable. */
export function Losses({ tenant, fate = 'will be deleted' }: { readonly tenant: string; readonly fate?: string }) {
  const { data: losses, isError } = useQuery({
    queryKey: [...tenantKey(tenant), 'losses'],
    queryFn: () => countLosses(tenant),
    gcTime: 0,
  })
  if (isError) return `Its leads, faults and callbacks ${fate}. ${undoable}`
  if (!losses) return 'Counting what will be lost…'
  if (losses.length === 0) return 'It has no leads, faults or callbacks to lose.'
  return `${listed.format(losses)} ${fate}. ${undoable}`
}

async function countLosses(tenant: string): Promise<string[]> {
  const { leads, faults, callbacks } = sandbox.control(tenant)
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
  return [`${next === undefined ? '' : 'more than '}${length} ${noun}${length === 1 ? '' : 's'}`]
}
