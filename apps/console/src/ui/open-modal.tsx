import * as Dialog from '@radix-ui/react-dialog'
import type { ReactNode } from 'react'

/** The content of a dialog. */
export interface ModalProps {
  readonly title: string
  readonly about?: ReactNode
  readonly open: boolean
  readonly onOpenChange: (open: boolean) => void
  readonly kind?: 'large' | 'drawer'
  /** Called when the focus is about to go back to where it was; `preventDefault` keeps it from that. */
  readonly onCloseAutoFocus?: (event: Event) => void
  readonly children: ReactNode
}

/** A dialog with its own overlay, because the library's adds a style element, which the page's policy forbids. */
export function OpenModal(props: ModalProps) {
  return (
    <Dialog.Root open={props.open} onOpenChange={props.onOpenChange}>
      <Dialog.Portal>
        <div className="overlay" />
        <Dialog.Content
          className={`dialog ${props.kind ?? ''}`}
          {...(props.onCloseAutoFocus && { onCloseAutoFocus: props.onCloseAutoFocus })}
          {...(props.about === undefined && { 'aria-describedby': undefined })}
        >
          <Dialog.Title className={props.kind === 'drawer' ? 'visually-hidden' : ''}>{props.title}</Dialog.Title>
          {props.about !== undefined && <Dialog.Description className="muted">{props.about}</Dialog.Description>}
          {props.children}
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}
