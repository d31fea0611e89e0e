import { describe, expect, it } from 'vitest'
import { isLoopback, isSandboxHost } from './request.ts'

const hostOf = (url: string) => new URL(url).hostname

describe('a host', () => {
  it.each([
    'http://localhost',
    'http://a.localhost',
    'http://qa.localhost',
    'http://127.0.0.1:4010',
    'http://127.9.9.9',
    'http://127.10.20.30',
    'http://[::1]/',
    'http://2130706433',
  ])('is this machine, and therefore a sandbox: %s', url =>
    expect([isLoopback(hostOf(url)), isSandboxHost(hostOf(url))]).toEqual([true, true]),
  )

  it.each(['https://sandbox.example.com', 'https://SANDBOX.example.com', 'http://sandbox:4010', 'http://sandbox'])(
    'is a sandbox by its name: %s',
    url => expect([isLoopback(hostOf(url)), isSandboxHost(hostOf(url))]).toEqual([false, true]),
  )

  it.each([
    'https://acme.example.com',
    'https://sandbox-acme.example.com',
    'https://acme.sandbox.example.com',
    'https://localhost.example.com',
    'https://mylocalhost',
    'http://128.0.0.1',
  ])('is neither: %s', url => expect([isLoopback(hostOf(url)), isSandboxHost(hostOf(url))]).toEqual([false, false]))
})
