import { controlOperations } from '@lead-distribution/simulator'
import { expect, it } from 'vitest'
import { routes } from './routes.ts'

it('has the first method and the path of every operation, and sends its input where the operation takes it', () => {
  const declared = Object.entries(controlOperations).map(([name, { methods, path }]) => [name, `${methods[0]} ${path}`])
  expect(routes).toEqual(Object.fromEntries(declared))
  const takesBody = (name: string) => /^(POST|PATCH) /.test(routes[name as keyof typeof routes])
  const misplaced = Object.entries(controlOperations).filter(([name, operation]) => {
    const place: string = operation.in
    return place === (takesBody(name) ? 'query' : 'body')
  })
  // Their only input is `undo`, which the methods of the client put into the query.
  expect(misplaced.map(([name]) => name)).toEqual(['resetTenant', 'restoreSnapshot'])
})
