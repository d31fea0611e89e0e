import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fieldNotesSource } from './field-notes.ts'
import { leadValidatorSource } from './lead-validator.ts'
import { root } from './root.ts'
import { testLeadGuide, testLeadGuidePath } from './test-lead-guide.ts'

/** A file that is generated from other files of the repository. */
export interface Output {
  /** The path from the root. */
  readonly path: string
  readonly text: () => string
}

/** Every generated file but the summary of conformance, which needs the tests of the whole repository. */
export const outputs: readonly Output[] = [
  { path: 'packages/contract/src/openapi/field-notes.generated.ts', text: fieldNotesSource },
  { path: 'packages/contract/src/lead/lead-validator.generated.ts', text: leadValidatorSource },
  { path: testLeadGuidePath, text: testLeadGuide },
]

/** Whether a generated file differs from what its sources give now. */
export function isStale({ path, text }: Output): boolean {
  return readFileSync(join(root, path), 'utf8') !== text()
}
