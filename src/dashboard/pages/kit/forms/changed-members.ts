import { useState } from 'react'

/**
 * The members of a body that differ from those when the form was opened. A PATCH of these alone puts nothing back that
 * another user changed meanwhile.
 */
export const useChangedMembers = <T extends object>(body: T): Partial<T> => {
  const [opened] = useState(body)
  return Object.fromEntries(
    Object.entries(body).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(opened[name as keyof T]),
    ),
  ) as Partial<T>
}

/** Names of edited members that another user has changed since the form was opened: saving replaces that change. */
export const useOverwritten = (changed: object, record: object = {}): string[] => {
  const [opened] = useState(() => new Map(Object.entries(record)))
  const now = new Map(Object.entries(record))
  return Object.entries(changed).flatMap(([name, value]) => {
    const current = JSON.stringify(now.get(name))
    return current === JSON.stringify(opened.get(name)) || current === JSON.stringify(value)
      ? []
      : name
  })
}
