import { THEME_KEY } from '../../../http/theme-key'

/** Light, dark, or the setting of the system. Stored in the browser. */
export type Theme = 'system' | 'light' | 'dark'

const system = () => matchMedia('(prefers-color-scheme: dark)')

export const readTheme = (): Theme => {
  const stored = localStorage.getItem(THEME_KEY)
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

export const setTheme = (theme: Theme): void => {
  if (theme === 'system') localStorage.removeItem(THEME_KEY)
  else localStorage.setItem(THEME_KEY, theme)
  showTheme()
}

/** Sets the colours of the page. Charts redraw on `arden:theme`. */
export const showTheme = (): void => {
  const theme = readTheme()
  const dark = theme === 'dark' || (theme === 'system' && system().matches)
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
  dispatchEvent(new Event('arden:theme'))
}

export const followSystem = (): void => system().addEventListener('change', showTheme)
