import { Frame } from '../kit/page'

export const Page = () => <Frame title="Keyword">{null}</Frame>
