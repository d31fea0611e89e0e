export { escapeXml } from './escape-xml.ts'
export { type JunitCase, type JunitRun, type JunitSuite, junitDocument } from './junit-document.ts'
