import { expect, test } from 'bun:test'
import { slugify } from './slug'

test.each([
  ['Crème brûlée, easily!', 'en', 'creme-brulee-easily'],
  [
    'Öl für Gartenmöbel: Größe & Straße – „schön“ 😀',
    'de',
    'oel-fuer-gartenmoebel-groesse-strasse-schoen',
  ],
  ['STRASSENBÄUME', 'de-AT', 'strassenbaeume'],
  // The letters of a decomposed text, as macOS writes it.
  ['Gro\u0308ße', 'de', 'groesse'],
  ['Smörgås, Straße', 'sv', 'smorgas-strasse'],
  ['Łódź kawa', 'pl', 'lodz-kawa'],
  ['Ærø İstanbul ﬁne Ｃｏｆｆｅｅ', 'da', 'aero-istanbul-fine-coffee'],
  ['CO₂ sparen: ½ Tasse, １２３', 'de', 'co2-sparen-1-2-tasse-123'],
  ['Ǿ ǽ Ħ', 'en', 'o-ae-h'],
  ['Acme™ Guide', 'en', 'acme-guide'],
  ['ｺｰﾋｰ', 'ja', 'コーヒー'],
  ['コーヒーガイド', 'ja', 'コーヒーガイド'],
  ['हिन्दी में कॉफी', 'hi', 'हिन्दी-में-कॉफी'],
  ['Кофейный гид: ёмкость', 'ru', 'кофейный-гид-ёмкость'],
  ['☕️ 1️⃣ coffee', 'en', '1-coffee'],
  ['Glücks\u00adfall der Ko\u00adgge', 'sv', 'glucksfall-der-kogge'],
  ['!?', 'en', 'untitled'],
])('%j in %s: %s', (title, language, slug) => {
  expect(slugify(title, language)).toBe(slug)
})

test('is cut to 80 characters, without half of one', () => {
  expect(slugify(`${'a'.repeat(79)} b`, 'en')).toBe('a'.repeat(79))
  expect(slugify(`${'a'.repeat(79)}𠮷`, 'en')).toBe('a'.repeat(79))
  expect(slugify(`${'a'.repeat(78)} 𠮷`, 'en')).toBe('a'.repeat(78))
})
