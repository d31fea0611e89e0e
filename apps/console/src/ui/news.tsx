import type { PagedList } from '../data/paged-list.ts'
import { Icon } from './icons.tsx'

/** Says how many entries are new while their reader is elsewhere in the list; a press shows them, at the top. */
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
