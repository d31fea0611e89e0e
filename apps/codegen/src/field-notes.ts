import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { root } from './root.ts'

const contract = join(root, 'packages/contract/src')

/** The files whose exported interfaces are the wire's. */
const wireFiles = ['wire-error.ts', '{lead,status}/*.ts']

/** The JSDoc of every interface of the wire, as a source file: the OpenAPI document describes each field by it. */
export function fieldNotesSource(): string {
  const files = globSync(wireFiles, { cwd: contract })
    .filter(file => !/\.(test|fixture|generated)\.ts$/.test(file))
    .sort()
  const notes = Object.fromEntries(files.flatMap(file => notesOf(readFileSync(join(contract, file), 'utf8'))))
  return `// Generated from the JSDoc of the interfaces by \`npm run generate\`. Change the interfaces instead.
import type { FieldNotes } from './schemas.ts'

/** The documentation of the interfaces of the wire and their fields. */
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
