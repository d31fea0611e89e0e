import { type ReactNode, useEffect, useRef } from 'react'
import { useSearchState } from '../data/search-state.ts'
import { Note } from '../ui/elements.tsx'
import './marked-item.css'

/**
 * A list whose entries have addresses: an entry whose id is in the parameter `name` is highlighted and scrolled into view.
 * Says so if there is no such entry any more.
 */
export function MarkedItems<Entry>(props: {
  /** The name of an entry, such as `fault`, and of the parameter. */
  readonly name: string
  readonly entries: readonly Entry[]
  readonly idOf: (entry: Entry) => string
  /** Says why an entry may be missing. */
  readonly missing: string
  readonly children: (entry: Entry) => ReactNode
}) {
  const { name, entries, idOf, missing, children } = props
  const [{ [name]: marked = '' }] = useSearchState({ [name]: /^.{1,100}$/ })
  return (
    <>
      {marked !== '' && !entries.some(entry => idOf(entry) === marked) && (
        <div className="body">
          <Note tone="warn">
            <p>
              The {name} <code>{marked}</code> isn't here any more. {missing}
            </p>
          </Note>
        </div>
      )}
      <ol className="items">
        {entries.map(entry => (
          <Item key={idOf(entry)} isMarked={idOf(entry) === marked}>
            {children(entry)}
          </Item>
        ))}
      </ol>
    </>
  )
}

function Item({ isMarked, children }: { readonly isMarked: boolean; readonly children: ReactNode }) {
  const item = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (isMarked) item.current?.scrollIntoView({ block: 'center' })
  }, [isMarked])
  return (
    <li ref={item} className="markable" aria-current={isMarked ? 'true' : undefined}>
      {children}
    </li>
  )
}
