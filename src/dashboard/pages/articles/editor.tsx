import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import type { Article } from '../../../content/articles/schema'
import { query } from '../api/client'
import { isPublishedMeanwhile } from '../drafts/draft'
import { useDraft } from '../drafts/use-draft'
import { EventsAbout } from '../events/about'
import { StartGeneration } from '../generations/start'
import { Status } from '../kit/controls/badge'
import { Button } from '../kit/controls/button'
import { Code } from '../kit/controls/copy'
import { useDownload } from '../kit/controls/download'
import { toast } from '../kit/controls/toast'
import { useLeaveGuard } from '../kit/dialogs/leave-guard'
import { isDialogOpen } from '../kit/dialogs/open'
import { Form } from '../kit/forms/form'
import { Frame } from '../kit/layout/page'
import { Problem } from '../kit/layout/problem'
import { isShortcut } from '../kit/shortcut'
import { useMode } from '../mode'
import { ProjectLink } from '../project-picker/link'
import { ArticleChecks } from './checks'
import { CompareConflict } from './compare-conflict'
import { DeleteArticle } from './delete'
import { Discard } from './discard'
import { EditorFields } from './fields'
import { HistoryLink } from './history/link'
import { ArticleMenu } from './menu'
import { Conflict, PublishedMeanwhile, Restored, SaveState } from './notices'
import { usePrinting } from './printing'
import { PublishButton } from './publish'
import { SavePublic } from './save-public'
import { ScheduleArticle } from './schedule'
import { PublicationTimes } from './times'
import { type Publication, useSave } from './use-save'
import { WrittenAnew } from './written-anew'

type Props = { article: Article; back: ReactNode; error: Error | null; onDeleted: () => void }

/** The editor of an article. */
export const Editor = ({ article, back, error, onDeleted }: Props) => {
  const mode = useMode()
  const navigate = useNavigate()
  const draft = useDraft(article)
  const save = useSave(article, draft.onSaved)
  const [, download] = useDownload(mode)
  const leave = useLeaveGuard(
    draft.isDirty,
    'Your changes are not saved. This tab keeps them and restores them when you open the article again.',
  )
  const [dialog, setDialog] = useState<
    'compare' | 'discard' | 'delete' | 'schedule' | 'anew' | 'public' | 'public-anew'
  >()
  const done = () => setDialog(undefined)
  // Not in place of another dialog: it can come late, after a save whose response was lost.
  const writeAnew = () => setDialog(open => open ?? 'anew')
  // The dialog shows errors of its own save alone, and the editor none of those afterwards.
  const openSchedule = () => {
    save.reset()
    setDialog('schedule')
  }
  const closeSchedule = () => {
    save.reset()
    done()
  }
  const isPrinting = usePrinting()
  const saveError = dialog === 'schedule' ? null : save.error

  const send = (changes: Publication = {}, onDone = () => {}, isPublicIntended = false) => {
    const isChanged = Object.keys(changes).length > 0
    if ((!isChanged && !draft.isDirty) || save.isPending) return
    const then = (changed: Article) => {
      toast({ title: savedTitle(article, changed) })
      onDone()
    }
    save.send({ draft: draft.current, changes, isPublicIntended, then })
  }
  // Not of the save that publishes it.
  const isPublic = !save.isPending && isPublishedMeanwhile(draft.current, article)
  const saveDraft = () => (isPublic ? setDialog('public') : send())
  useSaveKey(saveDraft)
  const saveAndWriteAnew = () => {
    if (isPublic) setDialog('public-anew')
    else if (draft.isDirty) send({}, writeAnew)
    else writeAnew()
  }
  return (
    <Frame
      // The saved one, but on paper: text that changes with each key ends a step of the browser's undo.
      title={(isPrinting ? draft.fields.title : article.title) || 'Untitled'}
      back={back}
      about={
        <span className="mt-1 flex flex-wrap items-center gap-2">
          <Status of={article.status} />
          <ProjectLink id={article.project_id} />
          <PublicationTimes of={article} />
          <HistoryLink of={article} />
          <Code>{article.id}</Code>
        </span>
      }
      actions={
        <>
          <PublishButton
            of={article}
            isDirty={draft.isDirty}
            isSaving={save.isPending}
            onPress={status => send({ status })}
          />
          <ArticleMenu
            of={article}
            isDirty={draft.isDirty}
            onWriteAnew={saveAndWriteAnew}
            onSchedule={openSchedule}
            onCancelSchedule={() => send({ scheduled_at: null })}
            onExport={format => download(`/v1/articles/${article.id}/export${query({ format })}`)}
            onDelete={() => setDialog('delete')}
          />
        </>
      }
    >
      <div className="print:hidden">
        <Problem error={error} className="mb-4" />
        <WrittenAnew of={article} />
        {draft.isRestored && <Restored />}
        {isPublic && <PublishedMeanwhile />}
        {draft.conflicts.length > 0 && (
          <Conflict
            names={draft.conflicts}
            saved={article}
            onCompare={() => setDialog('compare')}
            onTakeTheirs={() => setDialog('discard')}
          />
        )}
      </div>
      <Form
        error={saveError}
        onSubmit={saveDraft}
        actions={problem => (
          <div className="sticky bottom-0 z-10 -mx-4 flex flex-wrap items-center justify-end gap-2 border-t border-line bg-bg px-4 py-3 print:hidden">
            {problem}
            <SaveState
              isDirty={draft.isDirty}
              isPublishedMeanwhile={isPublic}
              conflicts={draft.conflicts}
              error={saveError}
            />
            {draft.isDirty && (
              <Button variant="quiet" onClick={() => setDialog('discard')}>
                Discard changes
              </Button>
            )}
            <Button
              type="submit"
              variant="primary"
              busy={save.isPending}
              disabled={!draft.isDirty}
              title="Ctrl+S"
            >
              Save
            </Button>
          </div>
        )}
      >
        <EditorFields projectId={article.project_id} fields={draft.fields} onChange={draft.set} />
      </Form>
      <div className="mt-6 space-y-4 print:hidden">
        <ArticleChecks of={article} isDirty={draft.isDirty} />
        <EventsAbout id={article.id} />
      </div>
      {leave.question}
      {dialog === 'compare' && (
        <CompareConflict of={article} fields={draft.fields} onClose={done} />
      )}
      {(dialog === 'public' || dialog === 'public-anew') && (
        <SavePublic
          onClose={done}
          onSave={() => send({}, dialog === 'public-anew' ? writeAnew : undefined, true)}
        />
      )}
      {dialog === 'discard' && <Discard onClose={done} onDiscard={draft.discard} />}
      {dialog === 'schedule' && (
        <ScheduleArticle
          of={article}
          change={save}
          onSchedule={scheduled_at => send({ scheduled_at }, done)}
          onClose={closeSchedule}
        />
      )}
      {dialog === 'anew' && <StartGeneration article={article} onClose={done} />}
      {dialog === 'delete' && (
        <DeleteArticle
          of={article}
          onClose={done}
          onDeleted={() => {
            draft.discard()
            leave.allow()
            onDeleted()
            navigate({ to: '/$mode/articles', params: { mode } })
          }}
        />
      )}
    </Frame>
  )
}

/** Calls `save` at Ctrl+S, wherever the focus is: after a reload it is on no field. Not while a dialog is open. */
const useSaveKey = (save: () => void) =>
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (!isShortcut(event, 's')) return
      event.preventDefault()
      if (!isDialogOpen()) save()
    }
    addEventListener('keydown', onKeyDown)
    return () => removeEventListener('keydown', onKeyDown)
  })

const savedTitle = (before: Article, { status, scheduled_at }: Article): string => {
  if (status !== before.status) return status === 'PUBLISHED' ? 'Published' : 'Unpublished'
  if (scheduled_at === before.scheduled_at) return 'Saved'
  return scheduled_at === null ? 'Schedule cancelled' : 'Scheduled'
}
