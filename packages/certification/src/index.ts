export {
  advertiserChecks,
  type Certification,
  type CertifyOptions,
  certifyAdvertiser,
  certifyPublisher,
  publisherChecks,
} from './certify.ts'
export type { ProfileName } from './check.ts'
export { certificationJunit, certificationMarkdown, checklist } from './report.ts'
export type { Application, CallApplication } from './run-command.ts'
