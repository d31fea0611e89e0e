import { rejectionReasons } from '../enumerations.ts'

/** What a sandbox plays on demand, whatever the lead says: an outcome, an error, or a fault of the connection. */
export const scenarioWords = [
  'new',
  'distributed',
  ...rejectionReasons,
  'http_401',
  'http_422',
  'http_500',
  'http_503',
  'timeout',
  'lost_reply',
] as const

/** A word of a scenario. */
export type ScenarioWord = (typeof scenarioWords)[number]

/** One word for every submission, or a chain joined by dots that plays one word a submission. */
export type Scenario = ScenarioWord | `${ScenarioWord}.${string}`

/** The words of a scenario, a chain's in their order; undefined where one is no word. */
export function readScenario(text: string): readonly ScenarioWord[] | undefined {
  const words = text.split('.')
  return words.every(isWord) ? words : undefined
}

function isWord(text: string): text is ScenarioWord {
  return (scenarioWords as readonly string[]).includes(text)
}

const pattern = /^([^+@]+)\+[^@]*@sandbox\.test$/i

/** What stands before the plus of `<scenario>+<anything>@sandbox.test`, in lower case; undefined for another address. */
export function scenarioOfEmail(email: string): string | undefined {
  return pattern.exec(email)?.[1]?.toLowerCase()
}

/** The e-mail address that asks a sandbox for a scenario. */
export function scenarioAddress(scenario: Scenario, unique: string): string {
  return `${scenario}+${unique}@sandbox.test`
}
