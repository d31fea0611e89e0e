import type { Command } from 'commander'
import { describeCertifyAdvertiser } from './advertiser.ts'
import { describeCertifyPublisher } from './publisher.ts'

/** `lead-sandbox certify`. */
export function describeCertify(command: Command): void {
  command.helpCommand(false)
  describeCertifyPublisher(command.command('publisher'))
  describeCertifyAdvertiser(command.command('advertiser'))
}
