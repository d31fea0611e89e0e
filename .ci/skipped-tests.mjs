// A vitest reporter that names each skipped test and the reason in a run's last lines. If LEAD_TEST_COMPLETE is set,
// as in the workflow, whose machines have everything, skipped tests fail the run.
import { arch, platform } from 'node:process'

/** The maximum number of tests named per file. */
const maxNamed = 3

/** @implements {import('vitest/reporters').Reporter} */
export default class SkippedTests {
  onInit(vitest) {
    this.vitest = vitest
  }

  onTestRunEnd(modules) {
    // Tests excluded by a pattern count as skipped, too.
    if (this.vitest.config.testNamePattern) return
    const reasons = new Map()
    for (const module of modules)
      for (const test of module.children.allTests('skipped')) {
        const reason = test.result().note ?? `by a condition of its file, on ${platform} ${arch}`
        const place = `${module.relativeModuleId}, in ${module.project.name}: ${reason}`
        reasons.set(place, [...(reasons.get(place) ?? []), test.fullName])
      }
    if (reasons.size === 0) return
    for (const [place, names] of reasons) {
      console.log(`\nSkipped ${names.length} in ${place}`)
      for (const name of names.slice(0, maxNamed)) console.log(`  ${name}`)
      if (names.length > maxNamed) console.log(`  and ${names.length - maxNamed} more`)
    }
    if (!process.env.LEAD_TEST_COMPLETE) return
    console.error('\nWith LEAD_TEST_COMPLETE, no test may be skipped. Install what these tests need.')
    process.exitCode = 1
  }
}
