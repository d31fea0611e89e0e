import type { StarlightUserConfig } from '@astrojs/starlight/types'
import { root } from './addresses.ts'
import { type Page, readContents } from './contents.ts'

type Sidebar = NonNullable<StarlightUserConfig['sidebar']>

/** The pages in reading order, as `docs/README.md` lists them. */
export const sidebar: Sidebar = readContents(`${root}docs`).map(({ title, pages }) => ({
  label: title,
  collapsed: title === 'Recipes',
  items: pages.map(entryOf),
}))

function entryOf({ id, title, children }: Page): Sidebar[number] {
  if (children.length === 0) return id
  return { label: title, collapsed: true, items: [id, ...children.map(entryOf)] }
}
