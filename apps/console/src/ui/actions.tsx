import { type ComponentProps, type ReactNode, useState } from 'react'
import type { Values } from '../data/input-values.ts'
import { type Act, useAction, useReadOnly } from '../data/live.ts'
import { Form, TextField } from './forms.tsx'
import { Modal } from './modal.tsx'

/** A button that changes the tenant. `done` is the success message; errors are shown automatically. */
export function ActionButton({
  act,
  done,
  disabled,
  ...button
}: ComponentProps<'button'> & { readonly act: Act; readonly done?: string }) {
  const action = useAction(act, done)
  return (
    <button
      type="button"
      {...action.button}
      {...button}
      disabled={disabled || action.button.disabled}
      onClick={() => action.mutate()}
    />
  )
}

/** Asks before something is lost. */
export function ConfirmDialog(props: {
  readonly question: string
  /** Says what will be lost. */
  readonly about: ReactNode
  /** The label of the confirm button. */
  readonly label: string
  /** A name to type first, for an action that cannot be undone. */
  readonly typed?: string
  readonly act: Act<Values>
  /** The success message. */
  readonly done?: string | undefined
  readonly onClose: () => void
}) {
  const { question, label, typed, ...dialog } = props
  const [text, setText] = useState('')
  return (
    <FormModal {...dialog} title={question} send={label} isDanger disabled={typed !== undefined && text !== typed}>
      {typed !== undefined && (
        <TextField
          label={`Type ${typed} to confirm`}
          name="confirm"
          autoComplete="off"
          value={text}
          onChange={event => setText(event.target.value)}
        />
      )}
    </FormModal>
  )
}

/** A button that asks for confirmation. */
export function ConfirmButton(
  props: Omit<ComponentProps<typeof ConfirmDialog>, 'onClose'> & {
    /** The object, for screen readers, if there are several such buttons. */
    readonly of?: string
    readonly small?: boolean
  },
) {
  const { of, small, ...asked } = props
  const [isOpen, setOpen] = useState(false)
  const readOnly = useReadOnly()
  return (
    <>
      <button
        type="button"
        className={`danger ${small ? 'small' : ''}`}
        title={readOnly}
        disabled={readOnly !== undefined}
        onClick={() => setOpen(true)}
      >
        {asked.label} {of && <span className="visually-hidden">{of}</span>}
      </button>
      {isOpen && <ConfirmDialog {...asked} onClose={() => setOpen(false)} />}
    </>
  )
}

/** A dialog with a form. It closes if the action succeeds and shows the error if it fails. */
export function FormModal(props: {
  readonly title: string
  readonly about: ReactNode
  /** The label of the submit button. */
  readonly send: string
  readonly act: Act<Values>
  /** The success message. */
  readonly done?: string | undefined
  readonly isDanger?: boolean
  readonly disabled?: boolean
  readonly onClose: () => void
  readonly children: ReactNode
}) {
  const { title, about, act, done, onClose, ...form } = props
  const action = useAction(act, done)
  return (
    <Modal title={title} about={about} onClose={onClose}>
      <Form
        {...form}
        action={action}
        onDone={onClose}
        before={
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        }
      />
    </Modal>
  )
}
