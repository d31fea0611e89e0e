// Finds the words and turns of phrase of words.json in the text of a page. Code is not text.
import { readFileSync } from 'node:fs'

const patterns = Object.entries(JSON.parse(readFileSync(new URL('words.json', import.meta.url), 'utf8')))

export default function findWords({ Syntax, RuleError, report, getSource, locator }) {
  const find = node => {
    // Code is blanked, so that what is found stays where it is.
    const text = getSource(node).replace(/`[^`]*`|\]\([^)]*\)|<[^>]*>/gu, code => code.replace(/[^\n]/gu, '¤'))
    for (const [pattern, write] of patterns)
      for (const { 0: found, index } of text.matchAll(new RegExp(pattern, 'gu'))) {
        const padding = { padding: locator.range([index, index + found.length]) }
        report(node, new RuleError(`Instead of "${found.replace(/\s+/gu, ' ').trim()}": ${write}.`, padding))
      }
  }
  return { [Syntax.Paragraph]: find, [Syntax.Header]: find, [Syntax.TableCell]: find }
}
