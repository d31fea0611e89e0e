import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../architecture/sources.ts'

interface Part {
  kind: string
  text: string
  targetAnchor?: string
}

/** The build's own plugin, over a project with one text: a comment, or a page. */
async function linked(text: string, isPage = false): Promise<Part[]> {
  const { linkSections } = await import(join(root, 'docs/theme/sections.mjs'))
  const content = [{ kind: 'text', text }]
  const comment = { summary: content, blockTags: [] }
  const reflection = {
    name: 'place',
    getFriendlyFullName: () => 'place',
    isDocument: () => isPage,
    ...(isPage ? { content } : { comment }),
  }
  const files = { registerAbsolute: () => ({ target: 1 }) }
  linkSections({ files, reflections: { reflection }, readme: [] }, join(root, 'docs'))
  return comment.summary
}

it.each([
  ['Spec 4.3', ['spec-4-3']],
  ['see Spec 2.4, 2.12 and 3.', ['spec-2-4', 'spec-2-12', 'spec-3']],
  ['Spec 4.1 rule 2', ['spec-4-1']],
  ['Spec 6.2, open point 14', ['spec-6-2']],
  ['Spec 2.9 against 4.1 rule 1', ['spec-2-9', 'spec-4-1']],
  ['Speculation 4.3', []],
])('leads from "%s" to its sections', async (text, anchors) => {
  const parts = await linked(text)
  expect(parts.flatMap(({ targetAnchor }) => targetAnchor ?? [])).toEqual(anchors)
  const shown = parts.map(part => (part.kind === 'text' ? part.text : '')).join('')
  expect(shown.replaceAll(/\[|\]\(\)/g, '')).toBe(text)
})

it('refuses a section that is not described', async () => {
  await expect(linked('Spec 4.9')).rejects.toThrow('place cites section 4.9, which docs/service.md does not have.')
})

it('demands of a page that it writes the link itself, which works on GitHub too', async () => {
  await expect(linked('(Spec 4.3)', true)).rejects.toThrow('docs/place.md cites Spec 4.3 without a link')
  await expect(linked('([Spec 4.3], [3])', true)).resolves.toBeDefined()
})
