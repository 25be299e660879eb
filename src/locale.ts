/** The likely language, script and region of a BCP 47 tag. Not each one that the API accepts is a locale, such as `zh-yue`. */
export const likelyLocale = (language: string): Intl.Locale => {
  try {
    return new Intl.Locale(language).maximize()
  } catch {
    return new Intl.Locale(language.split('-')[0] ?? 'en').maximize()
  }
}
