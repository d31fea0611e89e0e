// Starts the site: reads the environment, opens the file, listens. The SDK reads the API key itself.
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createPublisher } from '@lead-distribution/publisher-sdk'
import { openApplications } from './application-store.ts'
import { createOperatorPages } from './operator-pages.ts'
import { createSender } from './send-application.ts'
import { createSite } from './site.ts'

/** The delay before an application is sent again, milliseconds. */
const retryMs = Number(process.env.RETRY_SECONDS ?? 60) * 1000

/** Time limit of one attempt, milliseconds: a customer is waiting. */
const timeoutMs = Number(process.env.TIMEOUT_SECONDS ?? 15) * 1000

// The file holds personal data: no other user of this machine may read it.
process.umask(0o077)
const log = (line: string) => console.log(line)
const applications = openApplications(process.env.DATA ?? 'applications.db')
const publisher = createPublisher({
  baseUrl: required('LEAD_BASE_URL'),
  timeoutMs,
  deadlineMs: timeoutMs + 5_000,
})
const sender = createSender({ publisher, applications, log })
// Open before the site is made, which names itself in the record of each consent.
const server = await listen(process.env.PORT ?? '4020')
const site = createSite({
  origin: originOf(process.env.SITE_ORIGIN ?? urlOf(server)),
  ids: { publisher_id: required('PUBLISHER_ID'), product_id: required('PRODUCT_ID') },
  applications,
  sender,
  callbackSecrets: required('CALLBACK_SECRETS').split(','),
  signingSecret: process.env.CALLBACK_SIGNING_SECRET,
  log,
})
server.on('request', site)
const operator = await listen(process.env.OPERATOR_PORT ?? '4021')
operator.on('request', createOperatorPages({ applications, sender }))
log(`site: ${urlOf(server)}`)
log(`operator: ${urlOf(operator)}`)

const servers = [server, operator]
const retry = () => sender.sendWaiting().catch(() => log('the applications that wait could not be sent'))
void retry()
const timer = setInterval(retry, retryMs)
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stop)

async function listen(port: string): Promise<Server> {
  const server = createServer().listen(Number(port), '127.0.0.1')
  await once(server, 'listening')
  return server
}

function urlOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Checks the origin that customers see. */
function originOf(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url && /^https?:$/.test(url.protocol) && url.href === `${url.origin}/`) return url.origin
  console.error('SITE_ORIGIN must be a scheme and a host, such as https://loans.example.')
  process.exit(2)
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
  applications.close()
}

function required(name: string): string {
  const value = process.env[name]
  if (value) return value
  console.error(`The environment variable ${name} is missing. The README describes it.`)
  process.exit(2)
}
