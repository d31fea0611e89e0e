import type { Compilable } from 'kysely'
import type { Statement } from './statement.ts'

/** A query of Kysely with places for its parameters: made once, compiled once for each dialect. */
export interface Query<Params, Row> {
  compile(): Statement<Params, Row>
}

/** Stands for a parameter while Kysely builds a query. */
class Placeholder {
  readonly name: string
  constructor(name: string) {
    this.name = name
  }
}

/** Makes a query; `build` gets the parameters as if they were there. */
export function query<Params, Row>(build: (params: Params) => Compilable<Row>): Query<Params, Row> {
  return {
    compile() {
      const places = new Proxy({}, { get: (_, name) => new Placeholder(String(name)) })
      const { sql, parameters } = build(places as Params).compile()
      return { sql, params: parameters.map(nameOf) }
    },
  }
}

function nameOf(parameter: unknown): string {
  if (parameter instanceof Placeholder) return parameter.name
  throw new Error(`Write the constant ${JSON.stringify(parameter)} with sql.lit: a statement holds no values.`)
}
