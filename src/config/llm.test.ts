import { expect, test } from 'bun:test'
import { readConfig } from '../config'
import { StartError } from '../errors'

const ONE = {
  ARDEN_LLM_BASE_URL: 'https://llm.example.com/v1',
  ARDEN_LLM_API_KEY: 'sk-secret',
  ARDEN_LLM_MODEL: 'm',
}
const TWO = {
  ARDEN_LLM_PROVIDERS: 'claude, my-ollama',
  ARDEN_LLM_CLAUDE_API: 'anthropic',
  ARDEN_LLM_CLAUDE_API_KEY: 'sk-secret',
  ARDEN_LLM_CLAUDE_MODEL: 'claude-sonnet-5-5=2/10, claude-opus-5-5=4/20',
  ARDEN_LLM_MY_OLLAMA_BASE_URL: 'http://ollama:11434/v1',
  ARDEN_LLM_MY_OLLAMA_API_KEY: 'none',
  ARDEN_LLM_MY_OLLAMA_MODEL: 'llama3.2:3b,meta/llama=0.05/0.5',
  ARDEN_LLM_MY_OLLAMA_MAX_TOKENS: '800',
  ARDEN_LLM_MY_OLLAMA_IN_FLIGHT: '2',
}
const read = (env: Record<string, string>) => readConfig(env).llm

test('without settings there is no language model', () => {
  expect(read({ ARDEN_LLM_API_KEY: '', ARDEN_LLM_PROVIDERS: '' })).toBeUndefined()
})

test('settings without names are one provider, an OpenAI-compatible one by default', () => {
  expect(read(ONE)).toMatchObject({
    inTestMode: false,
    providers: [
      {
        name: 'default',
        api: 'openai',
        baseUrl: 'https://llm.example.com/v1',
        apiKey: 'sk-secret',
        models: [{ name: 'm', price: null }],
        maxTokens: 4000,
        inFlight: undefined,
      },
    ],
  })
})

test('providers with names are in the order of ARDEN_LLM_PROVIDERS, each with its own settings', () => {
  expect(read({ ...TWO, ARDEN_LLM_IN_TEST_MODE: '1' })).toMatchObject({
    inTestMode: true,
    providers: [
      {
        name: 'claude',
        api: 'anthropic',
        baseUrl: 'https://api.anthropic.com',
        models: [
          { name: 'claude-sonnet-5-5', price: { input: 2, output: 10 } },
          { name: 'claude-opus-5-5', price: { input: 4, output: 20 } },
        ],
      },
      { name: 'my-ollama', api: 'openai', maxTokens: 800, inFlight: 2 },
    ],
  })
})

test('a model without a price has its full name, with the characters that names of models have', () => {
  const model = 'llama3.2:3b,openai/gpt-5:beta,a=b,deploy?v=2,free=0/0'
  expect(read({ ...ONE, ARDEN_LLM_MODEL: model })?.providers[0].models).toEqual([
    { name: 'llama3.2:3b', price: null },
    { name: 'openai/gpt-5:beta', price: null },
    { name: 'a=b', price: null },
    { name: 'deploy?v=2', price: null },
    { name: 'free', price: { input: 0, output: 0 } },
  ])
})

test.each([
  [{ ...ONE, ARDEN_LLM_API_KEY: '' }, 'ARDEN_LLM_API_KEY is not set'],
  [{ ARDEN_LLM_MODEL: 'm' }, 'ARDEN_LLM_BASE_URL is not set'],
  [{ ARDEN_LLM_API: 'anthropic', ARDEN_LLM_MODEL: 'm' }, 'ARDEN_LLM_API_KEY is not set'],
  [{ ARDEN_LLM_IN_TEST_MODE: '1' }, 'ARDEN_LLM_BASE_URL is not set'],
  [{ ...ONE, ARDEN_LLM_BASE_URL: 'llm.example.com' }, 'ARDEN_LLM_BASE_URL is not a http'],
  [{ ...ONE, ARDEN_LLM_MAX_TOKENS: '5' }, 'ARDEN_LLM_MAX_TOKENS is "5"'],
  [{ ...ONE, ARDEN_LLM_API: 'gemini' }, 'ARDEN_LLM_API is "gemini"'],
  [{ ...ONE, ARDEN_LLM_MODEL: 'a,,b' }, 'ARDEN_LLM_MODEL has a model without a name'],
  [{ ...ONE, ARDEN_LLM_MODEL: 'a=1/2,a' }, 'ARDEN_LLM_MODEL has a model twice'],
  [{ ...ONE, ARDEN_LLM_MODEL: 'gpt-5=1,25/10' }, 'ARDEN_LLM_MODEL has a decimal comma in a price'],
  [{ ...ONE, ARDEN_LLM_MODEL: 'gpt-5=1.25/10,5' }, 'ARDEN_LLM_MODEL has a decimal comma'],
  [{ ...ONE, ARDEN_LLM_MODEL: 'gpt-5=1.25' }, 'ARDEN_LLM_MODEL has "gpt-5=1.25", whose price'],
  [{ ...ONE, ARDEN_LLM_MODEL: 'gpt-5=1.25:10' }, 'ARDEN_LLM_MODEL has "gpt-5=1.25:10", whose'],
  [{ ...ONE, ARDEN_LLM_MODEL: 'gpt-5=-1/2' }, 'ARDEN_LLM_MODEL has "gpt-5=-1/2", whose price'],
  [{ ...ONE, ARDEN_LLM_MODEL: 'a= €1/2' }, 'ARDEN_LLM_MODEL has "a= €1/2", whose price'],
  [{ ...ONE, ARDEN_LLM_MODEL: 'llama=$1/$2' }, 'ARDEN_LLM_MODEL has "llama=$1/$2", whose price'],
  [{ ...TWO, ARDEN_LLM_PROVIDERS: 'claude' }, 'ARDEN_LLM_MY_OLLAMA_BASE_URL is set, but'],
  [{ ...TWO, ARDEN_LLM_PROVIDERS: '' }, 'is set, but ARDEN_LLM_PROVIDERS does not name'],
  [{ ...TWO, ...ONE }, 'ARDEN_LLM_BASE_URL is set, but'],
  [{ ...TWO, ARDEN_LLM_PROVIDERS: 'claude,my_ollama' }, 'has "my_ollama"'],
  [{ ...TWO, ARDEN_LLM_PROVIDERS: 'claude,' }, 'has ""'],
  [{ ...TWO, ARDEN_LLM_PROVIDERS: 'claude,claude,my-ollama' }, 'has a name twice'],
  [{ ...TWO, ARDEN_LLM_CLAUDE_API_KEY: '' }, 'ARDEN_LLM_CLAUDE_API_KEY is not set'],
])('inconsistent settings stop the start: %j', (env, message) => {
  const start = () => readConfig(env)
  expect(start).toThrow(StartError)
  expect(start).toThrow(message)
  expect(start).not.toThrow('sk-secret')
})
