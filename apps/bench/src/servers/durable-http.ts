// What somebody would write instead: node:http, the same shape, and the lead in a SQLite file before the response.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createDurableStore } from './durable-store.ts'

const submit = createDurableStore()
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
