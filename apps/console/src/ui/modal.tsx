import { type MouseEvent, type ReactNode, useEffectEvent, useId, useLayoutEffect, useRef } from 'react'
import { createPortal } from 'react-dom'

/** The content of a dialog. */
interface ModalProps {
  readonly title: string
  readonly about?: ReactNode
  readonly kind?: 'large' | 'drawer'
  readonly onClose: () => void
  /** Called once the focus is restored. */
  readonly onClosed?: () => void
  readonly children: ReactNode
}

/** A dialog, open while it is rendered. Escape and a click outside close it. */
export function Modal({ title, about, kind, onClose, onClosed, children }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const afterClose = useEffectEvent(() => onClosed?.())
  const isPressedBeside = useRef(false)
  const id = useId()
  useLayoutEffect(() => {
    const { current: element } = dialog
    element?.showModal()
    return () => {
      // Restores the focus, which removing the element doesn't. A message may now cover the focused element.
      element?.close()
      document.activeElement?.scrollIntoView({ block: 'nearest' })
      afterClose()
    }
  }, [])
  return createPortal(
    // biome-ignore lint/a11y/useKeyWithClickEvents: the key is Escape, which the element itself knows.
    <dialog
      ref={dialog}
      className={`dialog ${kind ?? ''}`}
      aria-labelledby={`${id}-title`}
      aria-describedby={about === undefined ? undefined : `${id}-about`}
      onPointerDown={event => {
        isPressedBeside.current = isBeside(event)
      }}
      // Except at the end of a text selection that reached outside.
      onClick={event => isPressedBeside.current && isBeside(event) && onClose()}
      // If the element is open again, hot reloading closed it.
      onClose={({ currentTarget }) => currentTarget.open || onClose()}
    >
      <h2 id={`${id}-title`} className={kind === 'drawer' ? 'visually-hidden' : ''}>
        {title}
      </h2>
      {about !== undefined && (
        <p id={`${id}-about`} className="muted">
          {about}
        </p>
      )}
      {children}
    </dialog>,
    document.body,
  )
}

/** Returns true for a click on the backdrop, which is part of the element. */
function isBeside({ target, currentTarget, clientX: x, clientY: y }: MouseEvent): boolean {
  const { left, right, top, bottom } = currentTarget.getBoundingClientRect()
  return target === currentTarget && (x < left || x > right || y < top || y > bottom)
}
