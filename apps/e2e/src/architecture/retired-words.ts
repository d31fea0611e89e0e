/** Words of the glossary that the code base has given up, each with what replaces it. */
const retiredWords: Readonly<Record<string, string>> = {
  door: 'adapter',
  doors: 'adapters',
  house: 'architecture',
  reading: 'interpretation',
  readings: 'interpretations',
  told: 'reports',
  tell: 'report',
  tells: 'reports',
  played: 'applied',
  plays: 'applies',
  obey: 'apply a forced outcome',
  orders: 'scenarios, forced outcomes',
  strike: 'match',
  disturb: 'inject',
  chance: 'random',
  panel: 'advertiser network',
  sunk: 'inbox',
  lender: 'advertiser',
  quietly: 'safe listener',
  surface: 'paths',
  mend: 'fix',
  kit: 'fixture',
}

/** Names that are retired as a whole. */
const retiredNames: readonly RegExp[] = [
  /^Wire(Request|Reply)$/,
  /^(CallReply|Answer|Reply)$/,
  /^ControlCalls?$/,
  /^Caller$/,
  /^Order$/,
  /^(DueWork|runDue)$/,
  /^(Gate|Signal)$/,
  /^TenantWorld$/,
  /^(FaultBook|LeadFile)$/,
  /^(putBack|onFault|Look|within|echo|Echo)$/,
]

/** The words of a name in kebab-case, camelCase, PascalCase or snake_case, in small letters. */
export function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(word => word !== '')
}

/** What is retired in a name, as `told → reports`; undefined where nothing is. */
export function retiredIn(name: string): string | undefined {
  const whole = retiredNames.find(each => each.test(name))
  if (whole) return `${name} is retired`
  const word = wordsOf(name).find(each => each in retiredWords)
  return word && `${word} → ${retiredWords[word]}`
}
