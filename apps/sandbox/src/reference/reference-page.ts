import { referencePath, sandboxPath } from '@lead-distribution/simulator/paths'

/** Where the files that the page loads stand. */
export const assetsPath = `${referencePath}/assets`

/** The reference of the service and of the control plane; which of them is shown is chosen at its top. */
export const referencePage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Lead distribution sandbox: reference</title>
<link rel="stylesheet" href="${assetsPath}/swagger-ui.css">
<link rel="icon" type="image/png" href="${assetsPath}/favicon-32x32.png">
<style>body { margin: 0 }</style>
<div id="reference"></div>
<noscript>
  <p>The reference needs JavaScript. The documents it shows:
  <a href="${sandboxPath}/service.openapi.json">the service</a>,
  <a href="${sandboxPath}/openapi.json">the control plane</a>.</p>
</noscript>
<script src="${assetsPath}/swagger-ui-bundle.js"></script>
<script src="${assetsPath}/swagger-ui-standalone-preset.js"></script>
<script src="${assetsPath}/start.js"></script>
</html>
`

/** What starts the reference in the page. Nothing asks elsewhere: no validator, no fonts. */
export const startScript = `SwaggerUIBundle({
  dom_id: '#reference',
  urls: [
    { name: 'The service', url: '${sandboxPath}/service.openapi.json' },
    { name: 'The control plane', url: '${sandboxPath}/openapi.json' },
  ],
  presets: [SwaggerUIBundle.presets.apis, SwaggerUIStandalonePreset],
  layout: 'StandaloneLayout',
  deepLinking: true,
  validatorUrl: null,
})
`

/** What the page may load: what stands beside it. Swagger UI sets styles by attribute and shows drawings from data URLs. */
export const referencePolicy = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'", "'unsafe-inline'"],
  imgSrc: ["'self'", 'data:'],
  connectSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
}
