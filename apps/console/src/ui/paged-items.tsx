import { type FocusEvent, type ReactNode, type RefObject, useCallback, useLayoutEffect, useRef, useState } from 'react'
import type { PagedList } from '../data/paged-list.ts'
import { Skeleton } from './elements.tsx'
import { Icon } from './icons.tsx'
import { lists, useStoredChoice } from './stored-choice.ts'

/** A short paged list: `empty` if it has no entries, and a button if there are more. */
export function PagedItems<Entry>(props: {
  readonly list: PagedList<Entry>
  readonly empty: string
  readonly children: (entry: Entry) => ReactNode
}) {
  const { list, empty, children } = props
  const newest = useRef<HTMLUListElement>(null)
  const [isOlder, setOlder] = useState(false)
  return (
    <div className="stack" {...useHold(list, undefined, isOlder)}>
      <News
        list={list}
        onShow={() => {
          setOlder(false)
          newest.current?.focus()
        }}
      />
      <ul className="items" ref={newest} tabIndex={-1}>
        {list.isLoading && (
          <li aria-busy>
            <Skeleton />
          </li>
        )}
        {list.isEmpty && <li className="muted">{empty}</li>}
        {list.entries.map(entry => (
          <li key={list.idOf(entry)}>{children(entry)}</li>
        ))}
        {list.hasMore && (
          <li>
            <button
              type="button"
              className="small"
              onClick={() => {
                setOlder(true)
                list.loadMore()
              }}
            >
              Show older
            </button>
          </li>
        )}
      </ul>
    </div>
  )
}

/**
 * Holds a list while the pointer or the focus is in it, while its reader is further down, and while lists aren't live.
 * Returns the event handlers for that.
 */
export function useHold<Entry>(
  { hold }: PagedList<Entry>,
  scroller?: RefObject<HTMLElement | null>,
  isOlderShown = false,
) {
  const isLive = useStoredChoice(lists) === 'live'
  const [isPointed, setPointed] = useState(false)
  const [isFocused, setFocused] = useState(false)
  // Until Back has restored the position.
  const [isDown, setDown] = useState(() => scroller !== undefined && history.state?.place !== undefined)
  const isHeld = isPointed || isFocused || isDown || isOlderShown || !isLive
  useLayoutEffect(() => hold(isHeld), [hold, isHeld])
  return {
    // React doesn't report a pointer that comes from a removed element.
    ref: useCallback((element: HTMLElement | null) => {
      const controller = new AbortController()
      const { signal } = controller
      element?.addEventListener('pointerenter', () => setPointed(true), { signal })
      element?.addEventListener('pointerleave', () => setPointed(false), { signal })
      return () => controller.abort()
    }, []),
    onFocus: () => setFocused(true),
    onBlur: ({ currentTarget, relatedTarget }: FocusEvent) => setFocused(currentTarget.contains(relatedTarget)),
    onScrollCapture: () => setDown((scroller?.current?.scrollTop ?? 0) > 0),
  }
}

/** Switches lists from live to still, and back. */
export function LiveSwitch() {
  const isLive = useStoredChoice(lists) === 'live'
  return (
    <label className="check end">
      <input
        type="checkbox"
        role="switch"
        aria-checked={isLive}
        checked={isLive}
        onChange={({ target }) => lists.change(target.checked ? 'live' : 'still')}
      />
      Live
    </label>
  )
}

/** Counts new entries while the reader is further down the list. A press shows them at the top. */
export function News<Entry>({
  list: { news },
  onShow,
}: {
  readonly list: PagedList<Entry>
  readonly onShow: () => void
}) {
  return (
    <output className="news">
      {news && (
        <button
          type="button"
          className="primary small"
          title="Show them"
          onClick={() => {
            news.show()
            onShow()
          }}
        >
          <Icon name="up" /> {news.count}
        </button>
      )}
    </output>
  )
}
