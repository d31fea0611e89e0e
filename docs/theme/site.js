// The site's own switch of the theme, over what the browser prefers: a picture's media queries know only the browser.
const sources = document.querySelectorAll('picture source[media*="prefers-color-scheme"]')
const media = { dark: 'all', light: 'not all', os: '(prefers-color-scheme: dark)' }
const follow = () => {
  for (const source of sources) source.media = media[document.documentElement.dataset.theme] ?? media.os
}
follow()
new MutationObserver(follow).observe(document.documentElement, { attributeFilter: ['data-theme'] })
