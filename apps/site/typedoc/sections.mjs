// "Spec 4.3" in a doc comment leads to that section of `docs/service.md`. In pages a link is written, which works on a Git
// host too.
import { CommentTag, Converter } from 'typedoc'
import ts from 'typescript'
import { pageAddress } from '../addresses.ts'
import { citation } from '../markdown.ts'

const section = /(?<!rule )\b(?:Spec )?(\d+(?:\.\d+)?)/g

/** Adds the sections that follow a doc comment, `/** … *\/ // Spec 4.3`, to what the reference shows of it. */
export function readSections(app) {
  const read = (context, reflection, declaration) => {
    const symbol = context.getSymbolFromReflection(reflection)
    for (const node of declaration ? [declaration] : (symbol?.declarations ?? [])) {
      const cited = sectionsAfterComment(node)
      if (cited && reflection.comment)
        reflection.comment.blockTags.push(new CommentTag('@see', [{ kind: 'text', text: cited }]))
    }
  }
  app.converter.on(Converter.EVENT_CREATE_DECLARATION, read)
  app.converter.on(Converter.EVENT_CREATE_SIGNATURE, read)
}

function sectionsAfterComment(node) {
  const text = node.getSourceFile().text
  const place = ts.isVariableDeclaration(node) ? node.parent.parent : node
  const comments = ts.getLeadingCommentRanges(text, place.pos) ?? []
  const [doc, after] = comments.slice(-2).map(({ pos, end }) => text.slice(pos, end))
  return doc?.startsWith('/**') && after ? /^\/\/ (Spec .*)$/.exec(after)?.[1] : undefined
}

/** Makes the citations of comments links to the sections of `docs/service.md`. */
export function linkSections(project) {
  for (const { comment } of Object.values(project.reflections)) {
    if (!comment) continue
    for (const parts of [comment.summary, ...comment.blockTags.map(({ content }) => content)])
      for (const part of parts) if (part.kind === 'text') part.text = part.text.replaceAll(citation, linked)
  }
}

const linked = cited =>
  cited.replaceAll(section, (text, id) => `[${text}](${pageAddress('service')}#spec-${id.replace('.', '-')})`)
