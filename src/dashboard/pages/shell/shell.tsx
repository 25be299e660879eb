import { Dialog } from '@base-ui/react/dialog'
import { Outlet, useNavigate, useRouter } from '@tanstack/react-router'
import { FlaskConical, Menu as MenuIcon, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useLive } from '../api/live'
import { IconButton } from '../kit/controls/button'
import { BACKDROP } from '../kit/dialogs/dialog'
import { ConnectionBanner } from '../kit/layout/connection-banner'
import { Mark } from '../kit/layout/mark'
import { useMode } from '../mode'
import { useMe } from '../session/me'
import { ModeSwitch } from './mode-switch'
import { Navigation } from './navigation'
import { PausedBanner } from './paused-banner'
import { PersonMenu } from './person-menu'
import { SearchButton, SearchIconButton, useSearch } from './search/open'

/** The frame of every page: navigation, mode, user. */
export const Shell = () => {
  // An owner can require another way to sign in while the page is open.
  const isAllowed = (useMe()?.needed_sign_in ?? null) === null
  return isAllowed ? <Pages /> : <ToRequiredSignIn />
}

/** Once: an element that navigates would do so again with each page it remembers. */
const ToRequiredSignIn = () => {
  const navigate = useNavigate()
  const { state } = useRouter()
  const [to] = useState(state.location.href)
  useEffect(() => {
    void navigate({ to: '/sign-in/required', search: { to }, replace: true })
  }, [navigate, to])
  return null
}

const Pages = () => {
  const mode = useMode()
  useLive(mode)
  const { open, search } = useSearch()
  return (
    <div className="min-h-dvh lg:grid lg:grid-cols-[14.5rem_minmax(0,1fr)] print:block">
      <a
        href="#content"
        className="sr-only z-50 rounded-md bg-surface px-3 py-2 focus:not-sr-only focus:fixed focus:top-2 focus:left-2 print:hidden"
      >
        Skip to content
      </a>
      <aside className="fixed inset-y-0 left-0 hidden w-58 flex-col gap-4 overflow-y-auto border-r border-line bg-chrome p-3 lg:flex print:hidden">
        <Brand />
        <ModeSwitch />
        <SearchButton onClick={open} />
        <Navigation />
        <div className="mt-auto">
          <PersonMenu />
        </div>
      </aside>
      <div className="flex min-w-0 flex-col lg:col-start-2">
        <div className="sticky top-0 z-30 print:hidden">
          <TopBar onSearch={open} />
          <ConnectionBanner />
        </div>
        <PausedBanner />
        {mode === 'test' && <TestBand />}
        <main id="content" tabIndex={-1} className="grow outline-none">
          <Outlet />
        </main>
      </div>
      {search}
    </div>
  )
}

const Brand = () => (
  <div className="flex items-center gap-2 px-1.5 pt-1">
    <Mark />
    <span className="text-base font-semibold tracking-tight">Arden</span>
  </div>
)

const TopBar = ({ onSearch }: { onSearch: () => void }) => {
  const [open, setOpen] = useState(false)
  return (
    <header className="flex items-center gap-2 border-b border-line bg-chrome px-2 py-2 lg:hidden">
      <Dialog.Root open={open} onOpenChange={setOpen}>
        <Dialog.Trigger render={<IconButton label="Pages" className="max-lg:size-10" />}>
          <MenuIcon />
        </Dialog.Trigger>
        <Dialog.Portal>
          <Dialog.Backdrop className={BACKDROP} />
          <Dialog.Popup className="fixed inset-y-0 left-0 z-40 w-72 overflow-y-auto border-r border-line bg-chrome p-3 transition-transform duration-200 data-[ending-style]:-translate-x-full data-[starting-style]:-translate-x-full">
            <div className="mb-3 flex items-center justify-between">
              <Dialog.Title render={<div />}>
                <Brand />
              </Dialog.Title>
              <Dialog.Close render={<IconButton label="Close" />}>
                <X />
              </Dialog.Close>
            </div>
            <div className="mb-4">
              <ModeSwitch />
            </div>
            <Navigation onGo={() => setOpen(false)} />
          </Dialog.Popup>
        </Dialog.Portal>
      </Dialog.Root>
      <Mark />
      <div className="mx-auto">
        <ModeSwitch />
      </div>
      <SearchIconButton onClick={onSearch} />
      <div className="w-10 shrink-0">
        <PersonMenu compact />
      </div>
    </header>
  )
}

const TestBand = () => (
  <p className="flex items-center justify-center gap-2 border-b border-line bg-accent-soft px-4 py-1.5 text-center text-xs font-medium text-accent print:hidden">
    <FlaskConical aria-hidden className="size-3.5 shrink-0" />
    Test mode. Test records are separate from live records and do not count towards your plan.
  </p>
)
