import { type ControlOperation, row, rowWithBody } from '../row.ts'
import { advance, advanced, clockChange, clockView } from './clock.shape.ts'

/** The operations on a tenant's clock. */
export const clockOperations = {
  showClock: {
    ...row,
    summary: "Show the tenant's clock.",
    methods: ['GET'],
    path: '/tenants/:tenant/clock',
    reply: clockView,
  },
  changeClock: {
    ...rowWithBody,
    summary: "Freeze the tenant's clock, set it forward, or let it run on.",
    methods: ['POST'],
    path: '/tenants/:tenant/clock',
    input: clockChange,
    reply: clockView,
  },
  advanceClock: {
    ...rowWithBody,
    summary: 'Go forward in time, doing all that falls due in order; answers when it is done.',
    methods: ['POST'],
    path: '/tenants/:tenant/clock/advance',
    input: advance,
    reply: advanced,
  },
} as const satisfies Record<string, ControlOperation>
