// What Express costs without the sandbox: its router and its JSON parser, the same shape, a random id, nothing kept.
import type { AddressInfo } from 'node:net'
import express from 'express'
import { answerLead } from './validate.ts'

const app = express()
app.post('/api/v1/lead', express.json({ limit: 262_144 }), (request, response) => {
  const { status, body } = answerLead(request.body)
  response.status(status).json(body)
})
const server = app.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ port: (server.address() as AddressInfo).port }))
})
