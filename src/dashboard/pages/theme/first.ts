import { showTheme } from './theme'

// A separate script, which runs before the first paint.
showTheme()
