import { createPublisher } from '@lead-distribution/publisher-sdk'
import { demoAccount } from '@lead-distribution/simulator'
import ky from 'ky'
import { inTurn, median } from './load.ts'
import { servers } from './servers.ts'
import { usualLead } from './usual-lead.ts'

const rounds = 48
const warmUp = 6
const requests = 256
const lead = usualLead('ana@example.com')
const apikey = demoAccount.publisher_key

/** Ways to submit a lead and to read the reply, from the barest to ours. */
function waysTo(baseUrl: string) {
  const url = `${baseUrl}/lead`
  const headers = { apikey, 'content-type': 'application/json' }
  const publisher = createPublisher({ baseUrl, apiKey: apikey })
  return {
    fetch: async () => (await fetch(url, { method: 'POST', headers, body: JSON.stringify(lead) })).json(),
    ky: () => ky.post(url, { headers: { apikey }, json: lead }).json(),
    submit: () => publisher.submit(lead),
  } as const
}

type Way = () => Promise<unknown>

/**
 * `submit` against a bare `fetch` and a bare call of ky: the same lead to the same server, one call after the other and
 * 32 at once. The ways take turns in short rounds, and the ratio of a round is taken within it.
 */
export async function measureSubmit(): Promise<void> {
  const server = await servers.bare()
  const ways = Object.entries(waysTo(`http://127.0.0.1:${server.port}/api/v1`))
  try {
    for (const atOnce of [1, 32]) {
      const rates = new Map<string, number[]>(ways.map(([name]) => [name, []]))
      for (let round = -warmUp; round < rounds; round++) {
        for (const [name, way] of inTurn(ways, round)) {
          const rate = await ratePerSecond(way, atOnce)
          if (round >= 0) rates.get(name)?.push(rate)
        }
      }
      console.log(`\nsubmit, ${atOnce} at once, ${rounds} rounds of ${requests} calls, medians`)
      for (const [name, measured] of rates) {
        const ratioTo = (other: string) =>
          median(measured.map((rate, round) => rate / (rates.get(other)?.[round] ?? Number.NaN))).toFixed(2)
        console.log(
          `  ${name.padEnd(8)} ratio to fetch ${ratioTo('fetch')}   to ky ${ratioTo('ky')}   ${median(measured).toFixed(0)} calls/s`,
        )
      }
    }
  } finally {
    await server.stop()
  }
}

async function ratePerSecond(way: Way, atOnce: number): Promise<number> {
  let left = requests
  const start = performance.now()
  const worker = async () => {
    while (left-- > 0) await way()
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return requests / ((performance.now() - start) / 1000)
}
