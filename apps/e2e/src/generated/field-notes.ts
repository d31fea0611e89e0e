import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { root } from '../architecture/root.ts'

const contract = join(root, 'packages/contract/src')

/** Where the notes of the contract's interfaces go. */
export const fieldNotesPath = 'packages/contract/src/openapi/field-notes.generated.ts'

/** The JSDoc of every interface of the wire, as a source file: what the OpenAPI document says of each field. */
export function fieldNotesSource(): string {
  const files = [...globSync('{lead,status}/*.ts', { cwd: contract }), 'wire-error.ts']
    .filter(file => !/\.(shape|test|test\.kit)\.ts$/.test(file))
    .sort()
  const notes = Object.fromEntries(files.flatMap(file => notesOf(readFileSync(join(contract, file), 'utf8'))))
  return `// Made from the JSDoc of the interfaces by \`npm run generate\`. Change it there.
import type { FieldNotes } from './field-notes.ts'

/** What the interfaces of the wire and their fields mean. */
export const fieldNotes = ${JSON.stringify(notes, null, 2)} as const satisfies FieldNotes
`
}

/** The notes of the exported interfaces of a source text. An interface or a field without JSDoc has an empty one. */
export function notesOf(text: string): [string, { description: string; fields: Record<string, string> }][] {
  const file = ts.createSourceFile('source.ts', text, ts.ScriptTarget.Latest, true)
  const exported = file.statements
    .filter(ts.isInterfaceDeclaration)
    .filter(statement => statement.modifiers?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword))
  return exported.map(statement => {
    const fields = statement.members.filter(ts.isPropertySignature)
    return [
      statement.name.text,
      {
        description: docOf(statement),
        fields: Object.fromEntries(fields.map(field => [field.name.getText(), docOf(field)])),
      },
    ]
  })
}

function docOf(node: ts.Node): string {
  const [doc] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc)
  const text = ts.getTextOfJSDocComment(doc?.comment) ?? ''
  return text
    .replace(/\{@link ([^}]+)\}/g, '`$1`')
    .replace(/\s+/g, ' ')
    .trim()
}
