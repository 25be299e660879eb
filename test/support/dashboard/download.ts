import type { Page } from 'playwright-core'

/** The file that a click downloads. */
export const downloadOf = async (page: Page, click: () => Promise<void>) => {
  const [download] = await Promise.all([page.waitForEvent('download'), click()])
  return {
    name: download.suggestedFilename(),
    content: new Response(Bun.file(await download.path())),
  }
}
