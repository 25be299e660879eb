import { describe, expect, test } from 'bun:test'
import { good, partOf } from '../support/content/generations'
import { refusal, streamed, useLlm } from '../support/content/llm'
import { checkOffences, look, useDashboard } from '../support/dashboard/dashboard'
import { until } from '../support/until'

/** The pages of generations, with a worker and a language model whose responses the tests set. */

let respond: Parameters<typeof useLlm>[0]
const llm = useLlm((request, count) => respond(request, count))
const dashboard = await useDashboard({ serve: true, worker: true }, llm.env)
const api = await dashboard.client()

/** The model's last response, for the title, stops half way until `go`. */
const hold = () => {
  const gate = Promise.withResolvers<void>()
  respond = (request, count) =>
    partOf(request) === 'metadata'
      ? streamed(['Title: Cold brew', { hold: gate.promise }, ' and more'])
      : good(request, count)
  return gate.resolve
}

const newKeyword = async (keyword: string): Promise<{ id: string; project_id: string }> => {
  const { id } = (await api.post('/projects', { name: `Blog of ${keyword}` })).body.data
  return (await api.post(`/projects/${id}/keywords`, { keyword })).body.data
}
const generate = async (keyword: string): Promise<string> =>
  (await api.post('/generations', { keyword_id: (await newKeyword(keyword)).id })).body.data.id

describe('generations', () => {
  test('starts a generation, follows its progress and opens its article', async () => {
    await newKeyword('cold brew')
    const go = hold()
    const page = await dashboard.open('/live/generations')
    await page.getByText('No generations yet').waitFor()
    await look(page, 'generations-empty')
    await page.getByRole('button', { name: 'Generate article' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Project').selectOption({ label: 'Blog of cold brew' })
    await dialog
      .getByRole('combobox', { name: 'Keyword' })
      .selectOption({ label: 'cold brew (US, desktop)' })
    await dialog.getByLabel('Instructions').fill('For beginners.\nMention the water.')
    await dialog.getByText('of 100 generations used this month').waitFor()
    await look(page, 'generations-start')
    await dialog.getByRole('button', { name: 'Generate' }).click()

    await page.getByRole('heading', { name: 'cold brew', exact: true }).waitFor()
    await page.getByRole('progressbar').waitFor()
    await until(
      'it is nearly written',
      async () => Number(await page.getByRole('progressbar').getAttribute('aria-valuenow')) > 50,
    )
    await page.getByRole('heading', { name: 'Text so far' }).waitFor()
    await page.getByText('Grind coarse.').first().waitFor()
    await page.getByText('test-model · section@1').first().waitFor()
    await look(page, 'generation-running')
    go()
    await page.getByText('Completed').first().waitFor()
    await look(page, 'generation-completed')
    await page.getByRole('link', { name: 'Open article' }).click()
    await page.getByRole('heading', { name: 'Cold brew and more', level: 1 }).waitFor()
    const article = new URL(page.url()).pathname.split('/').at(-1)
    await api.delete(`/articles/${article}`)
    await page.goBack()
    await page.getByText('The article was deleted.', { exact: true }).waitFor()
    await page.goto(`${dashboard.url}/dashboard/live/articles/${article}`)
    await page
      .getByRole('alert')
      .getByText(
        / It may have been deleted, or belong to another account or to the other mode, live or test\.$/,
      )
      .waitFor()
  })

  test('shows an outline that waits, and writes the article with the changed headings', async () => {
    respond = good
    const { id: keyword_id } = await newKeyword('flat white')
    const page = await dashboard.open(`/live/keywords/${keyword_id}`)
    await page.getByRole('button', { name: 'Generate article' }).click()
    await page.getByLabel('Audience').fill('home baristas')
    await page.getByLabel('Words').fill('900')
    await page.getByLabel('Wait for my approval of the outline').check()
    await page.getByRole('button', { name: 'Generate', exact: true }).click()
    const headings = page.getByRole('textbox', { name: 'Headings' })
    await headings.waitFor()
    expect(await headings.inputValue()).toBe('Grind\nWait')
    await look(page, 'generation-outline')
    await headings.fill('')
    await page.getByRole('button', { name: 'Approve changed outline' }).click()
    await page.getByText('Enter at least one heading.').waitFor()
    await headings.fill('Grind\n\nSteam the milk')
    await page.getByRole('link', { name: 'Projects' }).click()
    const question = page.getByRole('alertdialog', { name: 'Leave without saving?' })
    await question.getByRole('button', { name: 'Cancel' }).click()
    expect(await headings.inputValue()).toBe('Grind\n\nSteam the milk')
    await page.getByRole('button', { name: 'Approve changed outline' }).click()
    await page.getByRole('link', { name: 'Open article' }).click()
    await page.getByRole('heading', { name: 'Steam the milk' }).waitFor()
    checkOffences(page)
  })

  for (const [how, reason] of [
    ['approve', 'The outline was approved in another tab or by another user'],
    ['cancel', 'The generation was cancelled'],
  ] as const)
    test(`keeps the headings of a user while another one decides: ${how}`, async () => {
      respond = good
      const { id: keyword_id } = await newKeyword(`headings, ${how}`)
      const { id } = (await api.post('/generations', { keyword_id, review_outline: true })).body
        .data
      const page = await dashboard.open(`/live/generations/${id}`)
      const headings = page.getByRole('textbox', { name: 'Headings' })
      await headings.fill('My own heading')
      await api.post(`/generations/${id}/${how}`, {})
      await page.getByText(reason).waitFor()
      expect(await headings.inputValue()).toBe('My own heading')
      expect(await headings.isEditable()).toBe(false)
      await look(page, `generation-headings-${how}`)
      await page.getByRole('button', { name: 'Discard' }).click()
      await headings.waitFor({ state: 'detached' })
    })

  test('updates the list automatically, and filters it by the address', async () => {
    const go = hold()
    const page = await dashboard.open('/live/generations')
    await page.getByRole('link', { name: 'cold brew', exact: true }).waitFor()
    await generate('espresso')
    await page.getByRole('progressbar').waitFor()
    await look(page, 'generations')
    go()
    await page.getByRole('progressbar').waitFor({ state: 'detached' })
    await page.getByLabel('Status').selectOption('FAILED')
    await page.getByText('No matching generations').waitFor()
    expect(page.url()).toEndWith('?status=FAILED')
  })

  test('describes what a cancellation does before cancelling', async () => {
    const go = hold()
    const id = await generate('ristretto')
    const page = await dashboard.open(`/live/generations/${id}`)
    await page.getByRole('progressbar').waitFor()
    await page.getByRole('button', { name: 'Cancel' }).click()
    expect(await page.getByRole('alertdialog').textContent()).toContain(
      'Finished sections stay readable on the page of the generation. No article is created',
    )
    await look(page, 'generation-cancel')
    await page.getByRole('button', { name: 'Cancel generation' }).click()
    await page.getByText('Cancelled').first().waitFor()
    go()
    expect((await api.get(`/generations/${id}`)).body.data.status).toBe('CANCELLED')
  })

  test('shows why a generation failed, and starts it again with the same brief', async () => {
    respond = () => refusal(400, 'content_policy')
    const { id: keyword_id } = await newKeyword('lungo')
    const brief = { instructions: 'Short and kind.', audience: 'Baristas', length: 900 }
    const more = { outline: ['Grind', 'Pour'], required_checks: ['placeholder'] }
    const { id } = (await api.post('/generations', { keyword_id, ...brief, ...more })).body.data
    const page = await dashboard.open(`/live/generations/${id}`)
    await page.getByText('Error', { exact: true }).waitFor()
    await look(page, 'generation-failed')
    respond = good
    await page.getByRole('button', { name: 'Generate again' }).click()
    expect(await page.getByLabel('Instructions').inputValue()).toBe('Short and kind.')
    await page.getByRole('button', { name: 'Generate', exact: true }).click()
    await page.getByRole('link', { name: 'Open article' }).waitFor()
    expect(page.url()).not.toContain(id)
    const again = (await api.get(`/generations/${page.url().split('/').at(-1)}`)).body.data
    expect(again).toMatchObject({ ...brief, ...more, review_outline: false })
    checkOffences(page)
  })

  test('waits for an approval again when a generation that waited for one is repeated', async () => {
    respond = good
    const { id: keyword_id } = await newKeyword('cortadito')
    const { id } = (await api.post('/generations', { keyword_id, review_outline: true })).body.data
    const page = await dashboard.open(`/live/generations/${id}`)
    await page.getByRole('button', { name: 'Approve outline' }).click()
    await page.getByRole('link', { name: 'Open article' }).waitFor()
    await page.getByRole('button', { name: 'Generate again' }).click()
    expect(await page.getByLabel('Wait for my approval of the outline').isChecked()).toBe(true)
    // A model wrote it, and writes it again.
    expect(await page.getByLabel('Outline', { exact: true }).inputValue()).toBe('')
    await page.getByRole('button', { name: 'Generate', exact: true }).click()
    await page.waitForURL(url => !url.pathname.endsWith(id))
    await page.getByRole('button', { name: 'Approve outline' }).waitFor()
  })

  test('retries a failed generation, which goes on at the step that failed', async () => {
    respond = (request, count) =>
      partOf(request) === 'metadata' ? refusal(400, 'bad') : good(request, count)
    const id = await generate('cortado')
    const page = await dashboard.open(`/live/generations/${id}`)
    await page.getByText('Error', { exact: true }).waitFor()
    respond = good
    const before = llm.requests.length
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByText('Generation queued again').waitFor()
    await page.getByRole('link', { name: 'Open article' }).waitFor()
    expect(await page.getByRole('button', { name: 'Retry' }).count()).toBe(0)
    expect(llm.requests.slice(before).map(partOf)).toEqual(['metadata'])
    checkOffences(page)
  })

  test('counts the wait for an approval to the run that waited, also one that failed', async () => {
    respond = (request, count) =>
      partOf(request) === 'metadata' ? refusal(400, 'bad') : good(request, count)
    const { id: keyword_id } = await newKeyword('breve')
    const { id } = (await api.post('/generations', { keyword_id, review_outline: true })).body.data
    const page = await dashboard.open(`/live/generations/${id}`)
    await page.getByRole('button', { name: 'Approve outline' }).click()
    await page.getByText(/^Took .+, the review of the outline included\.$/).waitFor()
    respond = good
    await page.getByRole('button', { name: 'Retry' }).click()
    await page.getByRole('link', { name: 'Open article' }).waitFor()
    await page.getByText(/^Took [^,]+\.$/).waitFor()
    checkOffences(page)
  })

  test('says that the provider failed and is requested again', async () => {
    const seen = Promise.withResolvers<void>()
    respond = async (request, count) => {
      if (count === 1) return refusal(503, 'overloaded')
      await seen.promise
      return good(request, count)
    }
    llm.requests.length = 0
    const page = await dashboard.open(`/live/generations/${await generate('galao')}`)
    await page.getByText('The provider failed. Trying again.').waitFor()
    seen.resolve()
    await page.getByRole('link', { name: 'Open article' }).waitFor()
    expect(await page.getByText('Trying again.').count()).toBe(0)
    checkOffences(page)
  })

  test('shows that the quota is used up, and keeps the instructions', async () => {
    await dashboard.sql`UPDATE accounts SET monthly_generations = 0`
    const { id } = await newKeyword('doppio')
    const page = await dashboard.open(`/live/keywords/${id}`)
    await page.getByRole('button', { name: 'Generate article' }).click()
    await page.getByLabel('Instructions').fill('Do not lose me.')
    await page.getByRole('button', { name: 'Generate', exact: true }).click()
    await page.getByText('The plan allows 0 live generations').waitFor()
    expect(await page.getByLabel('Instructions').inputValue()).toBe('Do not lose me.')
    await look(page, 'generation-refused')
  })

  test('shows a viewer generations without buttons that start or cancel', async () => {
    const page = await dashboard.open('/live/generations', { role: 'viewer' })
    await page.getByRole('link', { name: 'lungo', exact: true }).first().click()
    await page.getByText('Request', { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: /Generate|Cancel/ }).count()).toBe(0)
  })
})
