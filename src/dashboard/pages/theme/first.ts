import { showTheme } from './theme'

// A file of its own, loaded before anything is drawn.
showTheme()
