import { readFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { keyHeader } from '@lead-distribution/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTenantClient } from './control/tenant-client.fixture.ts'
import { manualEgress } from './ports.fixture.ts'

const packages = new URL('../../', import.meta.url)
const readme = readFileSync(new URL('simulator/README.md', packages), 'utf8')
/** Not the getter of an export, which vitest adds to a file, or the loading of a file, which starts at offset 0. */
const exportGetter = /^(\(\) ?=>|function ?\(\)) ?\{ ?(try ?\{ ?)?return \w+ ?\}?/

const inspector = new Session()
beforeAll(async () => {
  inspector.connect()
  await inspector.post('Debugger.enable')
  await inspector.post('Profiler.enable')
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
})
afterAll(() => inspector.disconnect())

/** Returns the functions that ran since the last call, by source file. */
async function functionsThatRan(): Promise<Map<string, string[]>> {
  const { result } = await inspector.post('Profiler.takePreciseCoverage')
  const byFile = new Map<string, string[]>()
  for (const { url, scriptId, functions } of result) {
    const path = url.replace(/^file:\/\//, '')
    if (!path.startsWith(packages.pathname) || /node_modules|\.(test|fixture)\.ts$/.test(path)) continue
    const { scriptSource } = await inspector.post('Debugger.getScriptSource', { scriptId })
    const ran = functions.filter(({ ranges: [range] }) => {
      if (!range || range.count === 0 || range.startOffset === 0) return false
      return !exportGetter.test(scriptSource.slice(range.startOffset, range.endOffset))
    })
    if (ran.length > 0)
      byFile.set(
        path.slice(packages.pathname.length),
        ran.map(each => each.functionName),
      )
  }
  return byFile
}

/** Reads a walk's section of the README: its number of files and its steps. */
function readWalk(walk: string) {
  const section = readme.slice(readme.indexOf(`## ${walk}`)).split('\n## ')[0] ?? ''
  const [, files] = /(\d+) files take part/.exec(section) ?? []
  const steps = [...section.matchAll(/^\| \d+ \| `(\w+)` in \[[^\]]+\]\(([^)]+)\)/gm)].map(
    ([, name = '', link = '']) => ({
      name,
      file: new URL(link, new URL('simulator/', packages)).pathname.slice(packages.pathname.length),
    }),
  )
  return { files: Number(files), steps }
}

const receiver = manualEgress()
const { call, control, done, time, account, leads, submit } = await openTenantClient(
  { name: 'walks', seed: 'walks', callback_url: 'http://127.0.0.1:3000/callbacks' },
  { dialer: { get: receiver.send, post: async () => ({ error: 'no egress in this test' }), close: () => undefined } },
)

/** Prepares a walk and returns it. */
const walks: [name: string, prepare: () => Promise<() => Promise<void>>][] = [
  [
    'A submission, function by function',
    async () => {
      const lead = leads.distributed()
      return async () => {
        const { json } = await call('POST', '/api/v1/lead', lead, { [keyHeader]: account.publisher.api_key })
        expect(json.status).toBe('distributed')
      }
    },
  ],
  [
    'From a pixel to its callback',
    async () => {
      const { lead_id } = await submit(leads.distributed)
      const [delivery] = (await done('GET', `/leads/${lead_id}`)).deliveries
      const { pathname, search } = new URL(delivery.postback_url)
      return async () => {
        const before = receiver.sent.length
        expect((await call('GET', `${pathname}${search}&event=approved`)).json.status).toBe('received')
        await time.advance(1)
        expect(receiver.sent.length).toBe(before + 1)
      }
    },
  ],
  [
    'Freezing a clock',
    async () => {
      await control('POST', '/clock', { resume: true })
      return async () => {
        expect((await control('POST', '/clock', { freeze: true })).status).toBe(200)
      }
    },
  ],
]

it.each(walks)('%s: matches the README, and no more files take part', async (name, prepare) => {
  // Skips the first round, which loads and compiles. Counts only what all other rounds have in common, because timers run
  // in between.
  const rounds: Map<string, string[]>[] = []
  for (let round = 0; round < 4; round++) {
    const walk = await prepare()
    await time.advance(10_000)
    await functionsThatRan()
    await walk()
    rounds.push(await functionsThatRan())
  }
  const [, ran = new Map<string, string[]>(), ...others] = rounds
  const taking = [...ran.keys()].filter(file => others.every(other => other.has(file)))
  const { files, steps } = readWalk(name)
  expect(steps.length).toBeGreaterThan(4)
  expect(steps.filter(step => !ran.get(step.file)?.includes(step.name))).toEqual([])
  // A new rule adds a file, but does not make the walk longer.
  const counted = new Set(taking.map(file => file.replace(/^(engine\/src\/rules)\/.*/, '$1')))
  expect(counted.size, [...counted].sort().join('\n')).toBeLessThanOrEqual(files)
})
