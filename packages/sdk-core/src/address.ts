// How an address of the service is read; free of ky.
export { resolveBaseUrl } from './settings/base-url.ts'
