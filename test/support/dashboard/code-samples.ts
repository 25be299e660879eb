import { join } from 'node:path'
import type { Page } from 'playwright-core'

const ROOT = join(import.meta.dir, '../../..')
const COMMANDS = {
  curl: ['sh', '-ec'],
  TypeScript: [process.execPath, '-e'],
  Python: ['python3', '-c'],
} as const
export type Language = keyof typeof COMMANDS

/** The code that the page shows in a language. */
export const readSample = async (page: Page, language: Language): Promise<string> => {
  await page.getByRole('tab', { name: language }).click()
  return (await page.getByRole('tabpanel', { name: language }).locator('code').textContent()) ?? ''
}

/** Runs code as a person does who copied it, and returns what it prints. @throws {Error} unless it succeeds. */
export const runSample = async (
  language: Language,
  code: string,
  env: Record<string, string> = {},
): Promise<string> => {
  const child = Bun.spawn([...COMMANDS[language], code], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stderr: 'pipe',
  })
  const [output, problem, status] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  if (status !== 0) throw new Error(`The ${language} code exited with ${status}: ${problem}`)
  return output
}
