// Starts the OpenTelemetry SDK in a process, as the guide shows: `node --import`.
import { NodeSDK } from '@opentelemetry/sdk-node'

new NodeSDK().start()
