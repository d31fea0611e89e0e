import { useLayoutEffect, useRef } from 'react'
import { Link } from 'react-router'
import { formatCount, operationLabels } from '../data/format.ts'
import { useActiveFaults, useFaults } from '../data/live.ts'
import { ConfirmButton } from '../ui/actions.tsx'

/** The faults that may still act, above every view, because they may have caused its content. */
export function ActiveFaults() {
  const active = useActiveFaults()
  const strip = useRef<HTMLDivElement>(null)
  // Keeps the scroll position, for example of the focused button.
  useLayoutEffect(() => {
    const content = document.getElementById('content')
    if (content && content.scrollTop > 0) content.scrollBy(0, strip.current?.offsetHeight ?? 0)
  }, [])
  const places = new Set(active.map(({ match }) => operationLabels[match.operation]))
  return (
    <div className="strip warn line" ref={strip}>
      <span className="clipped">
        <Link to="faults">{formatCount(active.length, 'active fault')}</Link>: {[...places].join(', ')}
      </span>
      <span className="end">
        <ClearFaults label="Clear" />
      </span>
    </div>
  )
}

/** Removes all faults, after a question. */
export function ClearFaults({ label }: { readonly label: string }) {
  const count = useFaults().data?.faults.length ?? 0
  return (
    <ConfirmButton
      small
      label={label}
      question="Remove all faults?"
      about={`${formatCount(count, 'fault')} will be deleted, with how often each matched and acted. This can't be undone.`}
      act={control => control.faults.clear()}
      done="All faults are removed."
    />
  )
}
