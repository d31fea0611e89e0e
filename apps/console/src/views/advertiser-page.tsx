import { useMutation, useQuery } from '@tanstack/react-query'
import { type SubmitEvent, useLayoutEffect, useRef, useState } from 'react'
import { fetchFromSandbox, isInPage } from '../data/sandbox.ts'
import { ErrorNote } from '../ui/elements.tsx'
import { Modal } from '../ui/modal.tsx'
import './advertiser-page.css'

const label = "Open the simulated advertiser's page"

/** Opens the page of a lead's advertiser in a new tab; in a dialog if the sandbox is inside this page. */
export function AdvertiserPageLink({ url }: { readonly url: string }) {
  const [open, setOpen] = useState(false)
  if (!isInPage)
    return (
      <a href={url} target="_blank" rel="noreferrer">
        {label}
      </a>
    )
  return (
    <>
      <button type="button" className="link" onClick={() => setOpen(true)}>
        {label}
      </button>
      {open && (
        <Modal
          title="The simulated advertiser's page"
          about={<code>{url}</code>}
          kind="large"
          onClose={() => setOpen(false)}
        >
          <AdvertiserPage url={url} />
        </Modal>
      )}
    </>
  )
}

// Refetching would lose typed text.
const staleTime = Number.POSITIVE_INFINITY

/** The page's HTML from the sandbox, without its frame. It has no script, and submitting its form returns it again. */
function AdvertiserPage({ url }: { readonly url: string }) {
  const shown = useQuery({ queryKey: ['advertiser-page', url], queryFn: () => readPage(url), gcTime: 0, staleTime })
  const sent = useMutation({ mutationFn: (form: URLSearchParams) => readPage(url, form) })
  const send = (event: SubmitEvent<HTMLDivElement>) => {
    event.preventDefault()
    const form = new FormData(event.target as HTMLFormElement, event.nativeEvent.submitter)
    sent.mutate(new URLSearchParams([...form].map(([name, value]) => [name, String(value)])))
  }
  const content = sent.data ?? shown.data
  const frame = useRef<HTMLDivElement>(null)
  // Once per content, because replacing the elements loses their focus.
  useLayoutEffect(() => {
    if (content) frame.current?.replaceChildren(...content.cloneNode(true).childNodes)
  }, [content])
  return (
    <>
      <ErrorNote error={shown.error ?? sent.error} />
      <div className="advertiser-page" onSubmit={send} ref={frame} />
    </>
  )
}

/** Reads the page, or what it shows after its form was sent. */
async function readPage(url: string, form?: URLSearchParams): Promise<Element> {
  const response = await fetchFromSandbox(url, form ? { method: 'POST', body: form } : {})
  // Without its style, which is the console's, and which this page's policy forbids.
  const main = /<main>[\s\S]*<\/main>/.exec(await response.text())?.[0] ?? ''
  const content = new DOMParser().parseFromString(main, 'text/html').querySelector('main')
  if (!content) throw new Error(`The page of the advertiser has no content (status ${response.status}).`)
  return content
}
