// The first call of an SDK loads ky, which takes real time. A test whose timers are fake loads it before.
import ky from 'ky'

// A use, because declarations repeat an import without one, and would tie users to ky.
void ky
