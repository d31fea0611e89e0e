// "Spec 4.3" leads to that section of `docs/service.md`: in comments by itself, in pages by a link that is written there,
// so that it works on GitHub too. A section that `service.md` does not have fails the build.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CommentTag, Converter } from 'typedoc'
import ts from 'typescript'

/** `Spec 4.3`, `Spec 2.4, 2.12`, `Spec 4.1 rule 2`, `Spec 6.1 and 6.2`. */
const citation = /\bSpec \d+(?:\.\d+)?(?:(?: rule \d+)?(?:, (?:and )?| and | to | against )\d+(?:\.\d+)?)*/g
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

/** Makes the citations of comments and READMEs links, and checks those of pages. */
export function linkSections(project, docs) {
  const page = join(docs, 'service.md')
  const known = new Set([...readFileSync(page, 'utf8').matchAll(/<a id="spec-([\d-]+)">/g)].map(([, id]) => id))
  const { target } = project.files.registerAbsolute(page)
  const link = where => parts => parts.flatMap(part => (part.kind === 'text' ? linked(part.text, where) : [part]))

  function linked(text, where) {
    const parts = []
    let end = 0
    for (const cited of text.matchAll(citation))
      for (const found of cited[0].matchAll(section)) {
        const id = found[1].replace('.', '-')
        if (!known.has(id)) throw new Error(`${where} cites section ${found[1]}, which docs/service.md does not have.`)
        const at = cited.index + found.index
        parts.push({ kind: 'text', text: `${text.slice(end, at)}[${found[0]}](` })
        parts.push({ kind: 'relative-link', text: 'service.md', target, targetAnchor: `spec-${id}` })
        end = at + found[0].length
        parts.push({ kind: 'text', text: ')' })
      }
    return [...parts, { kind: 'text', text: text.slice(end) }]
  }

  checkLinked({ name: 'README', content: project.readme ?? [] })
  for (const reflection of Object.values(project.reflections)) {
    const name = reflection.getFriendlyFullName()
    if (reflection.isDocument()) checkLinked(reflection)
    if (reflection.readme) reflection.readme = link(name)(reflection.readme)
    const { comment } = reflection
    if (!comment) continue
    comment.summary = link(name)(comment.summary)
    for (const tag of comment.blockTags) tag.content = link(name)(tag.content)
  }
}

/** On GitHub nothing makes a link of a citation: a page writes it, as `[Spec 4.3](../service.md#spec-4-3)`. */
function checkLinked({ name, content }) {
  for (const { kind, text } of content)
    for (const { 0: cited, index } of kind === 'text' ? text.matchAll(citation) : [])
      if (text[index - 1] !== '[' || text[index + cited.length] !== ']')
        throw new Error(
          `docs/${name}.md cites ${cited} without a link: write [${cited}], and below the text [${cited}]: …/service.md#….`,
        )
}
