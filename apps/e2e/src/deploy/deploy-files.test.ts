import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DCLinter } from 'dclint'
import { DockerfileParser } from 'dockerfile-ast'
import { validate } from 'dockerfile-utils'
import { describe, expect, it } from 'vitest'
import { root } from '../architecture/sources.ts'

const folder = join(root, 'apps/sandbox/deploy')
const read = (name: string) => readFileSync(join(folder, name), 'utf8')

describe('the Dockerfile', () => {
  const text = read('Dockerfile')
  const instructions = DockerfileParser.parse(text)
    .getInstructions()
    .map(each => ({ keyword: each.getKeyword(), text: each.getArgumentsContent() ?? '' }))
  const last = instructions.slice(instructions.findLastIndex(({ keyword }) => keyword === 'FROM'))
  const of = (keyword: string) => last.filter(each => each.keyword === keyword).map(each => each.text)

  it('passes the linter', () => {
    expect(validate(text)).toEqual([])
  })

  it('ends with a stage that installs nothing, has no package manager, and does not run as root', () => {
    expect(of('RUN')).toEqual([])
    expect(of('FROM')).toEqual([expect.stringMatching(/^gcr\.io\/distroless\/.*:nonroot$/)])
    expect(of('USER')).toEqual(['nonroot'])
  })

  it('starts the process without a shell, which would swallow SIGTERM, and checks its health without one', () => {
    for (const keyword of ['ENTRYPOINT', 'CMD']) expect(of(keyword)).toEqual([expect.stringMatching(/^\[".*"\]$/)])
    expect(of('HEALTHCHECK')).toEqual([expect.stringMatching(/^CMD \["\/nodejs\/bin\/node"/)])
  })
})

it('compose.yaml follows the Compose specification, and passes the linter', () => {
  const linter = new DCLinter({ rules: {}, quiet: true, debug: false, exclude: [] })
  const [result, ...others] = linter.lintFiles([join(folder, 'compose.yaml')], false)
  expect(others).toEqual([])
  expect(result?.messages.filter(({ type }: { readonly type: string }) => type === 'error')).toEqual([])
})

it('the load balancer names the sandboxes of compose.yaml, on their port', () => {
  const servers = [...read('haproxy.cfg').matchAll(/^ {2}server (\S+) (\S+)$/gm)].map(([, name, at]) => ({ name, at }))
  const sandboxes = [...read('compose.yaml').matchAll(/^ {2}(\S+): \*sandbox$/gm)].map(([, name]) => name)
  expect(servers).toEqual(sandboxes.map(name => ({ name, at: `${name}:4010` })))
  expect(servers).toHaveLength(2)
})
