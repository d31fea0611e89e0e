import type { CoverageView } from './coverage-view.ts'
import { escapeXml } from './escape-xml.ts'

/**
 * The coverage as a JUnit document, which build servers show as test results: a suite for each kind, a case for each
 * thing, and a failure that says how to see it for each that was not seen.
 */
export function coverageJunit({ items, seen, total }: CoverageView): string {
  const kinds = [...new Set(items.map(({ kind }) => kind))]
  const suites = kinds.map(kind => {
    const cases = items.filter(item => item.kind === kind)
    const unseen = cases.filter(({ count }) => count === 0).length
    return element('testsuite', { name: kind, tests: cases.length, failures: unseen, errors: 0, skipped: 0 }, [
      ...cases.map(testCase),
    ])
  })
  const root = element('testsuites', { name: 'coverage', tests: total, failures: total - seen, errors: 0 }, suites)
  return `<?xml version="1.0" encoding="UTF-8"?>\n${root}\n`
}

function testCase({ kind, name, count, how }: CoverageView['items'][number]): string {
  const failure = element('failure', { type: 'unseen', message: `${name} was not seen. ${how}` }, [])
  return element('testcase', { classname: `coverage.${kind}`, name, time: 0 }, count > 0 ? [] : [failure])
}

function element(name: string, attributes: Readonly<Record<string, string | number>>, content: readonly string[]) {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(String(value))}"`)
  const head = `<${name}${written.join('')}`
  return content.length === 0 ? `${head}/>` : `${head}>\n${content.join('\n')}\n</${name}>`
}
