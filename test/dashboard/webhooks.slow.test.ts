import { describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { readSample, runSample } from '../support/dashboard/code-samples'
import { checkOffences, look, shot, useDashboard } from '../support/dashboard/dashboard'
import { useReceiver } from '../support/receiver'
import { settled } from '../support/settled'
import { until } from '../support/until'
import { deliveriesOf, subscribe } from '../support/webhooks/webhooks'

/** The pages of webhooks. */

const HOSTILE =
  '<script>document.title = "run"</script><img src=x onerror="document.title=\'run\'">'

const receiver = useReceiver(
  () => new Response(HOSTILE, { headers: { 'content-type': 'text/html' } }),
)
const dashboard = await useDashboard({ serve: true, worker: true })
const live = await dashboard.client()

const more = async (page: Page, item: string) => {
  await page.getByRole('button', { name: 'More actions' }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

describe('Webhooks', () => {
  test('creates a webhook, shows its secret once, sends a test and shows its response automatically', async () => {
    const page = await dashboard.open('/live/webhooks')
    await page.getByText('No live webhooks yet').waitFor()
    await look(page, 'webhooks-empty')
    await page.getByRole('button', { name: 'Create webhook' }).first().click()
    await page.getByLabel('URL').fill('ftp://example.com')
    await page.getByLabel('Description').fill('The blog')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByText('Choose at least one event.').waitFor()
    await page.getByLabel('article.published').check()
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    // Errors are shown at their fields, and input is kept.
    await page.getByText('Enter a complete URL, such as https://example.com/hooks.').waitFor()
    expect(await page.getByLabel('Description').inputValue()).toBe('The blog')
    await look(page, 'webhooks-create')
    await page.getByLabel('URL').fill(`${receiver.url}/hook`)
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    const secret = (await page.getByLabel('secret', { exact: true }).textContent()) ?? ''
    expect(secret).toMatch(/^[0-9a-f]{64}$/)
    await shot(page, 'webhooks-secret')
    await page.getByRole('button', { name: 'I’ve saved it' }).click()

    await page.getByRole('heading', { level: 1, name: 'The blog' }).waitFor()
    expect(await page.content()).not.toContain(secret)
    await page.getByRole('button', { name: 'Send test' }).click()
    await page.getByText('Attempt 1', { exact: true }).waitFor()
    await page.getByText(HOSTILE).first().waitFor()
    expect(await page.title()).toBe('The blog · Arden')
    expect(receiver.received[0]?.headers['x-webhook-event']).toBe('generation.completed')
    await look(page, 'webhook-test')
    checkOffences(page)
  })

  test('subscribes to all events, shows both forms of the secret, and code that verifies deliveries', async () => {
    const page = await dashboard.open('/test/webhooks')
    await page.getByRole('button', { name: 'Create webhook' }).first().click()
    await page.getByLabel('URL').fill(`${receiver.url}/all`)
    await page.getByLabel('All events').check()
    expect(await page.getByLabel('article.deleted').isChecked()).toBe(true)
    expect(await page.getByLabel('article.deleted').isDisabled()).toBe(true)
    await look(page, 'webhooks-all-events')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    const hex = (await page.getByLabel('secret', { exact: true }).textContent()) ?? ''
    const secret =
      (await page.getByLabel('Standard Webhooks secret', { exact: true }).textContent()) ?? ''
    expect(atob(secret.replace('whsec_', ''))).toBe(hex)
    await look(page, 'webhooks-code')
    const [python, typescript, curl] = [
      await readSample(page, 'Python'),
      await readSample(page, 'TypeScript'),
      await readSample(page, 'curl'),
    ]
    await page.getByRole('button', { name: 'I’ve saved it' }).click()
    await page.getByText('All events', { exact: true }).waitFor()

    const before = receiver.received.length
    await page.getByRole('button', { name: 'Choose the event type' }).click()
    await page.getByRole('menuitem', { name: 'article.deleted' }).click()
    await page.getByText('Test delivery of article.deleted').waitFor()
    await until('the test arrives', () => receiver.received.length === before + 1)
    await runSample('curl', curl)
    expect(receiver.received.length).toBe(before + 2)
    for (const { body, headers } of receiver.received.slice(before)) {
      const env = { WEBHOOK_SECRET: secret, BODY: body, HEADERS: JSON.stringify(headers) }
      const read = [
        await runSample(
          'TypeScript',
          `${typescript}
console.log(JSON.stringify(readEvent(process.env.BODY, JSON.parse(process.env.HEADERS))))`,
          env,
        ),
        await runSample(
          'Python',
          `${python}
print(json.dumps(read_event(os.environ["BODY"].encode(), json.loads(os.environ["HEADERS"]))))`,
          env,
        ),
      ]
      for (const event of read) expect(JSON.parse(event)).toEqual(JSON.parse(body))
      const code = `${python}\nread_event(os.environ["BODY"].encode(), json.loads(os.environ["HEADERS"]))`
      // A receiver that catches the error for one forged request responds with 401 to each of these.
      for (const forged of [
        { BODY: `${body} ` },
        { HEADERS: '{}' },
        { HEADERS: JSON.stringify({ ...headers, 'webhook-signature': 'v1,é' }) },
      ])
        expect(await settled(runSample('Python', code, { ...env, ...forged }))).toThrow(
          'ValueError: Arden did not send this request.',
        )
    }
  }, 120_000)

  test('chooses among all event types again', async () => {
    const hook = await subscribe(live, `${receiver.url}/some`, ['*'])
    const page = await dashboard.open(`/live/webhooks/${hook.id}`)
    await more(page, 'Edit')
    await page.getByLabel('All events').uncheck()
    await page.getByLabel('keyword.ranked').uncheck()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Webhook updated').waitFor()
    const { events } = (await live.get(`/webhooks/${hook.id}`)).body.data
    expect(events).toHaveLength(8)
    expect(events).not.toContain('keyword.ranked')
    await live.delete(`/webhooks/${hook.id}`)
  })

  test('says that a webhook gets all events, whatever types are named beside them', async () => {
    const hook = await subscribe(live, `${receiver.url}/all-and-one`, ['*', 'article.created'])
    const page = await dashboard.open('/live/webhooks')
    const row = page.getByRole('row').filter({ hasText: '/all-and-one' })
    await row.getByText('All events', { exact: true }).waitFor()
    await row.getByRole('link').click()
    await page.getByText('All events', { exact: true }).waitFor()
    expect(await page.getByText('article.created', { exact: true }).count()).toBe(0)
    await live.delete(`/webhooks/${hook.id}`)
  })

  test('an open question to disable stays one when another user disables the webhook first', async () => {
    const hook = await subscribe(live, `${receiver.url}/both`)
    const page = await dashboard.open(`/live/webhooks/${hook.id}`)
    await more(page, 'Disable')
    const question = page.getByRole('alertdialog')
    await question.getByRole('button', { name: 'Disable' }).waitFor()
    await live.patch(`/webhooks/${hook.id}`, { enabled: false })
    await page.getByText('Disabled', { exact: true }).first().waitFor()
    await question.getByRole('button', { name: 'Disable' }).click()
    await question.waitFor({ state: 'detached' })
    expect((await live.get(`/webhooks/${hook.id}`)).body.data.enabled).toBe(false)
    await live.delete(`/webhooks/${hook.id}`)
  })

  test('the page of a webhook that is deleted elsewhere says so, and offers nothing to do with it', async () => {
    const { id } = await subscribe(live, receiver.url)
    const page = await dashboard.open(`/live/webhooks/${id}`)
    await page.getByRole('button', { name: 'Send test' }).waitFor()
    await live.delete(`/webhooks/${id}`)
    await page.getByText('It was deleted.').waitFor()
    expect(await page.getByRole('button', { name: 'Send test' }).count()).toBe(0)
    expect(await page.getByRole('button', { name: 'More actions' }).count()).toBe(0)
    await page.getByRole('link', { name: 'Webhooks' }).last().waitFor()
  })

  test('changes, disables, enables, pauses, resumes and deletes a webhook', async () => {
    const hook = await subscribe(live, `${receiver.url}/life`)
    const record = async () => (await live.get(`/webhooks/${hook.id}`)).body.data
    const page = await dashboard.open(`/live/webhooks/${hook.id}`)
    await more(page, 'Edit')
    await page.getByLabel('Description').fill('Imports')
    await page.getByLabel('article.deleted').check()
    await page.getByLabel('Deliver in order').check()
    for (const [n, name] of ['Host', 'X-Team'].entries()) {
      await page.getByRole('button', { name: 'Add header' }).click()
      await page.getByLabel(`Name of header ${n + 1}`).fill(name)
      await page.getByLabel(`Value of header ${n + 1}`).fill('t0ken')
    }
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Host is set by Arden or by the connection').waitFor()
    await page.getByRole('button', { name: 'Remove header Host' }).click()
    await look(page, 'webhook-headers')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Webhook updated').waitFor()
    await page.getByText('X-Team', { exact: true }).waitFor()
    expect(await page.content()).not.toContain('t0ken')
    expect((await record()).headers).toEqual({ 'X-Team': '********' })
    await more(page, 'Edit')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Webhook updated').first().waitFor()
    expect((await record()).headers).toEqual({ 'X-Team': '********' })
    await more(page, 'Edit')
    await page.getByRole('button', { name: 'Remove header X-Team' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await until('it is removed', async () => Object.keys((await record()).headers).length === 0)
    await page.getByText('In order, one at a time').waitFor()
    expect(await record()).toMatchObject({
      description: 'Imports',
      ordered: true,
      events: ['article.created', 'article.deleted'],
    })

    await more(page, 'Disable')
    expect(await page.getByRole('alertdialog').textContent()).toContain(
      'New and waiting deliveries fail',
    )
    await look(page, 'webhook-disable')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Disable' }).click()
    await page.getByText('Disabled in the dashboard.').waitFor()
    expect((await record()).enabled).toBe(false)
    await more(page, 'Enable')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Enable' }).click()
    await page.getByText('Enabled', { exact: true }).waitFor()

    await page.getByRole('button', { name: /^Pause/ }).click()
    await page.getByText('Paused', { exact: true }).waitFor()
    expect((await record()).paused).toBe(true)
    await look(page, 'webhook-paused')
    await page.getByRole('button', { name: /^Resume/ }).click()
    await page.getByText('Paused', { exact: true }).waitFor({ state: 'detached' })
    expect((await record()).paused).toBe(false)

    await more(page, 'Delete')
    expect(await page.getByRole('alertdialog').textContent()).toContain('receives no more events')
    await page.getByRole('button', { name: 'Delete permanently' }).click()
    await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor()
    expect((await live.get(`/webhooks/${hook.id}`)).status).toBe(404)
    await look(page, 'webhooks')
  }, 120_000)

  test('rotates the secret with an overlap, and shows when it ends', async () => {
    const hook = await subscribe(live, `${receiver.url}/rotated`)
    const page = await dashboard.open(`/live/webhooks/${hook.id}`)
    await more(page, 'Rotate secret')
    await page.getByLabel('Keep the current secret valid for').selectOption('1 day')
    await look(page, 'webhook-rotate')
    await page.getByRole('button', { name: 'Rotate', exact: true }).click()
    expect(await page.getByLabel('secret', { exact: true }).textContent()).toMatch(/^[0-9a-f]{64}$/)
    await page.getByRole('button', { name: 'I’ve saved it' }).click()
    await page.getByText(/Earlier secrets are valid until/).waitFor()
    await page.getByRole('button', { name: 'Send test' }).click()
    await until('the test was delivered', async () => {
      const [sent] = await deliveriesOf(live, hook)
      return sent?.status === 'DELIVERED'
    })
    const sent = receiver.received.find(({ path }) => path === '/rotated')
    expect(sent?.headers['webhook-signature']?.split(' ')).toHaveLength(2)
  })

  test('shows a readable error when a change gets no response, and keeps the input', async () => {
    const page = await dashboard.open('/live/webhooks')
    await page.getByRole('button', { name: 'Create webhook' }).first().click()
    await page.getByLabel('URL').fill(`${receiver.url}/late`)
    await page.getByLabel('article.created').check()
    await page.route('**/v1/webhooks', route => route.abort())
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByText('The server did not respond.').waitFor()
    expect(await page.getByLabel('URL').inputValue()).toBe(`${receiver.url}/late`)
    await page.unroute('**/v1/webhooks')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    await page.getByLabel('secret', { exact: true }).waitFor()
  })

  test('shows a viewer the webhooks without buttons that change them', async () => {
    const hook = await subscribe(live, `${receiver.url}/seen`)
    const page = await dashboard.open('/live/webhooks', { role: 'viewer' })
    await page.getByRole('link', { name: `${receiver.url}/seen` }).waitFor()
    expect(await page.getByRole('button', { name: 'Create webhook' }).count()).toBe(0)
    await page.goto(`${dashboard.url}/dashboard/live/webhooks/${hook.id}`)
    await page.getByText('article.created').waitFor()
    for (const name of ['Send test', 'More actions', /^Pause/])
      expect(await page.getByRole('button', { name }).count()).toBe(0)
  })
})
