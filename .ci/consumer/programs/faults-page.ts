// The program of faults in a page.
import { meetFaults } from './faults.ts'

declare const document: { body: { dataset: Record<string, string | undefined> } }

const settings = JSON.parse(document.body.dataset.settings ?? '')
const ended = await meetFaults(settings, { dangerouslyAllowBrowser: true }).catch(error => ({ failure: String(error) }))
document.body.dataset.ended = JSON.stringify(ended)
