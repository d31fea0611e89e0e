import { defineCollection } from 'astro:content'
import { readFileSync } from 'node:fs'
import { docsSchema } from '@astrojs/starlight/schema'
import { glob, type Loader } from 'astro/loaders'
import { pageId, pages } from '../addresses.ts'
import { titleOf } from '../markdown.ts'

/** Loads the Markdown of the repository, and the reference, which is written below `src/content/docs`. */
const repository: Loader = {
  name: 'repository',
  async load(context) {
    const { load } = glob({
      base: '../../',
      pattern: [...pages, 'apps/site/src/content/docs/**/*.{md,mdx}'],
      generateId: ({ entry }) =>
        entry.startsWith('apps/site/')
          ? entry
              .replace('apps/site/src/content/docs/', '')
              .replace(/(\/index)?\.mdx?$/, '')
              .toLowerCase()
              .replaceAll(/[^a-z0-9/_-]/g, '')
          : pageId(entry),
    })
    await load({
      ...context,
      parseData: ({ data, filePath, ...entry }) =>
        context.parseData({
          ...entry,
          filePath,
          data: { title: filePath && titleOf(readFileSync(filePath, 'utf8')), ...data },
        }),
    })
  },
}

export const collections = {
  docs: defineCollection({ loader: repository, schema: docsSchema() }),
}
