import { defineCollection } from 'astro:content'
import { readFileSync } from 'node:fs'
import { docsSchema } from '@astrojs/starlight/schema'
import { glob, type Loader } from 'astro/loaders'
import { base, pageId, pages, referenceId } from '../addresses.ts'
import { titleOf } from '../markdown.ts'

/** The heading, the command and the links at the top of the front page, which Markdown cannot express. */
const front = {
  tableOfContents: false,
  hero: {
    title: 'Test lead integrations without touching production',
    tagline:
      'SDKs for both sides, a sandbox with the real rules, and certifications that find what would break. No account, no key, nothing leaves your machine.',
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
      pattern: [...pages, 'apps/site/404.md', 'apps/site/src/content/docs/**/*.{md,mdx}'],
      generateId: ({ entry }) =>
        entry.startsWith('apps/site/')
          ? referenceId(entry.replace(/^apps\/site\/(src\/content\/docs\/)?/, ''))
          : pageId(entry),
    })
    // Astro only logs that a page cannot be rendered, and leaves it empty.
    const failures: string[] = []
    const logger = Object.assign(Object.create(context.logger), { error: (text: string) => failures.push(text) })
    await load({
      ...context,
      logger,
      parseData: entry =>
        context.parseData({
          ...entry,
          data: {
            title: entry.filePath && titleOf(readFileSync(entry.filePath, 'utf8')),
            ...(entry.id === 'index' && front),
            ...entry.data,
          },
        }),
    })
    if (failures.length > 0) throw new Error(failures.join('\n'))
  },
}

export const collections: Record<string, ReturnType<typeof defineCollection>> = {
  docs: defineCollection({ loader: repository, schema: docsSchema() }),
}
