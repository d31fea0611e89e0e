import { type ReactNode, useRef } from 'react'
import type { PagedList } from '../data/paged-list.ts'
import { News } from './news.tsx'

/** A short list that is read page by page: `empty` where it holds nothing, and a button that reads on where there is more. */
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
                // Who reads on is not to lose the place.
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
