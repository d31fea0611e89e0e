import { Link } from 'react-router'
import { shortId } from '../data/format.ts'
import { Note } from '../ui/elements.tsx'
import { Icon } from '../ui/icons.tsx'

/** The lead that a list is limited to, with a button that shows all again. */
export function OneLead(props: { readonly tenant: string; readonly lead_id: string; readonly onClear: () => void }) {
  const { tenant, lead_id, onClear } = props
  if (!lead_id) return null
  return (
    <span className="actions">
      <span>
        Lead <Link to={`/${tenant}/leads/${lead_id}`}>{shortId(lead_id)}</Link>
      </span>
      <button type="button" className="quiet small icon" title="Show those of all leads" onClick={onClear}>
        <Icon name="close" />
        <span className="visually-hidden">Show those of all leads</span>
      </button>
    </span>
  )
}

/** Says that the next entry that is chosen is compared with this one. */
export function ChooseOther(props: { readonly what: string; readonly onCancel: () => void }) {
  return (
    <Note>
      <div className="actions">
        <p>Choose {props.what}.</p>
        <button type="button" className="small" onClick={props.onCancel}>
          Cancel
        </button>
      </div>
    </Note>
  )
}
