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
