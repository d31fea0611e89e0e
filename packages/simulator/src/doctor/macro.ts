const macros = [/^[[{<(%#$]+\w[\w .-]*[\]}>)%#]+$/, /^\$\w+$/, /^__\w+__$/]

/** Whether a text is a place-holder that an advertiser's platform was to fill in: `{event}`, `%%TOKEN%%`, `${ref}`. */
export function isMacro(text: string): boolean {
  return text.length <= 100 && macros.some(macro => macro.test(text))
}
