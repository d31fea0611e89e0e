import { saveFile } from './save-file.ts'

/** The number of pixels of an image for each pixel of its drawing. */
const scale = 2

/**
 * Downloads a drawing as a PNG file with the colors and the typeface that it has on the page. It may have `rect`, `path` and
 * `text` elements. A canvas draws them, because the page's policy allows no image from memory.
 * @throws Error if the browser can't make the image.
 */
export async function saveImage(drawing: SVGSVGElement, name: string): Promise<void> {
  const { width, height } = drawing.viewBox.baseVal
  const canvas = document.createElement('canvas')
  canvas.width = width * scale
  canvas.height = height * scale
  const context = canvas.getContext('2d')
  if (context)
    for (const element of drawing.querySelectorAll<SVGGraphicsElement>('rect, path, text')) draw(context, element)
  const blob = await new Promise<Blob | null>(resolve => canvas.toBlob(resolve))
  if (!blob) throw new Error("The browser couldn't make the image. Take a screenshot instead.")
  saveFile(name, blob, 'image/png')
}

function draw(context: CanvasRenderingContext2D, element: SVGGraphicsElement): void {
  const style = getComputedStyle(element)
  const { e = 0, f = 0 } = element.getCTM() ?? {}
  context.setTransform(scale, 0, 0, scale, scale * e, scale * f)
  context.fillStyle = style.fill
  context.strokeStyle = style.stroke
  context.lineWidth = Number.parseFloat(style.strokeWidth)
  context.lineJoin = 'round'
  context.setLineDash(style.strokeDasharray === 'none' ? [] : style.strokeDasharray.split(',').map(Number.parseFloat))
  const [isFilled, isStroked] = [style.fill !== 'none', style.stroke !== 'none']
  if (element instanceof SVGTextElement) {
    const [x, y] = [element.x.baseVal[0]?.value ?? 0, element.y.baseVal[0]?.value ?? 0]
    const text = element.textContent
    context.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`
    context.textAlign = style.textAnchor === 'middle' ? 'center' : 'left'
    // The outline of a text lies behind it.
    if (isStroked) context.strokeText(text, x, y)
    context.fillText(text, x, y)
    return
  }
  const path = element instanceof SVGRectElement ? pathOf(element) : new Path2D(element.getAttribute('d') ?? '')
  if (isFilled) context.fill(path)
  if (isStroked) context.stroke(path)
}

function pathOf({ x, y, width, height, rx }: SVGRectElement): Path2D {
  const path = new Path2D()
  path.roundRect(x.baseVal.value, y.baseVal.value, width.baseVal.value, height.baseVal.value, rx.baseVal.value)
  return path
}
