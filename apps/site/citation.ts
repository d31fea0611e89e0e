/** Sections of the specification: `Spec 4.3`, `Spec 2.4, 2.12`, `Spec 4.1 rule 2`, `Spec 6.1 and 6.2`. */
export const citation = /\bSpec \d+(?:\.\d+)?(?:(?: rule \d+)?(?:, (?:and )?| and | to | against )\d+(?:\.\d+)?)*/g
