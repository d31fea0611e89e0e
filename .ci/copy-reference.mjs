// Copies the files of Swagger UI that the reference page loads into the sandbox's package, before it is packed: its users
// install these files and none of the packages of the one that ships them. The licence and the notice beside them are theirs.
import { copyFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const sandbox = fileURLToPath(new URL('../apps/sandbox/', import.meta.url))
const { resolve } = createRequire(join(sandbox, 'package.json'))
const source = dirname(resolve('@fastify/swagger-ui/static/swagger-ui.css'))
const files = ['favicon-32x32.png', 'swagger-ui-bundle.js', 'swagger-ui-standalone-preset.js', 'swagger-ui.css']
for (const file of files) await copyFile(join(source, file), join(sandbox, 'reference', file))
