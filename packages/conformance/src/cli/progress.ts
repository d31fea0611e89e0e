/** Shows on a terminal's stderr how many of so many are done, call by call; the line is gone with the last one. */
export function showProgress(total: number): () => void {
  let done = 0
  return () => {
    done++
    if (process.stderr.isTTY) process.stderr.write(done < total ? `\r${done} of ${total}` : '\r\u001b[K')
  }
}
