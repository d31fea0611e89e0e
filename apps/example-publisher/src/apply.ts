// Sends the form as a browser does and prints where the customer is redirected: `node src/apply.ts SITE E-MAIL`.
const [site = 'http://127.0.0.1:4020', email = ''] = process.argv.slice(2)
const fields = {
  application: crypto.randomUUID(),
  landing: `${site}/?utm_campaign=spring`,
  loan_amount: '5000',
  loan_term_months: '24',
  loan_purpose: 'home_improvement',
  first_name: 'Ana',
  last_name: 'Prueba',
  email,
  birthday: '1990-04-17',
  gender: 'female',
  occupation: 'indefinite_employee',
  monthly_income: '1800',
  terms: 'accepted',
  privacy_policy: 'accepted',
}
const reply = await fetch(`${site}/apply`, { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' })
console.log(reply.headers.get('location') ?? `${reply.status}, no redirect`)
process.exitCode = reply.status < 500 ? 0 : 1
