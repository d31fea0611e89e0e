// Submits a lead each time that the next file appears: `freeze.mjs BASE_URL FOLDER`. Its host freezes it in between. It looks
// for the file by a timer: timers run before what the network has brought meanwhile, such as the end of a connection.
import { existsSync } from 'node:fs'
import { createPublisher } from '@lead-distribution/publisher-sdk'
import { lead } from './smoke.mjs'

const [baseUrl, folder] = process.argv.slice(2)
const publisher = createPublisher({ baseUrl, keepAlive: false })
for (let task = 0; ; task += 1) {
  while (!existsSync(`${folder}/${task}`)) await new Promise(resolve => setTimeout(resolve, 1))
  const { outcome } = await publisher.submit(lead('ana@example.com')).catch(error => ({ outcome: error.code }))
  console.log(outcome)
}
