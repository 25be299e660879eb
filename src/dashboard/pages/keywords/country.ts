import type { Project } from '../../../content/projects/schema'

/** The likely country of the project's language, as Unicode has it. */
export const countryOf = ({ language }: Project): string => {
  try {
    const { region = 'US' } = new Intl.Locale(language).maximize()
    // `419` is a region as well.
    return /^[A-Z]{2}$/.test(region) ? region : 'US'
  } catch {
    // Not every tag that the API accepts is a locale.
    return 'US'
  }
}
