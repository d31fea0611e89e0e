import { type ReactNode, useRef } from 'react'
import type { PagedList } from '../data/paged-list.ts'
import { Skeleton } from './elements.tsx'
import { Icon } from './icons.tsx'

/** A short paged list: `empty` if it has no entries, and a button if there are more. */
export function PagedItems<Entry>(props: {
  readonly list: PagedList<Entry>
  readonly empty: string
  readonly children: (entry: Entry) => ReactNode
}) {
  const { list, empty, children } = props
  const newest = useRef<HTMLUListElement>(null)
  return (
    <>
      <News list={list} onShow={() => newest.current?.focus()} />
      <ul className="items" ref={newest} tabIndex={-1}>
        {list.key === 0 && !list.error && (
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
                // Keeps the reader's place.
                list.hold(true)
                list.loadMore()
              }}
            >
              Show older
            </button>
          </li>
        )}
      </ul>
    </>
  )
}

/** Counts new entries while the reader is further down the list. Pressing it shows them at the top. */
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
