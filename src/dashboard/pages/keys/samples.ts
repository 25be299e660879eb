import type { CodeSample } from '../kit/controls/code-samples'

/** The first call of a program with a new key. Only the shell sees its value: programs read the environment. */
export const keySamples = (origin: string, key: string): CodeSample[] => {
  const url = `${origin}/api/public/v1/projects`
  return [
    {
      language: 'curl',
      code: `export ARDEN_API_KEY=${key}

curl -H "Authorization: Bearer $ARDEN_API_KEY" \\
  ${url}`,
    },
    {
      language: 'TypeScript',
      code: `const response = await fetch('${url}', {
  headers: { Authorization: \`Bearer \${process.env.ARDEN_API_KEY}\` },
})
if (!response.ok) throw new Error(await response.text())
const { data } = await response.json()
console.log(data)`,
    },
    {
      language: 'Python',
      code: `import json, os
from urllib.request import Request, urlopen

request = Request(
    "${url}",
    headers={"Authorization": f"Bearer {os.environ['ARDEN_API_KEY']}"},
)
with urlopen(request) as response:
    print(json.load(response)["data"])`,
    },
  ]
}
