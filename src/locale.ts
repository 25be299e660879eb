/**
 * The likely language, script and region of a BCP 47 tag. Not each one that the API accepts is a locale, such as
 * `zh-yue`: its last parts are left out until it is one.
 */
export const likelyLocale = (language: string): Intl.Locale => {
  try {
    return new Intl.Locale(language).maximize()
  } catch (error) {
    const end = language.lastIndexOf('-')
    if (end < 0) throw error
    return likelyLocale(language.slice(0, end))
  }
}
