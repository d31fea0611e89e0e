// The servers of bare-http.ts on Express, with its more expensive router and JSON parser.
import type { AddressInfo } from 'node:net'
import express from 'express'
import { respondToLead } from './validate.ts'

const submit = process.argv[2] === 'durable' ? (await import('./durable-store.ts')).createDurableStore() : respondToLead
const app = express()
app.post('/api/v1/lead', express.json({ limit: 262_144 }), async (request, response) => {
  const { status, body } = await submit(request.body)
  response.status(status).json(body)
})
const server = app.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ port: (server.address() as AddressInfo).port }))
})
