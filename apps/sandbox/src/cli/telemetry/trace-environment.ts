import { RefusedStart } from '../../open-sandbox.ts'
import type { TraceOptions } from '../../telemetry/tracer.ts'
import { createOtlpExporter } from './otlp-exporter.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The traces that OpenTelemetry's own variables ask for; undefined where they name no collector, or switch traces off.
 * Throws a `RefusedStart` where they cannot be followed.
 */
export function tracesOf(environment: Environment, onProblem: (problem: string) => void): TraceOptions | undefined {
  // A variable that is empty counts as not set, as OpenTelemetry has it.
  const read = (name: string) => environment[name]?.trim() || undefined
  /** The variable for traces alone, or else that for everything. */
  const readOtlp = (name: string) => read(`OTEL_EXPORTER_OTLP_TRACES_${name}`) ?? read(`OTEL_EXPORTER_OTLP_${name}`)
  if (read('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return undefined
  if ((read('OTEL_TRACES_EXPORTER') ?? 'otlp') !== 'otlp') return undefined
  const url = collectorUrl(read)
  if (url === undefined) return undefined
  if (readOtlp('PROTOCOL') === 'grpc')
    throw new RefusedStart(
      'OTEL_EXPORTER_OTLP_PROTOCOL is grpc, which the sandbox does not send: set it to http/json, and the endpoint to that of HTTP, usually port 4318.',
    )
  const attributes = readPairs('OTEL_RESOURCE_ATTRIBUTES', read('OTEL_RESOURCE_ATTRIBUTES'))
  const exporter = createOtlpExporter({
    url,
    headers: readPairs('OTEL_EXPORTER_OTLP_HEADERS', readOtlp('HEADERS')),
    resource: {
      'service.name': 'lead-sandbox',
      ...attributes,
      ...(read('OTEL_SERVICE_NAME') && { 'service.name': read('OTEL_SERVICE_NAME') as string }),
    },
    timeoutMs: readNumber('OTEL_EXPORTER_OTLP_TIMEOUT', readOtlp('TIMEOUT'), 10_000),
    delayMs: readNumber('OTEL_BSP_SCHEDULE_DELAY', read('OTEL_BSP_SCHEDULE_DELAY'), 5_000),
    maxQueue: readNumber('OTEL_BSP_MAX_QUEUE_SIZE', read('OTEL_BSP_MAX_QUEUE_SIZE'), 2_048),
    onProblem,
  })
  const sample = samplerOf(read('OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on', read('OTEL_TRACES_SAMPLER_ARG'))
  return { ...exporter, sample }
}

function collectorUrl(read: (name: string) => string | undefined): string | undefined {
  const whole = read('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT')
  const base = read('OTEL_EXPORTER_OTLP_ENDPOINT')
  const url = whole ?? (base && `${base.replace(/\/+$/, '')}/v1/traces`)
  if (url === undefined) return undefined
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new RefusedStart('OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https URL, such as http://127.0.0.1:4318.')
  return url
}

/** `name=value` pairs with commas between them, percent-encoded. An error does not repeat them: they may hold a key. */
function readPairs(variable: string, text = ''): Record<string, string> {
  const pairs = text.split(',').filter(pair => pair.trim() !== '')
  try {
    return Object.fromEntries(
      pairs.map(pair => {
        const [, name = '', value = ''] = /^\s*([^=\s]+)\s*=(.*)$/.exec(pair) ?? []
        if (name === '') throw new URIError()
        return [name, decodeURIComponent(value.trim())]
      }),
    )
  } catch {
    throw new RefusedStart(`${variable} must be name=value pairs with commas between them, percent-encoded.`)
  }
}

function readNumber(variable: string, text: string | undefined, byDefault: number): number {
  if (text === undefined) return byDefault
  if (!/^\d{1,9}$/.test(text)) throw new RefusedStart(`${variable} must be a whole number (got ${text}).`)
  return Number(text)
}

/** Decides which traces are recorded, by a sampler's name and argument. */
function samplerOf(name: string, argument: string | undefined): TraceOptions['sample'] {
  const ratio = Number(argument ?? 1)
  const samplers: Readonly<Record<string, (traceId: string) => boolean>> = {
    always_on: () => true,
    always_off: () => false,
    // By the trace's own id, so that every program that takes part decides alike.
    traceidratio: traceId => Number.parseInt(traceId.slice(-13), 16) < ratio * 2 ** 52,
  }
  const [, parentBased, root = ''] = /^(parentbased_)?(\w+)$/.exec(name) ?? []
  const sampler = samplers[root]
  if (!sampler || !(ratio >= 0 && ratio <= 1))
    throw new RefusedStart(
      'OTEL_TRACES_SAMPLER must be always_on, always_off or traceidratio, or one of these after parentbased_, and OTEL_TRACES_SAMPLER_ARG a number from 0 to 1.',
    )
  return (traceId, callerRecords) => (parentBased ? callerRecords : undefined) ?? sampler(traceId)
}
