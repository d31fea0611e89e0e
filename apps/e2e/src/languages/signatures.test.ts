import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTestCallback, createTestSigningSecret } from '@lead-distribution/publisher-sdk/testing'
import { expect, it } from 'vitest'
import { describePrograms, run } from './programs.fixture.ts'

interface SignedRequest {
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
}

/** Calls a page's function for each request. Returns its verdicts, one per request. */
const callers: Partial<Record<string, string>> = {
  js: `
import { readFileSync } from 'node:fs'
const { secret, requests } = JSON.parse(readFileSync('requests.json', 'utf8'))
for (const { target, headers } of requests) console.log(isSigned({ url: target, headers }, secret))
`,
  ruby: `
require "json"
given = JSON.parse(File.read("requests.json"))
given["requests"].each { |request| puts signed?(request["target"], request["headers"], given["secret"]) }
`,
  go: `
package main

import ("encoding/json"; "fmt"; "net/http"; "os")

func main() {
	var given struct {
		Secret   string
		Requests []struct { Target string; Headers map[string]string }
	}
	text, _ := os.ReadFile("requests.json")
	json.Unmarshal(text, &given)
	for _, each := range given.Requests {
		request := &http.Request{RequestURI: each.Target, Header: http.Header{}}
		for name, value := range each.Headers { request.Header.Set(name, value) }
		fmt.Println(isSigned(request, given.Secret))
	}
}
`,
}

describePrograms('signatures.md', ['js', 'js', 'ruby', 'go'], program => {
  it('accepts requests that the service signed, and refuses all others', async () => {
    const secret = createTestSigningSecret()
    const signed = async (changes: object = {}): Promise<SignedRequest> => {
      const url = 'https://publisher.example/callbacks/secret?mine=a%20b&c=%C3%B1'
      const callback = { url, secret, lead_id: crypto.randomUUID(), event: 'approved', ...changes }
      const { url: sent, headers } = await createTestCallback(callback)
      const { pathname, search } = new URL(sent)
      return { target: `${pathname}${search}`, headers: Object.fromEntries(headers) }
    }
    const seconds = (difference: number) => ({ at: new Date(Date.now() + difference * 1000) })
    const genuine = await signed()
    const { 'webhook-signature': signature = '', 'webhook-id': id = '' } = genuine.headers
    const withHeaders = (headers: object) => ({ ...genuine, headers: { ...genuine.headers, ...headers } })
    const without = (name: string) => ({
      ...genuine,
      headers: Object.fromEntries(Object.entries(genuine.headers).filter(([each]) => each !== name)),
    })
    const cases: readonly (readonly [string, boolean, SignedRequest])[] = [
      ['genuine', true, genuine],
      ['four minutes ago', true, await signed(seconds(-240))],
      ['four minutes ahead', true, await signed(seconds(240))],
      ['several signatures', true, withHeaders({ 'webhook-signature': `v1a,AAAA v1,AAAA ${signature}` })],
      ['six minutes ago', false, await signed(seconds(-360))],
      ['six minutes ahead', false, await signed(seconds(360))],
      ['another secret', false, await signed({ secret: createTestSigningSecret() })],
      ['another target', false, { ...genuine, target: `${genuine.target}0` }],
      ['a decoded target', false, { ...genuine, target: genuine.target.replace('%20', ' ') }],
      ['another id', false, withHeaders({ 'webhook-id': `${id}0` })],
      ['no time', false, withHeaders({ 'webhook-timestamp': 'soon' })],
      ['an empty signature', false, withHeaders({ 'webhook-signature': '' })],
      ['another version', false, withHeaders({ 'webhook-signature': signature.replace('v1', 'v2') })],
      ['a signature without its version', false, withHeaders({ 'webhook-signature': signature.slice(3) })],
      ...Object.keys(genuine.headers).map(name => [`without ${name}`, false, without(name)] as const),
    ]
    const requests = cases.map(([, , request]) => request)
    writeFileSync(join(program.folder, 'requests.json'), JSON.stringify({ secret, requests }))
    const caller = callers[program.language] ?? ''
    if (program.language === 'go') writeFileSync(join(program.folder, 'main.go'), caller)
    else appendFileSync(join(program.folder, program.name), caller)
    const { code, printed } = await run(program, program.language === 'go' ? ['main.go'] : [])
    expect(code, printed).toBe(0)
    const verdicts = printed.trim().split('\n')
    expect(cases.map(([name], index) => [name, verdicts[index]])).toEqual(
      cases.map(([name, accepted]) => [name, String(accepted)]),
    )
  }, 60_000)
})
