import { type ReactNode, useEffect, useRef } from 'react'
import { useSearchState } from '../data/search-state.ts'
import { Note } from '../ui/elements.tsx'
import './marked-item.css'

function useMarkedId(parameter: string): string {
  const [{ [parameter]: id = '' }] = useSearchState({ [parameter]: /^.{1,100}$/ })
  return id
}

/** An entry in a list. If its id is in a parameter of the address, it is highlighted and scrolled into view. */
export function MarkedItem(props: { readonly parameter: string; readonly id: string; readonly children: ReactNode }) {
  const isMarked = useMarkedId(props.parameter) === props.id
  const item = useRef<HTMLLIElement>(null)
  useEffect(() => {
    if (isMarked) item.current?.scrollIntoView({ block: 'center' })
  }, [isMarked])
  return (
    <li ref={item} className="markable" aria-current={isMarked ? 'true' : undefined}>
      {props.children}
    </li>
  )
}

/** Says that the list doesn't have the entry in the address. */
export function MissingMark(props: {
  readonly parameter: string
  /** The ids of all entries. */
  readonly ids: readonly string[]
  /** The name of an entry, such as `fault`. */
  readonly what: string
  readonly children: ReactNode
}) {
  const id = useMarkedId(props.parameter)
  if (!id || props.ids.includes(id)) return null
  return (
    <div className="body">
      <Note tone="warn">
        <p>
          The {props.what} <code>{id}</code> isn't here any more. {props.children}
        </p>
      </Note>
    </div>
  )
}
