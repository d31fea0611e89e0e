/** A run of checks, in suites. */
export interface JunitRun {
  /** The name of the run, such as `coverage`. */
  readonly name: string
  readonly suites: readonly JunitSuite[]
}

/** A group of checks, which a build server can collapse. */
export interface JunitSuite {
  readonly name: string
  readonly cases: readonly JunitCase[]
}

/** One check. It passed if it neither failed nor was skipped. */
export interface JunitCase {
  readonly name: string
  /** The text before the name in a flat list of checks. Default: the names of the run and the suite. */
  readonly classname?: string | undefined
  /** The failure: its kind, a sentence, and further help. */
  readonly failure?: { readonly type: string; readonly message: string; readonly text?: string } | undefined
  /** The reason for skipping the check. */
  readonly skipped?: string | undefined
  /** The duration; 0 if it was not measured. */
  readonly seconds?: number | undefined
}

/** Formats a run as a JUnit document, which build servers show as test results. */
export function junitDocument({ name, suites }: JunitRun): string {
  const cases = suites.flatMap(suite => suite.cases)
  const written = suites.map(suite =>
    element(
      'testsuite',
      { name: suite.name, ...counts(suite.cases) },
      suite.cases.map(each => testCase(each, `${name}.${suite.name}`)),
    ),
  )
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', { name, ...counts(cases) }, written)}\n`
}

/** An item that tests can cover, and the number of times that they did. */
export interface CoverageItem {
  readonly kind: string
  readonly name: string
  readonly count: number
  /** One sentence that says how to cover it. */
  readonly how: string
}

/** Formats the coverage as JUnit: a suite for each kind and a case for each item, skipped or failed if not covered. */
export function coverageJunit(items: readonly CoverageItem[], required: readonly CoverageItem[] = []): string {
  const kinds = [...new Set(items.map(({ kind }) => kind))]
  return junitDocument({
    name: 'coverage',
    suites: kinds.map(kind => ({ name: kind, cases: items.filter(item => item.kind === kind).map(caseOf) })),
  })

  function caseOf(item: CoverageItem): JunitCase {
    const { name, count, how } = item
    if (count > 0) return { name }
    const message = `${name} was not seen. ${how}`
    return required.includes(item) ? { name, failure: { type: 'unseen', message } } : { name, skipped: message }
  }
}

function counts(cases: readonly JunitCase[]) {
  const failures = cases.filter(({ failure }) => failure).length
  return { tests: cases.length, failures, errors: 0, skipped: cases.filter(({ skipped }) => skipped).length }
}

function testCase({ name, classname, failure, skipped, seconds = 0 }: JunitCase, group: string): string {
  const { type, message, text = '' } = failure ?? {}
  return element('testcase', { classname: classname ?? group, name, time: seconds }, [
    ...(failure ? [element('failure', { type, message }, [escapeXml(text)].filter(Boolean))] : []),
    ...(skipped ? [element('skipped', { message: skipped }, [])] : []),
  ])
}

type Attributes = Readonly<Record<string, string | number | undefined>>

function element(name: string, attributes: Attributes, content: readonly string[]): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(String(value))}"`)
  const head = `<${name}${written.join('')}`
  return content.length === 0 ? `${head}/>` : `${head}>\n${content.join('\n')}\n</${name}>`
}

/** Escapes a text for XML 1.0. Characters that XML can't represent become U+FFFD. */
export function escapeXml(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '\u{FFFD}')
    .replace(/[&<>"'\t\n\r]/g, character => `&#${character.charCodeAt(0)};`)
}
