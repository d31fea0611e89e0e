import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

/** Adds the license of the console's typeface to a build. No module imports that, so the list of licenses lacks it. */
export const typefaceLicense: Plugin = {
  name: 'typeface-license',
  generateBundle() {
    const path = fileURLToPath(import.meta.resolve('@fontsource-variable/geist/LICENSE'))
    this.emitFile({ type: 'asset', fileName: 'geist-license.txt', source: readFileSync(path) })
  },
}
