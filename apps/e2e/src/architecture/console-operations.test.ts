import { createControlClient } from '@lead-distribution/control-client'
import { type ControlOperationName, controlOperations } from '@lead-distribution/simulator'
import { describe, expect, it } from 'vitest'
import { isTest, sources } from './sources.ts'

type Operation = ControlOperationName

/** The operations that the page does not call, and what its users do instead. */
const notOnThePage: Partial<Record<Operation, string>> = {
  reproduceSubmission: 'A stored lead has its repro file on its page. Of any other, the command line makes one.',
  waitForCallback: 'Nobody waits on a page: a callback shows when it is sent.',
  startListener: 'A page cannot send to a receiver on this machine: run lead-sandbox listen.',
  takeCallbacks: 'As for startListener.',
  reportForwarded: 'As for startListener.',
}

/** The page as it is written, without what breaks its lines. */
const page = sources
  .filter(({ path }) => path.startsWith('apps/console/src/') && !isTest(path))
  .map(({ text }) => text.replace(/\s*\n\s*/g, ''))
  .join('\n')

/** Matches a call of a method: `sandbox.listTenants(`, `control.delete(`, `sandbox.control(tenant).leads.show(`. */
const callOf = (receiver: string, path: readonly string[]) => new RegExp(`${receiver}\\.${path.join('\\.')}\\(`)
const sandbox = '(?:\\bsandbox|\\bclientOver\\([\\w, ]+\\))'
const control = '(?:\\bcontrol|\\bcontrol\\([\\w.]+\\))'

interface Methods {
  readonly [name: string]: unknown
}

/** Which operation each method of the typed client calls, and whether the page calls the method. */
async function methodsOf(): Promise<readonly { operation: Operation; isCalled: boolean }[]> {
  let sent: Operation | undefined
  const client = createControlClient(async ({ operation }) => {
    sent = operation as Operation
    throw new Error('Nothing is sent.')
  })
  const found: { operation: Operation; isCalled: boolean }[] = []
  const visit = async (methods: Methods, receiver: string, path: readonly string[]) => {
    for (const [name, method] of Object.entries(methods)) {
      if (typeof method === 'object') await visit(method as Methods, receiver, [...path, name])
      if (typeof method !== 'function' || (receiver === sandbox && name === 'control')) continue
      sent = undefined
      const result = method('an-id', {})
      // Of a stream, the first step sends the request.
      await (result.next?.() ?? result).catch(() => undefined)
      if (sent) found.push({ operation: sent, isCalled: callOf(receiver, [...path, name]).test(page) })
    }
  }
  await visit({ ...client }, sandbox, [])
  await visit({ ...client.control('qa') }, control, [])
  return found
}

describe('every operation of the control plane', async () => {
  const methods = await methodsOf()

  it.each(Object.keys(controlOperations) as Operation[])(
    'can be done on the page, or does not need one: %s',
    operation => {
      const isCalled = methods.some(method => method.operation === operation && method.isCalled)
      expect(isCalled, notOnThePage[operation] ?? 'Put it on the page, or say here what its users do instead.').toBe(
        !(operation in notOnThePage),
      )
    },
  )
})
