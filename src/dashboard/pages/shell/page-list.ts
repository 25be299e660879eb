import {
  BookOpen,
  ChartNoAxesColumn,
  CodeXml,
  FileText,
  FolderOpen,
  History,
  KeyRound,
  ScrollText,
  Send,
  Settings,
  Siren,
  Sparkles,
  Webhook,
  Zap,
} from 'lucide-react'

/** The pages of the navigation, by group. */
export const GROUPS = [
  [undefined, [['/$mode', 'Overview', ChartNoAxesColumn]]],
  [
    'Delivery',
    [
      ['/$mode/webhooks', 'Webhooks', Webhook],
      ['/$mode/deliveries', 'Deliveries', Send],
      ['/$mode/events', 'Events', Zap],
      ['/$mode/incidents', 'Incidents', Siren],
    ],
  ],
  [
    'Content',
    [
      ['/$mode/projects', 'Projects', FolderOpen],
      ['/$mode/articles', 'Articles', FileText],
      ['/$mode/generations', 'Generations', Sparkles],
    ],
  ],
  [
    'Account',
    [
      ['/$mode/keys', 'API keys', KeyRound],
      ['/$mode/requests', 'Request log', ScrollText],
      ['/$mode/audit', 'Audit history', History],
      ['/$mode/settings', 'Settings', Settings],
    ],
  ],
] as const

/** All of them. */
export const PAGES = GROUPS.flatMap(([, pages]) => [...pages])

/** Pages of the documentation, which are outside the dashboard. */
export const DOCS = [
  ['/docs/guides/quickstart', 'Guides', BookOpen],
  ['/docs', 'API reference', CodeXml],
] as const
