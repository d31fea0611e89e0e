/** The path that the version stands in (Spec 9). */
export const basePath = '/api/v1'

/** The request header that carries the API key (Spec 5). */
export const keyHeader = 'apikey'

/** What the keys of this toolkit's sandbox begin with. Keys of the operator have no form that is known (Spec 5). */
export const sandboxKeyPrefix = 'sandbox_'

/** The largest request body that is read, bytes. The specification shows no limit; a body of just this size is taken. */
export const maxBodyBytes = 262_144
