import { describe, expect, test } from 'bun:test'
import { bodyOf, useArticlePages } from '../support/dashboard/articles'
import { look, openPersonMenu } from '../support/dashboard/dashboard'
import { waitUntilInView } from '../support/dashboard/in-view'
import { sessionToken } from '../support/http/person'
import { until } from '../support/until'

/** Unsaved changes of an article are kept whatever happens. */

const pages = await useArticlePages()

/** Types into a new article, and leaves its page, at `address`, without saving. */
const leaveUnsaved = async (text: string) => {
  const id = await pages.newArticle('Left')
  const page = await pages.open(id)
  const address = page.url()
  await bodyOf(page).fill(text)
  await page.getByRole('link', { name: 'Generations' }).click()
  await page.getByRole('button', { name: 'Leave' }).click()
  await page.getByRole('heading', { name: 'Generations' }).waitFor()
  return { id, page, address }
}

describe('the editor keeps unsaved changes', () => {
  test('when a save is rejected or gets no response, and saves on retry', async () => {
    const id = await pages.newArticle('Kept')
    const page = await pages.open(id)
    await bodyOf(page).fill('Long thought about')
    await page.getByLabel('Slug').fill('Not A Slug')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('Use letters and digits, separated by hyphens').waitFor()
    expect(await bodyOf(page).inputValue()).toBe('Long thought about')
    await look(page, 'article-refused')
    await page.getByLabel('Slug').fill('kept')

    await page.route('**/v1/articles/*', route =>
      route.request().method() === 'PATCH' ? route.abort() : route.continue(),
    )
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await waitUntilInView(page.getByText('The server did not respond.'))
    await page.setViewportSize({ width: 390, height: 844 })
    await waitUntilInView(page.getByText('The server did not respond.'))
    await page.setViewportSize({ width: 1440, height: 900 })
    expect(await bodyOf(page).inputValue()).toBe('Long thought about')
    await page.unroute('**/v1/articles/*')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('All changes saved').waitFor()
    expect((await pages.article(id)).body).toBe('Long thought about')
  })

  test('when only the response to a publication is lost, and does not ask to try again', async () => {
    const id = await pages.newArticle('Published')
    const page = await pages.open(id)
    await page.route('**/v1/articles/*', async route => {
      if (route.request().method() === 'PATCH') await route.fetch()
      return route.request().method() === 'PATCH' ? route.abort() : route.continue()
    })
    await page.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByRole('button', { name: 'Unpublish', exact: true }).waitFor()
    await page.getByText('The server did not respond.').waitFor({ state: 'detached' })
    await page.unroute('**/v1/articles/*')
    expect((await pages.article(id)).status).toBe('PUBLISHED')
  })

  test('when a save by the keyboard is rejected, and names the field, which is out of view', async () => {
    const page = await pages.open(await pages.newArticle('Scrolled'))
    await page.getByLabel('Slug').fill('Not A Slug')
    await page.setViewportSize({ width: 390, height: 844 })
    await bodyOf(page).scrollIntoViewIfNeeded()
    await bodyOf(page).press('Control+s')
    await waitUntilInView(page.getByText('Not saved. Correct the slug.'))
    await page.getByLabel('Slug').fill('scrolled')
    await bodyOf(page).press('Control+s')
    await page.getByText('All changes saved').waitFor()
  })

  test('when they are too long to save, and says so', async () => {
    const id = await pages.newArticle('Long')
    const page = await pages.open(id)
    await bodyOf(page).fill('word '.repeat(220_000))
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page
      .getByText('This is too much text: one request takes about a million characters')
      .waitFor()
    await bodyOf(page).fill('word')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('All changes saved').waitFor()
    expect((await pages.article(id)).body).toBe('word')
  })

  test('when the user leaves, after a confirmation, and restores them later', async () => {
    const id = await pages.newArticle('Left')
    const page = await pages.open(id)
    await bodyOf(page).fill('Half a sentence')
    await page.getByRole('link', { name: 'Projects' }).click()
    const question = page.getByRole('alertdialog', { name: 'Leave without saving?' })
    await question.waitFor()
    await look(page, 'article-leave')
    await question.getByRole('button', { name: 'Cancel' }).click()
    expect(await bodyOf(page).inputValue()).toBe('Half a sentence')
    await page.getByRole('link', { name: 'Projects' }).click()
    await question.getByRole('button', { name: 'Leave' }).click()
    await page.getByRole('heading', { name: 'Projects' }).waitFor()

    await page.goBack()
    await page.getByText('Your unsaved changes were restored.').waitFor()
    expect(await bodyOf(page).inputValue()).toBe('Half a sentence')
    await look(page, 'article-restored')
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await page.getByRole('button', { name: 'Discard', exact: true }).click()
    expect(await bodyOf(page).inputValue()).toBe('')
    await page.reload()
    await bodyOf(page).waitFor()
    expect(await bodyOf(page).inputValue()).toBe('')
  })

  test('when the page is closed or reloaded, after a confirmation of the browser', async () => {
    const id = await pages.newArticle('Reloaded')
    const page = await pages.open(id)
    await bodyOf(page).fill('Almost gone')
    const confirmation = new Promise<string>(resolve =>
      page.once('dialog', async dialog => {
        resolve(dialog.type())
        await dialog.accept()
      }),
    )
    await page.reload()
    expect(await confirmation).toBe('beforeunload')
    await bodyOf(page).waitFor()
    expect(await bodyOf(page).inputValue()).toBe('Almost gone')
  })

  test('when the tab crashes, and restores them where the article is opened again', async () => {
    const id = await pages.newArticle('Crashed')
    const page = await pages.open(id)
    await bodyOf(page).fill('Typed in a train')
    const open = async () => {
      const other = await page.context().newPage()
      await other.goto(page.url())
      await bodyOf(other).waitFor()
      return other
    }
    // The first tab is still there, and keeps them.
    const beside = await open()
    expect(await bodyOf(beside).inputValue()).toBe('')
    const crashed = page.waitForEvent('crash')
    const devTools = await page.context().newCDPSession(page)
    devTools.send('Page.crash').catch(() => {}) // It has no response.
    await crashed
    // Neither does a tab take them over that has the article open already: it would not show them.
    await beside.setViewportSize({ width: 390, height: 844 })
    await beside.getByRole('button', { name: 'Preview' }).click()
    await beside.waitForURL(/view=preview/)
    const next = await open()
    await next.getByText('Your unsaved changes were restored.').waitFor()
    expect(await bodyOf(next).inputValue()).toBe('Typed in a train')
    await next.getByRole('button', { name: 'Save', exact: true }).click()
    await next.getByText('All changes saved').waitFor()
    expect((await pages.article(id)).body).toBe('Typed in a train')
    expect(await next.evaluate('Object.keys(localStorage).join()')).not.toContain('draft')
  })

  test('when the article changes elsewhere, and applies changes of the other fields', async () => {
    const id = await pages.newArticle('From elsewhere', 'First')
    const page = await pages.open(id)
    await bodyOf(page).fill('Mine')
    await until('the new title is there', async () => {
      await pages.api.patch(`/articles/${id}`, { title: 'Their title', body: 'Theirs' })
      return (await page.getByLabel('Title', { exact: true }).inputValue()) === 'Their title'
    })
    expect(await bodyOf(page).inputValue()).toBe('Mine')
    await page.getByText('While you were editing, the body changed').waitFor()
    await look(page, 'article-conflict')
    await page.getByRole('button', { name: 'Compare' }).click()
    const compare = page.getByRole('dialog', { name: 'The saved version and yours' })
    expect(await compare.locator('del').allInnerTexts()).toEqual(['Theirs'])
    expect(await compare.locator('ins').allInnerTexts()).toEqual(['Mine'])
    await look(page, 'article-compare')
    await compare.getByRole('button', { name: 'Close' }).last().click()
    await page.getByRole('button', { name: 'Discard my changes' }).click()
    await page.getByRole('button', { name: 'Discard', exact: true }).click()
    expect(await bodyOf(page).inputValue()).toBe('Theirs')
  })

  test('when it changes in another tab of the same user, whose text stays a version', async () => {
    const id = await pages.newArticle('Two tabs', 'First')
    const [mine, other] = [await pages.open(id), await pages.open(id)]
    await bodyOf(mine).fill('Mine')
    await bodyOf(other).fill('Saved in the other tab')
    await other.getByRole('button', { name: 'Save', exact: true }).click()
    await mine.getByText('While you were editing, the body changed').waitFor()
    await mine.getByRole('button', { name: 'Save', exact: true }).click()
    await until('it is saved', async () => (await pages.article(id)).body === 'Mine')
    const { body } = await pages.api.get(`/articles/${id}/versions/2`)
    expect(body.data.body).toBe('Saved in the other tab')
  })

  test('when its slug changes elsewhere too, and names the saved one', async () => {
    const id = await pages.newArticle('Two slugs')
    const page = await pages.open(id)
    await page.getByLabel('Slug').fill('mine')
    await pages.api.patch(`/articles/${id}`, { slug: 'theirs' })
    await page.getByText('The saved slug is theirs.').waitFor()
    expect(await page.getByLabel('Slug').inputValue()).toBe('mine')
  })

  test('when the page did not see the newer version, and shows what both changed', async () => {
    const id = await pages.newArticle('Stale', 'First')
    const page = await pages.open(id)
    await page.route('**/dashboard/api/stream**', route => route.abort())
    await page.reload()
    await bodyOf(page).fill('Mine')
    await pages.api.patch(`/articles/${id}`, { body: 'Theirs' })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('While you were editing, the body changed').waitFor()
    expect((await pages.article(id)).body).toBe('Theirs')
    expect(await bodyOf(page).inputValue()).toBe('Mine')
    await look(page, 'article-outdated')
    // The notice is out of view beside the text on a phone.
    await page.setViewportSize({ width: 390, height: 844 })
    await bodyOf(page).press('End')
    await bodyOf(page).scrollIntoViewIfNeeded()
    await waitUntilInView(page.getByText('The body changed elsewhere, too.'))
    await page.setViewportSize({ width: 1440, height: 900 })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('All changes saved').waitFor()
    expect((await pages.article(id)).body).toBe('Mine')
  })

  test('when the page did not see the newer version, and merges what only one changed', async () => {
    const id = await pages.newArticle('Stale too', 'First')
    const page = await pages.open(id)
    await page.route('**/dashboard/api/stream**', route => route.abort())
    await page.reload()
    await bodyOf(page).fill('Mine')
    await pages.api.patch(`/articles/${id}`, { title: 'Their title' })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('All changes saved').waitFor()
    expect(await pages.article(id)).toMatchObject({ title: 'Their title', body: 'Mine' })
    expect(await page.getByLabel('Title', { exact: true }).inputValue()).toBe('Their title')
  })

  test('when the session ends, and restores them after sign-in', async () => {
    const id = await pages.newArticle('Signed out')
    const page = await pages.open(id)
    await bodyOf(page).fill('Written late')
    const cookies = await page.context().cookies()
    await page.context().clearCookies()
    const questions: string[] = []
    page.on('dialog', dialog => {
      questions.push(dialog.type())
      return dialog.accept()
    })
    await pages.api.patch(`/articles/${id}`, { title: 'Changed elsewhere' })
    await page.getByText('Your unsaved changes are kept in this tab.').waitFor()
    await look(page, 'sign-in-ended')
    await page.context().addCookies(cookies)
    await page.goto(`${pages.dashboard.url}/dashboard/live/articles/${id}`)
    await page.getByText('Your unsaved changes were restored.').waitFor()
    expect(await bodyOf(page).inputValue()).toBe('Written late')
    // Once, whichever number of queries failed.
    expect(questions).toEqual(['beforeunload'])
  })

  test('when the session has ended before a save, and opens the sign-in page', async () => {
    const id = await pages.newArticle('Signed out elsewhere')
    const page = await pages.open(id)
    await bodyOf(page).fill('Written later')
    // Refuses this request alone: another one would open the sign-in page as well.
    await page.route('**/v1/articles/*', route =>
      route.request().method() === 'PATCH'
        ? route.fulfill({ status: 401, json: { error: 'UNAUTHORIZED', message: 'Sign in.' } })
        : route.continue(),
    )
    page.on('dialog', dialog => dialog.accept())
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.waitForURL('**/sign-in?to=*')
    await page.goto(`${pages.dashboard.url}/dashboard/live/articles/${id}`)
    await page.getByText('Your unsaved changes were restored.').waitFor()
    expect(await bodyOf(page).inputValue()).toBe('Written later')
  })

  test('when the session ends and the user stays on the page, which then has a way to sign in', async () => {
    const id = await pages.newArticle('Stayed')
    const page = await pages.open(id)
    await bodyOf(page).fill('Not to be lost')
    const cookies = await page.context().cookies()
    await page.context().clearCookies()
    let answer: 'dismiss' | 'accept' = 'dismiss'
    page.on('dialog', dialog => dialog[answer]())
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const signIn = page.getByRole('alert').getByRole('button', { name: 'Sign in' })
    await signIn.waitFor()
    expect(await bodyOf(page).inputValue()).toBe('Not to be lost')
    // A page that is opened afterwards has it, too, in place of a retry that cannot succeed.
    await page.getByRole('link', { name: 'Projects' }).click()
    await page.getByRole('button', { name: 'Leave' }).click()
    await signIn.waitFor()
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
    answer = 'accept'
    await signIn.click()
    await page.waitForURL('**/sign-in?to=*')
    await page.context().addCookies(cookies)
    await page.goto(`${pages.dashboard.url}/dashboard/live/articles/${id}`)
    await page.getByText('Your unsaved changes were restored.').waitFor()
  })

  test('when the session ends, and shows them to no other user who signs in in the tab', async () => {
    const id = await pages.newArticle('Of another user')
    const page = await pages.open(id)
    await bodyOf(page).fill('Not for others')
    await until('it is stored', async () => (await page.evaluate('sessionStorage.length')) === 2)
    const [cookie] = await page.context().cookies()
    if (cookie === undefined) throw new Error('there is no session')
    const value = await sessionToken(pages.dashboard, 'member', 'other@example.com')
    await page.context().addCookies([{ ...cookie, value }])
    page.on('dialog', dialog => dialog.accept())
    await page.goto(`${pages.dashboard.url}/dashboard/live/articles/${id}`)
    await page.getByText('All changes saved').waitFor()
    expect(await bodyOf(page).inputValue()).toBe('')
    expect(await page.content()).not.toContain('Not for others')
  })

  test('when the role of the user no longer allows changes, to be copied', async () => {
    const id = await pages.newArticle('Demoted', 'Before')
    const page = await pages.dashboard.open(`/live/articles/${id}`, {
      role: 'member',
      email: 'demoted@example.com',
    })
    await bodyOf(page).fill('Rescue this')
    await pages.dashboard.sql`UPDATE people SET role = 'viewer' WHERE email = 'demoted@example.com'`
    await page.getByText('Your role no longer lets you change articles').waitFor()
    const unsaved = page.getByLabel('Body (Markdown), not saved')
    expect(await unsaved.inputValue()).toBe('Rescue this')
    expect(await unsaved.isEditable()).toBe(false)
    await look(page, 'article-demoted')
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await unsaved.waitFor({ state: 'detached' })
  })

  test('until sign-out, after a confirmation, and removes them for the next user of the tab', async () => {
    const id = await pages.newArticle('Signed off')
    const page = await pages.open(id)
    await bodyOf(page).fill('Not for others')
    const signOut = async () => {
      await openPersonMenu(page)
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
    }
    await signOut()
    const question = page.getByRole('alertdialog', { name: 'Sign out without saving?' })
    await page.route('**/me/sign-out', route => route.abort())
    await question.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('Not signed out').waitFor()
    await question.getByRole('button', { name: 'Cancel' }).click()
    await look(page, 'toast-error')
    expect(await bodyOf(page).inputValue()).toBe('Not for others')
    await page.unroute('**/me/sign-out')
    await signOut()
    await question.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    expect(await page.evaluate('sessionStorage.length')).toBe(0)
  })

  test('when the article is deleted elsewhere', async () => {
    const id = await pages.newArticle('Deleted under it')
    const { data: keyword } = (
      await pages.api.post(`/projects/${pages.project}/keywords`, { keyword: 'rescued' })
    ).body
    await pages.api.patch(`/articles/${id}`, { slug: 'my-address', keyword_id: keyword.id })
    const page = await pages.open(id)
    await bodyOf(page).fill('Rescue me')
    await pages.api.delete(`/articles/${id}`)
    await page.getByText('This article was deleted. Copy its text').waitFor()
    expect(await bodyOf(page).inputValue()).toBe('Rescue me')
    expect(await bodyOf(page).isEditable()).toBe(false)
    await look(page, 'article-deleted-elsewhere')
    await page.getByRole('link', { name: 'Generations' }).click()
    const question = page.getByRole('alertdialog', { name: 'Leave without saving?' })
    await question.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Save as new draft' }).click()
    await page.getByText('All changes saved').waitFor()
    expect(page.url()).not.toContain(id)
    expect(await bodyOf(page).inputValue()).toBe('Rescue me')
    expect(await page.getByLabel('Slug').inputValue()).toBe('my-address')
    expect(await page.getByLabel('Keyword').inputValue()).toBe(keyword.id)
  })

  test('when the article is deleted elsewhere, and its page is loaded anew', async () => {
    const { id, page, address } = await leaveUnsaved('Rescue me')
    await pages.api.delete(`/articles/${id}`)
    await page.goto(address)
    await page.getByText('This article was deleted. Copy its text').waitFor()
    expect(await bodyOf(page).inputValue()).toBe('Rescue me')
    await page.getByRole('button', { name: 'Save as new draft' }).click()
    await page.getByText('All changes saved').waitFor()
    expect(await bodyOf(page).inputValue()).toBe('Rescue me')

    await page.goto(address)
    await page.getByText(`No article with the id ${id} exists here`).waitFor()
  })

  test('when the article is deleted elsewhere and its page loaded anew, until they are discarded', async () => {
    const { id, page, address } = await leaveUnsaved('Not wanted')
    // Not a deletion: a proxy has it.
    await page.route(`**/v1/articles/${id}`, route => route.fulfill({ status: 404, body: 'none' }))
    await page.goto(address)
    await page.getByText('A proxy may have responded').waitFor()
    expect(await page.getByText('This article was deleted').count()).toBe(0)
    await page.unroute(`**/v1/articles/${id}`)
    await pages.api.delete(`/articles/${id}`)
    await page.goto(address)
    await page.getByRole('button', { name: 'Discard changes' }).click()
    await page.getByRole('heading', { name: 'Articles' }).waitFor()
    await page.goto(address)
    await page.getByText(`No article with the id ${id} exists here`).waitFor()
  })

  test('when the article and its keyword are deleted, and its slug is wrong: the text is saved', async () => {
    const id = await pages.newArticle('Deleted with its keyword')
    const { data: keyword } = (
      await pages.api.post(`/projects/${pages.project}/keywords`, { keyword: 'deleted as well' })
    ).body
    await pages.api.patch(`/articles/${id}`, { keyword_id: keyword.id })
    const page = await pages.open(id)
    await page.getByLabel('Slug').fill('Not A Slug')
    await bodyOf(page).fill('Rescue me')
    await pages.api.delete(`/articles/${id}`)
    await pages.api.delete(`/keywords/${keyword.id}`)
    await page.getByRole('button', { name: 'Save as new draft' }).click()
    await page.getByText('Check its slug and its keyword').waitFor()
    expect(await bodyOf(page).inputValue()).toBe('Rescue me')
    expect(await page.getByLabel('Slug').inputValue()).toBe('deleted-with-its-keyword')
  })

  test('when the article is deleted with its project, to be copied', async () => {
    const project = (await pages.api.post('/projects', { name: 'Short-lived' })).body.data.id
    const article = { project_id: project, title: 'Deleted with it' }
    const { id } = (await pages.api.post('/articles', article)).body.data
    const page = await pages.open(id)
    await bodyOf(page).fill('Rescue me')
    await page.getByLabel('Slug').fill('rescued')
    await page.getByLabel('Meta description').fill('Me too')
    await pages.api.delete(`/projects/${project}`)
    for (const loadAnew of [false, true]) {
      if (loadAnew) await page.reload()
      await page.getByText('This article was deleted with its project').waitFor()
      expect(await page.getByRole('button', { name: 'Save as new draft' }).count()).toBe(0)
      expect(await bodyOf(page).inputValue()).toBe('Rescue me')
      expect(await page.getByLabel('Title').inputValue()).toBe('Deleted with it')
      expect(await page.getByLabel('Slug').inputValue()).toBe('rescued')
      expect(await page.getByLabel('Meta description').inputValue()).toBe('Me too')
    }
  })

  test('that are typed while a save is running', async () => {
    const id = await pages.newArticle('Typed on')
    const page = await pages.open(id)
    await bodyOf(page).fill('One')
    const held = Promise.withResolvers<void>()
    await page.route('**/v1/articles/*', async route => {
      if (route.request().method() === 'PATCH') await held.promise
      await route.continue()
    })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await bodyOf(page).fill('One and two')
    held.resolve()
    await until('the first is saved', async () => (await pages.article(id)).body === 'One')
    await page.getByText('Saved', { exact: true }).first().waitFor()
    expect(await bodyOf(page).inputValue()).toBe('One and two')
    await page.getByText('Unsaved changes', { exact: true }).waitFor()
  })
})
