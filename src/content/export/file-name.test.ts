import { expect, test } from 'bun:test'
import { parse } from 'content-disposition'
import { fc } from '../../../test/support/property'
import { attachment, createFileNames, fileName } from './file-name'

const namesOf = (slugs: string[]) => slugs.map(createFileNames('markdown'))

test('names files by their slugs, and those that a file system takes for one apart', () => {
  expect(
    namesOf(['cold-brew', 'Cold-Brew', 'cold-brew', 'cold-brew-2', 'straße', 'STRASSE']),
  ).toEqual([
    'cold-brew.md',
    'Cold-Brew-2.md',
    'cold-brew-3.md',
    'cold-brew-2-2.md',
    'straße.md',
    'STRASSE-2.md',
  ])
  expect(namesOf(['caf\u00e9', 'cafe\u0301'])).toEqual(['caf\u00e9.md', 'caf\u00e9-2.md'])
})

test('names no file outside its folder, and none that Windows reserves', () => {
  expect(
    namesOf(['../../etc/passwd', 'CON', 'com1', 'nul', 'a\\b', '..', '\u202e', 'a\u200bb']),
  ).toEqual([
    'etc-passwd.md',
    'CON-article.md',
    'com1-article.md',
    'nul-article.md',
    'a-b.md',
    'article.md',
    'article-2.md',
    'ab.md',
  ])
})

test('any slugs become different names of at most 255 bytes that every file system accepts', () => {
  const slug = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 300 }),
    fc.constantFrom('a', 'A', 'a-2', 'aux', 'é'),
  )
  fc.assert(
    fc.property(fc.array(slug), slugs => {
      const names = namesOf(slugs)
      expect(new Set(names.map(name => name.normalize('NFKC').toUpperCase())).size).toBe(
        slugs.length,
      )
      for (const name of names) {
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(255)
        expect(name).toMatch(/^[\p{L}\p{M}\p{N}][\p{L}\p{M}\p{N}-]*\.md$/u)
        expect(name).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)\./i)
      }
    }),
  )
})

test('ten thousand articles with one slug are named in no time', () => {
  expect(new Set(namesOf(Array(10_000).fill('untitled'))).size).toBe(10_000)
})

test('a download has its name, and one of ASCII characters for clients that know no other', () => {
  expect(attachment(fileName('cold-brew', 'html'))).toBe('attachment; filename=cold-brew.html')
  expect(attachment(fileName('crème', 'markdown'))).toBe(
    "attachment; filename=creme.md; filename*=UTF-8''cr%C3%A8me.md",
  )
  const header = attachment(fileName('コーヒー', 'markdown'))
  expect(header).toStartWith('attachment; filename=article.md; ')
  expect(parse(header).parameters.filename).toBe('コーヒー.md')
})
