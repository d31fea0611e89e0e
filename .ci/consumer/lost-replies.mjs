// The end of a call whose reply is lost, in every runtime: the table of docs/lost-replies.md, which is generated
// here and compared with the file. `npm run check:packages -- --write` writes it.
import { spawn } from 'node:child_process'
import { once as happens } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { build } from 'esbuild'
import { reject } from '../run-checks.mjs'
import { notChecked, runInBrowser } from './browser.mjs'
import { once } from './project.mjs'
import { misdirected, refusedStream, unavailable } from './server.mjs'

/** A check of each runtime, and one of the table. The runtimes mostly wait: all of them run at once. */
export function lostReplyChecks({ root, sdkProject, server, programs, workerd }) {
  const settingsOf = name => server.faultSettings(name.toLowerCase().replaceAll(' ', '-'))
  const workerdWith = async (settings, date) =>
    runInWorkerd({
      file: await workerd(),
      folder: (await sdkProject()).folder,
      settings,
      certificate: server.certificate.text,
      date,
    })
  const ways = [
    ...programs.map(({ name, meetFaults }) => [name, () => meetFaults(settingsOf(name), server.certificate.file)]),
    ['workerd', () => workerdWith(settingsOf('workerd'), '2026-07-01')],
    ['Chromium', async () => runInChromium((await sdkProject()).folder, settingsOf('Chromium'))],
  ]
  const runs = ways.map(([name, run]) => ({ name, run: once(run) }))
  const endingsOf = async wanted => {
    const all = runs.map(({ run }) => run())
    await Promise.allSettled(all)
    return all[runs.findIndex(({ name }) => name === wanted)]
  }
  return [
    ...runs.map(({ name }) => ({
      name: `lost replies: ${name}`,
      run: async () => checked(name, await endingsOf(name)),
    })),
    {
      name: 'workerd before it knew `cache`',
      async run() {
        await endingsOf('workerd')
        const settings = settingsOf('early workerd')
        const faults = settings.faults.filter(({ name }) => name === unavailable)
        const endings = await workerdWith({ ...settings, faults }, '2024-01-01')
        reject(
          endings.filter(({ reached }) => reached === 0).map(({ call, outcome }) => `${call}: ${outcome}, not sent`),
        )
        return `${endings.length} calls`
      },
    },
    {
      name: 'docs/lost-replies.md',
      async run() {
        const columns = await Promise.all(runs.map(async ({ name, run }) => ({ name, endings: await run() })))
        if (columns.some(({ endings }) => !endings)) return notChecked
        const file = join(root, 'docs', 'lost-replies.md')
        const before = await readFile(file, 'utf8').catch(() => '')
        const after = before.replace(/(<!-- table -->\n).*/s, `$1\n${table(columns)}`)
        if (process.argv.includes('--write')) await writeFile(file, after)
        else if (after !== before) throw new Error('It is stale. Run `npm run check:packages -- --write`.')
      },
    },
  ]
}

/** No runtime but these may send a lead twice, and none may take its own lead for a refusal. */
function checked(name, endings) {
  if (!endings) return notChecked
  const twice = endings.filter(
    ({ fault, call, reached, attempts }) => call === 'submit' && reached > attempts && fault !== misdirected,
  )
  reject([
    ...endings
      .filter(({ outcome }) => outcome === 'rejected')
      .map(({ fault }) => `took its own lead for a refusal: ${fault}`),
    ...twice
      .filter(({ fault }) => name !== 'Chromium' && !(name === 'Deno' && fault === refusedStream))
      .map(({ fault }) => `sent a lead twice: ${fault}`),
  ])
  return `${endings.length} calls; ${twice.length} leads were sent twice by the runtime`
}

async function runInChromium(folder, settings) {
  const services = [settings.origin, settings.secureOrigin]
  const ran = await runInBrowser({ folder, settings, services })
  if (ran?.ended.failure) throw new Error(ran.ended.failure)
  return ran?.ended
}

async function runInWorkerd({ file, folder, settings, certificate, date }) {
  const entryPoints = [join(folder, 'faults-worker.ts')]
  const outfile = join(folder, 'worker.mjs')
  await build({
    entryPoints,
    outfile,
    bundle: true,
    format: 'esm',
    conditions: ['workerd', 'worker'],
    logLevel: 'silent',
  })
  await writeFile(join(folder, 'worker.capnp'), configOf(date))
  await writeFile(join(folder, 'certificate.pem'), certificate)
  const child = spawn(file, ['serve', 'worker.capnp', '--control-fd=3'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  })
  try {
    const [said] = await Promise.race([happens(child.stdio[3], 'data'), happens(child, 'exit').then(() => ['{}'])])
    const { port } = JSON.parse(said.toString().split('\n')[0])
    if (!port) throw new Error('workerd did not start.')
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: JSON.stringify(settings) })
    if (!response.ok) throw new Error(`workerd failed: ${await response.text()}`)
    return await response.json()
  } finally {
    child.kill()
  }
}

// Its network may reach this machine, where the server is.
const configOf = date => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [(name = "main", worker = .main), (name = "internet", network = .network)],
  sockets = [(name = "http", address = "127.0.0.1:0", http = (), service = "main")],
);
const network :Workerd.Network = (
  allow = ["private"],
  tlsOptions = (trustedCertificates = [embed "certificate.pem"]),
);
const main :Workerd.Worker = (
  modules = [(name = "worker.mjs", esModule = embed "worker.mjs")],
  compatibilityDate = "${date}",
);
`

/** The end of a call that met no fault. */
const fine = ['new', 'reported', 'received']

/** The table: a row for each call and fault, a column for all runtimes that agree. */
function table(columns) {
  const cellOf = ({ fault, outcome, attempts, reached }) =>
    fault === refusedStream && reached === 0 && fine.includes(outcome)
      ? 'speaks HTTP/1.1'
      : `\`${outcome.replace(', ', '`, ')}${outcome.includes(', ') ? '' : '`'}${reached > 1 ? `, sent ${times(reached)}` : ''}${
          reached > attempts ? ` (${attempts} counted)` : ''
        }`
  const groups = new Map()
  for (const { name, endings } of columns) {
    const key = JSON.stringify(endings)
    groups.set(key, { names: [...(groups.get(key)?.names ?? []), name], endings })
  }
  const rowsOf = [...groups.values()]
  const [first] = rowsOf
  const rows = first.endings.map(({ fault, call }, index) => [
    `\`${call}\``,
    fault,
    ...rowsOf.map(({ endings }) => cellOf(endings[index])),
  ])
  const byCall = ['submit', 'reportStatus', 'fire'].flatMap(call => rows.filter(([name]) => name === `\`${call}\``))
  const line = cells => `| ${cells.join(' | ')} |\n`
  const heads = ['call', 'fault', ...rowsOf.map(({ names }) => names.join(', '))]
  return [heads, heads.map(() => '---'), ...byCall].map(line).join('')
}

function times(count) {
  return count === 2 ? 'twice' : `${count} times`
}
