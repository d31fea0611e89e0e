import { SaxesParser } from 'saxes'

/** An element as read by a strict XML parser. */
export interface XmlElement {
  readonly name: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: XmlElement[]
  text: string
}

/** Returns the root of a document; throws if it is not well-formed XML 1.0. */
export function readXml(document: string): XmlElement {
  const outside: XmlElement = { name: '', attributes: {}, children: [], text: '' }
  const open = [outside]
  const parser = new SaxesParser()
  parser.on('error', error => {
    throw error
  })
  parser.on('opentag', ({ name, attributes }) => {
    const element = { name, attributes, children: [], text: '' }
    open.at(-1)?.children.push(element)
    open.push(element)
  })
  parser.on('text', text => {
    const element = open.at(-1)
    if (element) element.text += text
  })
  parser.on('closetag', () => void open.pop())
  parser.write(document).close()
  return outside.children[0] ?? outside
}
