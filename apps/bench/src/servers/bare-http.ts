// The base of all ratios: node:http, the same shape, a random id, nothing stored. With `durable`, each lead is in a
// SQLite file before the response, as in a test server that you would write instead of using the sandbox.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { respondToLead } from './validate.ts'

const submit = process.argv[2] === 'durable' ? (await import('./durable-store.ts')).createDurableStore() : respondToLead
const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', chunk => chunks.push(chunk))
  request.on('end', async () => {
    const { status, body } = await submit(JSON.parse(Buffer.concat(chunks).toString('utf8')))
    const text = JSON.stringify(body)
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
    response.end(text)
  })
})
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: (server.address() as AddressInfo).port })))
