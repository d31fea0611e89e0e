import { describe, expect, it } from 'vitest'
import { isTest, type Source, sources } from '../architecture/sources.ts'
import { eachRow } from '../each-row.ts'
import { waysOutOf } from './ways-out.ts'

describe('waysOutOf', () => {
  it('finds each of them', () =>
    eachRow(
      [
        ["import { request } from 'node:http'", 'http.request'],
        ["import { get as load } from 'node:https'", 'https.get'],
        ["import { createServer, Agent } from 'http'", 'http.Agent'],
        ["import http from 'node:http'", 'http'],
        ["import * as net from 'node:net'", 'net'],
        ["import { connect } from 'node:tls'", 'tls.connect'],
        ["import { createSocket } from 'node:dgram'", 'dgram.createSocket'],
        ["import { execFile } from 'node:child_process'", 'child_process.execFile'],
        ["import { lookup } from 'node:dns'", 'dns.lookup'],
        ["export { request } from 'node:http'", 'http'],
        ["const http = await import('node:http')", 'http'],
        ["const http = require('http')", 'http'],
        ["process.getBuiltinModule('node:http')", 'http'],
        ['const module = await import(name)', 'import'],
        ["createRequire(import.meta.url)('node:http')", 'createRequire'],
        ["eval('1')", 'eval'],
        ["import { request } from 'undici'", 'undici'],
        ["import WebSocket from 'ws'", 'ws'],
        ["import ky from 'ky'", 'ky'],
        ["import { createAdvertiser } from '@lead-distribution/advertiser-sdk'", '@lead-distribution/advertiser-sdk'],
        ["await fetch('https://advertiser.example')", 'fetch'],
        ['const send = globalThis.fetch', 'fetch'],
        ["globalThis['fetch']('https://advertiser.example')", "globalThis['fetch']"],
        ["new WebSocket('wss://lender.example')", 'WebSocket'],
        ["navigator.sendBeacon('https://advertiser.example')", 'sendBeacon'],
        ['const ways = { fetch }', 'fetch'],
      ],
      (text, way) => {
        expect(waysOutOf(text)).toContain(way)
      },
    ))

  it('finds none in what only looks like one', () =>
    eachRow(
      [
        ["import { createServer, type RequestOptions } from 'node:http'"],
        ["import type { Socket } from 'node:net'"],
        ["import { isIP } from 'node:net'"],
        ["createRequire(import.meta.url).resolve('styles.css')"],
        ["import { readFileSync } from 'node:fs'"],
        ["import { request } from './request.ts'"],
        ["const page = await import('./page.ts')"],
        ['const lead = storage.fetch(id)'],
        ['const storage = { fetch: (id: string) => id }'],
        ['interface Store { fetch(id: string): string }'],
      ],
      text => {
        expect(waysOutOf(text)).toEqual([])
      },
    ))
})

/** Where the server is made: a lead is nowhere else. */
const ofTheServer = /^(packages\/(contract|engine|http|simulator)|apps\/sandbox)\/src\//
/**
 * The command line's calls, of a sandbox that runs already and of an application that is certified: they are beside the
 * server, and it does not load them.
 */
const ofTheCommandLine = /^apps\/sandbox\/src\/(cli\/|certify\/|main\.ts$)/
const serverSources = sources.filter(
  ({ path }) => ofTheServer.test(path) && !ofTheCommandLine.test(path) && !isTest(path),
)
const filesWithWaysOut = (files: readonly Source[]) =>
  files.filter(({ text }) => waysOutOf(text).length > 0).map(({ path }) => path)

const theWayOut = 'apps/sandbox/src/dialer/node-dialer.ts'

describe('the server', () => {
  it('has one file that opens connections', () => {
    expect(serverSources.length).toBeGreaterThan(100)
    expect(filesWithWaysOut(serverSources)).toEqual([theWayOut])
  })

  it('is seen to have another where one is injected', () =>
    eachRow(
      [
        [
          'packages/simulator/src/advertisers/real-network.ts',
          "await fetch('https://advertiser.example', { body: lead })",
        ],
        ['packages/engine/src/distribution/send.ts', "import { request } from 'node:https'"],
        ['packages/http/src/forward.ts', "const { connect } = await import('node:net')"],
        ['apps/sandbox/src/express/forward.ts', "import { fetch as send } from 'undici'"],
      ],
      (path, text) => {
        expect(filesWithWaysOut([...serverSources, { path, text }])).toEqual([theWayOut, path])
      },
    ))

  it('loads nothing of the command line', () => {
    const loads = /(from |import\()'(\.\.?\/)+(cli\/|certify\/|main\.ts)/
    expect(serverSources.filter(({ text }) => loads.test(text)).map(({ path }) => path)).toEqual([])
  })

  it('gives its way out to the guard, and to nobody else', () => {
    const code = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
    const users = serverSources.filter(({ text }) => /\bdialer\b(?!\.ts')/.test(code(text)))
    expect(users.map(({ path }) => path)).toEqual([
      'apps/sandbox/src/open-sandbox.ts',
      'packages/simulator/src/never-distribute/guarded-egress.ts',
      'packages/simulator/src/sandbox.ts',
    ])
  })
})

it('opens connections, or starts a process, in two files of the command line', () => {
  const commandLine = sources.filter(({ path }) => ofTheCommandLine.test(path) && !isTest(path))
  expect(filesWithWaysOut(commandLine).sort()).toEqual([
    'apps/sandbox/src/certify/application-driver.ts',
    'apps/sandbox/src/cli/connection/send.ts',
  ])
})
