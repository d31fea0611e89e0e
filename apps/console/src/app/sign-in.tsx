import { useState } from 'react'
import { Navigate } from 'react-router'
import type { Values } from '../data/input-values.ts'
import { useSession } from '../data/live.ts'
import { demoTenant, requiresToken, signIn } from '../data/sandbox.ts'
import { ErrorNote, PageHeader } from '../ui/elements.tsx'
import { Form, TextField } from '../ui/forms.tsx'

/** Leads to the tenant that the token opens, or to the demo tenant. */
export function Home() {
  const { data, error } = useSession()
  if (data) return <Navigate to={`/${data.tenant ?? demoTenant}/overview`} replace />
  return (
    <main className="page" id="content">
      {requiresToken(error) ? <SignIn /> : <ErrorNote error={error} />}
    </main>
  )
}

/** Asks for a token. The browser keeps it in a cookie, for all its tabs. */
export function SignIn(props: { readonly title?: string; readonly about?: string }) {
  const { title = 'This sandbox requires a token', about } = props
  const [isPending, setPending] = useState(false)
  const [error, setError] = useState<unknown>()
  const isWrong = requiresToken(error)
  const action = {
    async mutate({ token = '' }: Values) {
      setPending(true)
      await signIn(token).catch(setError)
      setPending(false)
    },
    isPending,
    error: isWrong ? undefined : error,
  }
  return (
    <div className="stack">
      <PageHeader title={title} about={about} />
      <Form action={action} send="Open the console">
        <TextField
          label="Admin token or tenant token"
          hint="The `--admin-token` that the sandbox was started with, or a tenant's token. You stay signed in, in all tabs, until you close the browser."
          name="token"
          type="password"
          aria-invalid={isWrong}
          autoComplete="off"
          required
        />
        {isWrong && (
          <div className="note bad" role="alert">
            This token isn't valid for this sandbox. Check it, or ask the sandbox's operator for another one.
          </div>
        )}
      </Form>
    </div>
  )
}
