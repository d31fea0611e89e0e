import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../architecture/root.ts'
import { collectTests } from '../conformance/collect-tests.ts'
import { conformancePath, conformanceTable } from '../conformance/table.ts'
import { fieldNotesPath, fieldNotesSource } from './field-notes.ts'
import { leadRulePath, leadRuleSource } from './lead-rule.ts'
import { testLeadGuide, testLeadGuidePath } from './test-lead-guide.ts'

// `npm run generate`: writes every file that is made from others. Tests check that they are fresh.
function write(path: string, text: string): void {
  writeFileSync(join(root, path), text)
  console.log(`wrote ${path}`)
}

write(fieldNotesPath, fieldNotesSource())
write(leadRulePath, leadRuleSource())
write(testLeadGuidePath, testLeadGuide())
write(conformancePath, conformanceTable(await collectTests()))
