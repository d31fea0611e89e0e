// Starts the back end: reads the environment, opens the file, listens. The SDK reads the API key itself.
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createAdvertiser } from '@lead-distribution/advertiser-sdk'
import { createConsole } from './console.ts'
import { createIntake } from './intake.ts'
import { openLoanStore } from './loan-store.ts'
import { createOutbox } from './outbox.ts'
import { createSite } from './site.ts'

/** The delay before the next attempt of a report, milliseconds. */
const retryMs = Number(process.env.RETRY_SECONDS ?? 30) * 1000

/** Time limit of one attempt, milliseconds: the reports behind it wait. */
const timeoutMs = Number(process.env.TIMEOUT_SECONDS ?? 10) * 1000

// The file is as good as keys: no other user of this machine may read it.
process.umask(0o077)
const log = (line: string) => console.log(line)
const loans = openLoanStore(process.env.DATA ?? 'loans.db')
const advertiser = createAdvertiser({ baseUrl: required('LEAD_BASE_URL'), timeoutMs })
const outbox = createOutbox({ loans, advertiser, log })
const intake = createIntake({ advertiser, loans })
const deliveryToken = required('DELIVERY_TOKEN')

const servers = [
  await listen('site', createSite({ loans, outbox, intake, deliveryToken, log }), process.env.PORT ?? '4030'),
  await listen('console', createConsole({ loans, outbox, intake, log }), process.env.CONSOLE_PORT ?? '4031'),
]
const retry = () => outbox.flush().catch(() => log('the outbox stopped'))
void retry()
const timer = setInterval(retry, retryMs)
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stop)

async function listen(name: string, app: RequestListener, port: string) {
  const server = createServer(app).listen(Number(port), '127.0.0.1')
  await once(server, 'listening')
  log(`${name}: http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return server
}

async function stop(): Promise<void> {
  clearInterval(timer)
  await Promise.all(
    servers.map(server => {
      server.close()
      server.closeIdleConnections()
      return once(server, 'close')
    }),
  )
  // A report in flight ends with the process: it is in the outbox, and a repeat is harmless.
  process.exit(0)
}

function required(name: string): string {
  const value = process.env[name]
  if (value) return value
  console.error(`The environment variable ${name} is missing. The README describes it.`)
  process.exit(2)
}
