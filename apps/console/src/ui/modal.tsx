import { type MouseEvent, type ReactNode, useEffect, useEffectEvent, useId, useLayoutEffect, useRef } from 'react'
import { createPortal } from 'react-dom'
import { Icon } from './icons.tsx'

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

/** A dialog, open while it is rendered. Escape, a click outside, its button and the browser's Back close it. */
export function Modal({ title, about, kind, onClose, onClosed, children }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const afterClose = useEffectEvent(() => onClosed?.())
  const close = useEffectEvent(onClose)
  const isPressedBeside = useRef(false)
  const id = useId()
  useEffect(() => {
    const onBack = () => close()
    globalThis.addEventListener('popstate', onBack)
    return () => globalThis.removeEventListener('popstate', onBack)
  }, [])
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
      // Not a file input in it. The close event would come a moment later, and keys in between would be lost.
      onCancel={({ target, currentTarget }) => target === currentTarget && onClose()}
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
      {kind !== 'drawer' && (
        // Last, so that the focus begins in the content.
        <button type="button" className="quiet icon dialog-close" aria-label="Close" onClick={onClose}>
          <Icon name="close" />
        </button>
      )}
    </dialog>,
    document.body,
  )
}

/** Returns true for a click on the backdrop, which is part of the element. */
function isBeside({ target, currentTarget, clientX: x, clientY: y }: MouseEvent): boolean {
  const { left, right, top, bottom } = currentTarget.getBoundingClientRect()
  return target === currentTarget && (x < left || x > right || y < top || y > bottom)
}
