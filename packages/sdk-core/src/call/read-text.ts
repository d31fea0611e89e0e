/** The longest reply that is read, bytes. Those of the service are far below; another server's could fill the memory. */
const mostBytes = 1_048_576

/** The whole text of a reply, empty where it is too long: such a reply says no more than its status. */
export async function readText(response: Response): Promise<string> {
  const { headers, body } = response
  const announced = headers.has('content-encoding') ? Number.NaN : Number(headers.get('content-length') ?? Number.NaN)
  // What is announced is kept to by HTTP itself, unless it is packed. And some replies have no stream.
  if (announced <= mostBytes || typeof body?.getReader !== 'function') return await response.text()
  const reader = body.getReader()
  const chunks: Uint8Array<ArrayBuffer>[] = []
  for (let bytes = 0; ; ) {
    const { done, value } = await reader.read()
    if (done) return await new Blob(chunks).text()
    bytes += value.byteLength
    if (bytes > mostBytes) break
    chunks.push(value)
  }
  reader.cancel().catch(() => {})
  return ''
}
