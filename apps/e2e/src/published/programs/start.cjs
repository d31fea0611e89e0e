// A CommonJS program requires every entry of the SDKs, and gets what an import gets.
const entries = require('./entries.json')

async function start() {
  for (const entry of entries) {
    const required = require(entry)
    const imported = await import(entry)
    for (const name of Object.keys(imported)) {
      if (required[name] !== imported[name]) throw new Error(`${entry} has two copies of ${name}.`)
    }
  }
  const { createPublisher, LeadSdkError, validateLead } = require('@lead-distribution/publisher-sdk')
  const publisher = createPublisher({ baseUrl: `${JSON.parse(process.argv.at(-1)).service}/api/v1` })
  const refused = await publisher.submit({}).catch(error => error)
  if (!LeadSdkError.is(refused) || refused.code !== 'validation') throw new Error('An empty lead was not refused.')
  if (validateLead({}).valid) throw new Error('An empty lead is valid.')
  console.log(`${entries.length} entries required`)
}

void start()
