// The first call of an SDK loads ky, which takes real time. Tests with fake timers preload it.
import ky from 'ky'

// Used, because declarations repeat an unused import, which would make users depend on ky.
void ky
