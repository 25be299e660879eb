import { expect, test } from 'bun:test'
import { useArden } from '../support/arden'
import { runArden } from '../support/process'

/** Generations on the command line, with a worker that writes them. */

const arden = await useArden({ serve: true, worker: true })
const { key } = await arden.key({ mode: 'test' })
const run = (...args: string[]) =>
  runArden(args, { ARDEN_API_KEY: key, ARDEN_URL: arden.url, NO_COLOR: '1' })
const json = async (...args: string[]) => JSON.parse((await run(...args, '--json')).stdout)

const { id: project } = await json('projects', 'create', '--name', 'Blog')
const { id: keyword } = await json(
  ...['keywords', 'create', '--project', project, '--text', 'cold brew'],
)
const generate = (...options: string[]) => json('generate', '--keyword', keyword, ...options)

test('a generation is shown with a line for each step, and no text of them', async () => {
  const headings = ['--heading', 'Grind', '--heading', 'Wait']
  const { id } = await generate(...headings)
  const { stdout } = await run('generations', 'show', id)
  expect(stdout).toMatch(/^status +COMPLETED$/m)
  expect(stdout).toMatch(/\n\nsteps\nSTEP +HEADING +STATUS +MODEL +INPUT +OUTPUT +FINISHED\n/)
  expect(stdout).toMatch(/^section +Grind +COMPLETED .*Z$/m)
  expect(stdout.match(/^(outline|section|assembly|metadata|checks) .*Z$/gm)).toHaveLength(7)
  expect(stdout).not.toMatch(/[{}"]/)
})

test('why a generation failed is shown as a code and a message', async () => {
  const { id } = await generate('--instructions', 'fail: provider_refused')
  const { stdout } = await run('generations', 'show', id)
  expect(stdout).toMatch(/^error\.code +provider_refused\nerror\.message +\w.*\.$/m)
  expect(stdout).toMatch(/^outline +FAILED +- /m)
})
