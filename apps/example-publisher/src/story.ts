let number = 0

/** Tells the next step. */
export function step(what: string, outcome: string): void {
  number += 1
  console.log(`\n${number}. ${what}\n   ${outcome}`)
}

/** Tells what came of a step. */
export function say(text: string): void {
  console.log(`   ${text}`.replace(/^ {3}\n/, '\n'))
}
