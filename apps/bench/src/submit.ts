import { createPublisher } from '@lead-distribution/publisher-sdk'
import { demoAccount } from '@lead-distribution/simulator'
import ky from 'ky'
import { inTurns, median, ratePerSecond, ratioTo } from './load.ts'
import { servers } from './servers.ts'
import { usualLead } from './usual-lead.ts'

const rounds = 48
const warmUp = 6
const requests = 256
const lead = usualLead('ana@example.com')
const apikey = demoAccount.publisher_key

/** Returns ways to submit a lead and read the response, from the barest to the SDK. */
function waysTo(baseUrl: string): Record<string, () => Promise<unknown>> {
  const url = `${baseUrl}/lead`
  const headers = { apikey, 'content-type': 'application/json' }
  const publisher = createPublisher({ baseUrl, apiKey: apikey })
  return {
    fetch: async () => (await fetch(url, { method: 'POST', headers, body: JSON.stringify(lead) })).json(),
    ky: () => ky.post(url, { headers: { apikey }, json: lead }).json(),
    submit: () => publisher.submit(lead),
  }
}

/**
 * Measures `submit` against a bare `fetch` and a bare call to ky: the same lead to the same server, one call at a time
 * and 32 at once.
 */
export async function measureSubmit(): Promise<void> {
  await using server = await servers.bare()
  const ways = waysTo(`http://127.0.0.1:${server.port}/api/v1`)
  for (const atOnce of [1, 32]) {
    const rates = await inTurns(ways, { rounds, warmUp }, way => ratePerSecond(requests, atOnce, way))
    console.log(`\nsubmit, ${atOnce} at once, ${rounds} rounds of ${requests} calls, medians`)
    for (const [name, measured] of rates) {
      const [toFetch, toKy] = ['fetch', 'ky'].map(base => ratioTo(rates, base, name, rate => rate))
      console.log(
        `  ${name.padEnd(8)} ratio to fetch ${toFetch}   to ky ${toKy}   ${median(measured).toFixed(0)} calls/s`,
      )
    }
  }
}
