import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { docUrl, errorStatus, rejectionReasons, serverErrorStatus } from '@lead-distribution/contract'
import { describe, expect, it } from 'vitest'
import { root } from '../output.ts'
import { errorPages } from './error-pages.ts'
import { sdkFacts } from './sdk-facts.ts'

const paths = errorPages.map(({ path }) => path).filter(path => !path.endsWith('README.md'))
const read = (path: string) => readFileSync(join(root, path), 'utf8')

describe('the pages of errors and rejections', () => {
  it('exist at the URLs that the SDKs, the console and the command line show', () => {
    const { homepage } = JSON.parse(read('packages/publisher-sdk/package.json'))
    const [repository] = homepage.split('/tree/main/')
    const urls = [
      docUrl('sdk', 'outcome_unknown'),
      ...Object.keys({ ...errorStatus, ...serverErrorStatus }).map(code => docUrl('service', code)),
      ...rejectionReasons.map(reason => docUrl('rejections', reason)),
    ]
    const files = urls.map(url => url.replace(`${repository}/blob/main/`, ''))
    expect(files.filter(file => !paths.includes(file))).toEqual([])
  })

  it.each(paths)('%s explains the error, whether to retry, what the customer sees and what to do', path => {
    const sections = [...read(path).matchAll(/^## (.+)\n\n(\S)/gm)].map(([, title]) => title)
    expect(sections).toEqual(['Retry', 'What the customer sees', 'What to do'])
  })

  it.each(errorPages)('$path links to files that exist', ({ path }) => {
    const links = [...read(path).matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, link]) => link ?? '')
    expect(links.filter(link => !existsSync(join(root, dirname(path), link)))).toEqual([])
  })

  it('cannot be generated for an error that no observed call ends with', async () => {
    await expect(sdkFacts('no_such_code')).rejects.toThrow(/add a cause/)
  })
})
