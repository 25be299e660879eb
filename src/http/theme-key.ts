/**
 * Where browsers store the theme that a user has chosen in the dashboard, `light` or `dark`; the pages of the
 * documentation use it too.
 */
export const THEME_KEY = 'arden.theme'
