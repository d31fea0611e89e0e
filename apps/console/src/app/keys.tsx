import { Fragment, Suspense, useEffect, useEffectEvent, useRef, useState } from 'react'
import { Icon } from '../ui/icons.tsx'
import { lazyView } from '../ui/lazy-view.ts'
import { Modal } from '../ui/modal.tsx'
import { singleKeys, useStoredChoice } from '../ui/stored-choice.ts'
import type { ViewLink } from './palette.tsx'

const Palette = lazyView(async () => (await import('./palette.tsx')).Palette)

const ConfirmReset = lazyView(async () => (await import('../views/reset.tsx')).ConfirmReset)

/** The page's keyboard shortcuts. */
const keys = [
  { keys: ['Ctrl K', '⌘ K'], about: 'Jump to a view, an action, a tenant, a lead, a request or a callback' },
  { keys: ['j'], about: 'The next row of a list, or the next entry if one is open' },
  { keys: ['k'], about: 'The previous row of a list, or the previous entry' },
  { keys: ['Enter'], about: 'Open the row' },
  { keys: ['?'], about: 'Show these keys' },
  { keys: ['Esc'], about: 'Close a dialog' },
] as const

/** Opens the palette and the list of shortcuts from anywhere, and moves through lists with single keys. */
export function Keys({ views }: { readonly views: readonly ViewLink[] }) {
  const [open, setOpen] = useState<'palette' | 'keys' | 'reset'>()
  // The palette loads on first use, and starts with the text typed until then.
  const typed = useRef('')
  const openPalette = () => {
    typed.current = ''
    setOpen('palette')
  }
  const close = () => setOpen(undefined)
  const hasSingleKeys = useStoredChoice(singleKeys) === 'on'
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const { key, shiftKey, altKey } = event
    const isCommand = event.ctrlKey || event.metaKey
    if (event.defaultPrevented) return
    if (isCommand && !shiftKey && !altKey && key.toLowerCase() === 'k' && (open || !isDialogOpen())) {
      if (open === 'palette') close()
      else openPalette()
    } else if (isCommand || isDialogOpen()) return
    else if (open === 'palette') {
      if (key === 'Escape') close()
      else typed.current = textAfter(typed.current, key)
    } else if (!hasSingleKeys || altKey || isTyping(event)) return
    else if (key === '?') setOpen('keys')
    else if (key === 'j') moveFocus(1)
    else if (key === 'k') moveFocus(-1)
    else return
    event.preventDefault()
  })
  useEffect(() => {
    // Handled before the JSON editor, which has its own shortcuts.
    addEventListener('keydown', onKey, { capture: true })
    return () => removeEventListener('keydown', onKey, { capture: true })
  }, [])
  return (
    <>
      <button
        type="button"
        className="palette-button"
        aria-keyshortcuts="Control+K Meta+K"
        title="Jump to anything"
        onClick={openPalette}
      >
        <Icon name="search" /> <span className="visually-hidden">Jump to</span>
        <kbd className="wide-only">Ctrl K</kbd>
      </button>
      <Suspense fallback={null}>
        {open === 'palette' && <Palette views={views} onClose={close} onShow={setOpen} typed={typed} />}
      </Suspense>
      {/* A boundary of its own: while it waits, the other one would keep the palette, closed. */}
      <Suspense fallback={null}>{open === 'reset' && <ConfirmReset onClose={close} />}</Suspense>
      {open === 'keys' && (
        <Modal title="Keys" onClose={close}>
          <dl className="keys">
            {keys.map(({ keys, about }) => (
              <Fragment key={about}>
                <dt className="line">
                  {keys.map(key => (
                    <kbd key={key}>{key}</kbd>
                  ))}
                </dt>
                <dd>{about}</dd>
              </Fragment>
            ))}
          </dl>
          <label className="check">
            <input
              type="checkbox"
              checked={hasSingleKeys}
              onChange={({ target }) => singleKeys.change(target.checked ? 'on' : 'off')}
            />
            Use the single keys j, k and ?
          </label>
        </Modal>
      )}
    </>
  )
}

/** Returns the typed text after a key press. */
function textAfter(text: string, key: string): string {
  if (key === 'Backspace') return text.slice(0, -1)
  return text + (key === 'Enter' ? '\n' : key.length === 1 ? key : '')
}

const isDialogOpen = () => document.querySelector('dialog') !== null

/** Returns true if a key belongs to an input, including one in a shadow root. */
function isTyping(event: KeyboardEvent): boolean {
  const [target] = event.composedPath()
  return target instanceof HTMLElement && (target.isContentEditable || target.matches('input, select, textarea'))
}

/**
 * Opens the next or previous entry if one is open. Otherwise, moves the focus to the link or button of the next or previous row of the view's
 * lists. Without one, to the first in view.
 */
function moveFocus(by: 1 | -1): void {
  const steps = document.querySelector('#content [data-steps]')
  if (steps) {
    steps.querySelector<HTMLElement>(`[data-step="${by > 0 ? 'j' : 'k'}"]`)?.click()
    return
  }
  const rows = [...document.querySelectorAll('#content :is(.row, .items > li)')].flatMap(row => {
    const target = row.querySelector<HTMLElement>('a[href], button:not(:disabled)')
    return target && target.getClientRects().length > 0 ? [{ row, target }] : []
  })
  const current = rows.findIndex(({ row }) => row.contains(document.activeElement))
  if (current >= 0) rows[current + by]?.target.focus()
  else rows.find(({ row }) => isInView(row))?.target.focus()
}

function isInView(row: Element): boolean {
  const { top, bottom } = row.getBoundingClientRect()
  const frame = row.closest('.table-scroll, #content')?.getBoundingClientRect()
  return frame !== undefined && top >= frame.top && bottom <= frame.bottom
}
