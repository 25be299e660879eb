/**
 * `bun build/release-notes.ts v0.2.0` prints the section of CHANGELOG.md for that version. Fails where package.json has
 * another version, or the section is missing: a tag that was set too early.
 */
import { join } from 'node:path'
import pkg from '../package.json'
import { ROOT } from './root'

const [tag = ''] = process.argv.slice(2)
const version = tag.replace(/^v/, '')

const fail = (why: string): never => {
  process.stderr.write(`${why}\n`)
  process.exit(1)
}

if (version !== pkg.version)
  fail(`The tag is ${tag || 'missing'}, and package.json has version ${pkg.version}.`)
const changelog = await Bun.file(join(ROOT, 'CHANGELOG.md')).text()
const section = changelog.split(/^## /m).find(one => one.startsWith(`[${version}]`))
if (section === undefined)
  fail(`CHANGELOG.md has no section "## [${version}]". Give [Unreleased] that name and a date.`)
process.stdout.write(`${section?.split('\n').slice(1).join('\n').trim()}\n`)
