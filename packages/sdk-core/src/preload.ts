// The first call of an SDK loads ky, which takes real time. Tests with fake timers load it beforehand.
import ky from 'ky'

// A use, because declarations repeat an unused import, which would tie users to ky.
void ky
