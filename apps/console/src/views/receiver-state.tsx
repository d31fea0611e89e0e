import type { TenantControl } from '@lead-distribution/control-client'
import { Link } from 'react-router'
import type { LeadContext } from '../data/entries.ts'
import { distributedLead } from '../data/hit-fault.ts'
import { useLastAttempt } from '../data/last-attempt.ts'
import { useAccount, useLeadContext } from '../data/live.ts'
import { ActionButton } from '../ui/actions.tsx'
import { Fact, HttpStatus, Time } from '../ui/elements.tsx'
import { toast } from '../ui/toasts.tsx'
import { CopyFact } from './tenant-keys.tsx'

/** The callback receiver's state: its address, its last response, and a button that sends it a callback now. */
export function ReceiverState() {
  const account = useAccount()
  const context = useLeadContext()
  const last = useLastAttempt()
  if (!last) return null
  const { attempt, name } = last
  return (
    <dl className="facts">
      <CopyFact isSecret name="Receiver" value={account.listener?.forward_to ?? account.publisher.callback_url} />
      <Fact name={name}>
        {attempt ? (
          <>
            <HttpStatus status={attempt.status ?? 0} />
            <Link to={`../callbacks/${attempt.callback_id}`}>
              <Time at={attempt.at} />
            </Link>
            <span className="muted">{attempt.error}</span>
          </>
        ) : (
          'None yet'
        )}
        <ActionButton
          className="small"
          title="Sends a synthetic callback for the newest lead"
          act={control => checkReceiver(control, context)}
        >
          Check now
        </ActionButton>
      </Fact>
    </dl>
  )
}

/** Sends a synthetic callback, for a new test lead if there is none, and says what the receiver returned. */
async function checkReceiver(control: TenantControl, context: LeadContext): Promise<void> {
  const [lead] = (await control.leads.list({ status: 'distributed', limit: 1 })).leads
  const leadId = lead?.lead_id ?? (await distributedLead(control, context))
  const { callbacks } = await control.callbacks.send({ leadId, event: 'registration' })
  const attempt = callbacks[0]?.attempts.at(-1)
  if (!attempt)
    throw new Error("The callback isn't sent yet. Callbacks may be held, or the tenant's clock may be frozen.")
  toast(attempt.status === undefined ? `No response: ${attempt.error}` : `The receiver returned ${attempt.status}.`)
}
