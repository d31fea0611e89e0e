import { defineCollection } from 'astro:content'
import { readFileSync } from 'node:fs'
import { docsSchema } from '@astrojs/starlight/schema'
import { glob, type Loader } from 'astro/loaders'
import { base, pageId, pages } from '../addresses.ts'
import { titleOf } from '../markdown.ts'

/** The heading, the picture and the links at the top of the front page, which Markdown cannot express. */
const front = {
  tableOfContents: false,
  hero: {
    title: 'Test lead integrations without touching production',
    tagline:
      'SDKs for both sides, a sandbox with the real rules, and certifications that find what would break. No account, no key, nothing leaves your machine.',
    image: {
      light: './images/console-lead-light.png',
      dark: './images/console-lead-dark.png',
      alt: 'A lead in the console: what happened to it, its decision, its events and its callbacks.',
    },
    actions: [
      { text: 'Open the playground', link: `${base}/playground/` },
      { text: 'Submit a first lead', link: `${base}/guides/first-lead/`, variant: 'minimal' },
    ],
  },
}

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
          data: {
            title: filePath && titleOf(readFileSync(filePath, 'utf8')),
            ...(entry.id === 'index' && front),
            ...data,
          },
        }),
    })
  },
}

export const collections = {
  docs: defineCollection({ loader: repository, schema: docsSchema() }),
}
