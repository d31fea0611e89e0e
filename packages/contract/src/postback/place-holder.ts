const placeHolders = [/^[[{<(%#$]+\w[\w .-]*[\]}>)%#]+$/, /^\$\w+$/, /^__\w+__$/]

/** Whether a text is a place-holder that an advertiser's platform was to fill in: `{event}`, `%%TOKEN%%`, `${ref}`. */
export function isPlaceHolder(text: string): boolean {
  return text.length <= 100 && placeHolders.some(form => form.test(text))
}
