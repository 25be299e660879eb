import { printNote } from '../print'

/** Says on stderr what commands of this terminal use instead of the profile in use (docs/cli.md). */
export const noteWhatComesBefore = (profile: string): void => {
  const { ARDEN_API_KEY: key, ARDEN_PROFILE: other } = process.env
  if (key && other)
    printNote(
      'yellow',
      `ARDEN_API_KEY and ARDEN_PROFILE are set, and come before the profile in use. Unset both, or use --profile ${profile}.`,
    )
  else if (key)
    printNote(
      'yellow',
      `ARDEN_API_KEY is set, and comes before the profile in use. Unset it, or use --profile ${profile}.`,
    )
  else if (other && other !== profile)
    printNote(
      'yellow',
      `ARDEN_PROFILE is set to "${other}", and comes before the profile in use. Unset it, or use --profile ${profile}.`,
    )
}
