import { Frame } from '../kit/page'

export const Page = () => <Frame title="Article">{null}</Frame>
