/** What takes back the writes of a transaction that fails. */
export interface UndoLog {
  /** Adds how to take back a write that is about to happen. */
  push(undo: () => void): void
  /** Takes everything back, last write first. */
  rollBack(): void
  /** Forgets everything: the transaction is over. */
  clear(): void
}

/** An empty log. */
export function createUndoLog(): UndoLog {
  const undos: (() => void)[] = []
  return {
    push: undo => undos.push(undo),
    rollBack: () => {
      for (const undo of undos.reverse()) undo()
    },
    clear() {
      undos.length = 0
    },
  }
}

/** Sets an entry of a map so that the log can take it back. */
export function setLogged<Key, Value>(map: Map<Key, Value>, key: Key, value: Value, log: UndoLog): void {
  const had = map.has(key)
  const before = map.get(key)
  log.push(() => {
    if (had) map.set(key, before as Value)
    else map.delete(key)
  })
  map.set(key, value)
}

/** Deletes an entry of a map so that the log can take it back; it then comes last in the map. */
export function deleteLogged<Key, Value>(map: Map<Key, Value>, key: Key, log: UndoLog): void {
  const before = map.get(key)
  if (!map.delete(key)) return
  log.push(() => map.set(key, before as Value))
}

/** Replaces a property so that the log can take it back. */
export function replaceLogged<Target, Key extends keyof Target>(
  target: Target,
  key: Key,
  value: Target[Key],
  log: UndoLog,
): void {
  const before = target[key]
  log.push(() => {
    target[key] = before
  })
  target[key] = value
}
