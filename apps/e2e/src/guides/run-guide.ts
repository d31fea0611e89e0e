import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type SandboxServer, startServer } from '@lead-distribution/sandbox'
import { freePort } from '../adapters/sockets.ts'
import { FollowedGuide, type PressButton } from './follow-guide.ts'
import { type Guide, parseGuide } from './parse-guide.ts'
import { Reader } from './reader.ts'
import { installCommands, installPackages } from './reader-folder.fixture.ts'

/** The port that guides name; each run takes a free one for it. */
const documentedPort = /\b4010\b/g

/**
 * Follows a guide from its first block to its last, as its reader would, with a sandbox of its own over a SQLite file;
 * where the guide starts a sandbox itself, with that one. Rejects where a command fails, or prints something else than
 * the guide shows.
 */
export async function runGuide(markdown: string, press: PressButton): Promise<void> {
  const isStarted = startsSandbox(parseGuide(markdown))
  const folder = await mkdtemp(join(tmpdir(), 'guide-'))
  const work = join(folder, 'work')
  let server: SandboxServer | undefined
  try {
    await mkdir(work)
    if (!isStarted) server = await startServer({ port: 0, data: join(folder, 'sandbox.db'), logLevel: 'silent' })
    const port = server ? new URL(server.url).port : String(await freePort())
    const { steps, exactTimes } = parseGuide(markdown.replace(documentedPort, port))
    await installPackages(work)
    await using reader = new Reader(work, await installCommands(work, port))
    const followed = new FollowedGuide(reader, exactTimes, press)
    for (const step of steps) await followed.take(step)
  } finally {
    await server?.close()
    await rm(folder, { recursive: true, force: true })
  }
}

/** Whether a guide starts a sandbox by itself, to stay or for a certification. */
function startsSandbox({ steps }: Guide): boolean {
  return steps.some(
    step =>
      (step.kind === 'terminal' && step.code.includes('lead-sandbox start')) ||
      (step.kind === 'command' && step.code.includes('lead-sandbox certify')),
  )
}
